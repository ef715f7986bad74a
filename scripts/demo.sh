#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds tilefold and runs the attention programs on queries, keys and values of a trained transformer, each compared with
# attention in fp64. On the GPU where there is one, else on the interpreter.
. "$(dirname "$0")/setup.sh"

install_packages
build release tilefold tilefold-run

status=0
for program in fa1 fa1-rows fa2 decode; do
  say "tilefold run $program"
  build/bin/tilefold run "$program" --in examples/data/minilm_qkv.safetensors --out "build/o-$program.safetensors" --check || status=1
done
say "one query token, a long cache: which program?"
build/bin/tilefold explain fa2 --batch 1 --heads 32/8 --sq 1 --sk 65536 --head-dim 128 --device h200
if [ $status -eq 0 ]; then say "all programs agree with fp64"; else say "WRONG: see above"; fi
exit $status
