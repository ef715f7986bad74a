#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The GPU suite in two halves, since the machine that compiles often has no GPU.
#
#   scripts/gpu-suite.sh pack [FOLDER] [-- OPTIONS OF tilefold compile]
#       compiles every program, head dim, dtype and mask into FOLDER (default build/gpu-suite), with the runner, the C library and
#       the benchmarks, and packs it all into FOLDER.tar.gz. Nothing of it needs a compiler or this repository afterwards.
#       `-- --cubin sm_90` adds machine code of ptxas, which `run --code both` compares with what the driver compiles.
#
#   scripts/gpu-suite.sh run [FOLDER or FOLDER.tar.gz] [OPTIONS OF tilefold-gpu-suite]
#       on a machine with a GPU: runs all cases, writes FOLDER/results.json (or --out FILE), prints "N passed, N failed".
#
# Environment: TILEFOLD_BUILD (build folder, default build), TILEFOLD_PROGRAMS, TILEFOLD_HEAD_DIMS, TILEFOLD_DTYPES (lists that
# replace the defaults), JOBS.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() {
  echo "gpu-suite.sh: $*" >&2
  exit 2
}

pack() {
  local root build folder=""
  root=$(dirname "$here")
  build=${TILEFOLD_BUILD:-$root/build}
  if [[ $# -gt 0 && $1 != -- ]]; then
    folder=$1
    shift
  fi
  [[ ${1:-} == -- ]] && shift
  folder=${folder:-$build/gpu-suite}
  local file
  for file in tilefold tilefold-variants tilefold-gpu-suite tilefold-launch-bench example_01_vector_add example_02_softmax example_03_matmul; do
    [[ -x $build/bin/$file ]] || fail "$build/bin/$file is not built"
  done
  local programs=${TILEFOLD_PROGRAMS:-fa1 fa1-rows fa2 decode} dtypes=${TILEFOLD_DTYPES:-f16 bf16}
  local dims=${TILEFOLD_HEAD_DIMS:-$("$build/bin/tilefold-variants" head-dims)}
  rm -rf "$folder" "$folder.tar.gz"
  mkdir -p "$folder/artifacts" "$folder/bench"

  # One line a job: artifact, then the compiler's arguments.
  local jobs=$folder/jobs program dim dtype
  for program in $programs; do
    for dim in $dims; do
      for dtype in $dtypes; do
        echo "$program-d$dim-$dtype $build/bin/tilefold compile $program --head-dim $dim --dtype $dtype"
        echo "$program-d$dim-$dtype-causal $build/bin/tilefold compile $program --head-dim $dim --dtype $dtype --causal"
      done
    done
  done >"$jobs"
  # Head dims between multiples of 16.
  for program in $programs; do
    for dim in 72 88; do
      echo "$program-d$dim-f16 $build/bin/tilefold compile $program --head-dim $dim --dtype f16"
      echo "$program-d$dim-f16-causal $build/bin/tilefold compile $program --head-dim $dim --dtype f16 --causal"
    done
  done >>"$jobs"
  # Programs with variants, and the same program compiled otherwise, in the configurations that show most.
  local variant
  for variant in $("$build/bin/tilefold-variants" list); do
    echo "$variant-d64-f16 $build/bin/tilefold-variants compile $variant --head-dim 64 --dtype f16"
    echo "$variant-d64-f16-causal $build/bin/tilefold-variants compile $variant --head-dim 64 --dtype f16 --causal"
    echo "$variant-d128-bf16 $build/bin/tilefold-variants compile $variant --head-dim 128 --dtype bf16"
  done >>"$jobs"
  for variant in "one_stage --stages 1" "three_stages --stages 3"; do
    for program in fa2 decode; do
      echo "$program-with-${variant%% *}-d64-f16-causal $build/bin/tilefold compile $program --head-dim 64 --dtype f16 --causal ${variant#* }"
    done
  done >>"$jobs"
  for dtype in $dtypes; do
    echo "fa2-with-small_blocks-d16-$dtype $build/bin/tilefold-variants compile fa2-with-small_blocks --head-dim 16 --dtype $dtype"
    echo "chained_dots-$dtype $build/bin/tilefold-variants compile chained_dots --dtype $dtype --warps 8"
    echo "vector_add-$dtype $build/bin/example_01_vector_add compile vector_add --dtype $dtype"
    echo "softmax-$dtype $build/bin/example_02_softmax compile softmax --dtype $dtype"
    echo "matmul-$dtype $build/bin/example_03_matmul compile matmul --dtype $dtype"
  done >>"$jobs"
  export TILEFOLD_PACK_FOLDER=$folder TILEFOLD_PACK_OPTIONS="$*"
  compile_one() {
    local name=$1
    shift
    # shellcheck disable=SC2086 # options are words
    if ! "$@" --target sm_80 --emit artifact $TILEFOLD_PACK_OPTIONS -o "$TILEFOLD_PACK_FOLDER/artifacts/$name.tfa" >"$TILEFOLD_PACK_FOLDER/$name.log" 2>&1; then
      echo "$name: $(grep -m 3 . "$TILEFOLD_PACK_FOLDER/$name.log" | cut -c 1-300)" >>"$TILEFOLD_PACK_FOLDER/failures"
    fi
    rm -f "$TILEFOLD_PACK_FOLDER/$name.log"
  }
  export -f compile_one
  xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'compile_one "$@"' compile_one <"$jobs"
  local wanted made
  wanted=$(wc -l <"$jobs")
  made=$(find "$folder/artifacts" -name '*.tfa' | wc -l)
  rm "$jobs"
  if [[ -e $folder/failures ]]; then
    cat "$folder/failures" >&2
  fi

  cp "$build/bin/tilefold-gpu-suite" "$build/bin/tilefold-launch-bench" "$build/lib/libtilefold.so" "$folder/"
  strip "$folder/tilefold-gpu-suite" "$folder/tilefold-launch-bench" "$folder/libtilefold.so"
  cp "$root"/bench/*.py "$folder/bench/"
  cp "${BASH_SOURCE[0]}" "$folder/"
  # A release tarball has no history, and the machine perhaps no git.
  if git -C "$root" rev-parse HEAD >"$folder/commit" 2>/dev/null; then
    [[ -z $(git -C "$root" status --porcelain --untracked-files=no) ]] || sed -i 's/$/+modified/' "$folder/commit"
  else
    echo unknown >"$folder/commit"
  fi
  tar -C "$(dirname "$folder")" -czf "$folder.tar.gz" "$(basename "$folder")"
  local size
  size=$(stat -c %s "$folder.tar.gz")
  echo "$made of $wanted artifacts, $(du -sh "$folder" | cut -f1), packed $((size / 1048576)) MiB: $folder.tar.gz"
  [[ $size -lt $((60 * 1048576)) ]] || fail "the pack is larger than 60 MiB"
  [[ $made -eq $wanted ]] || exit 1
}

run() {
  local folder=$here scratch=""
  if [[ $# -gt 0 && $1 != -* ]]; then
    folder=$1
    shift
  elif [[ ! -d $here/artifacts ]]; then
    folder=${TILEFOLD_BUILD:-$(dirname "$here")/build}/gpu-suite
  fi
  if [[ $folder == *.tar.gz ]]; then
    [[ -e $folder ]] || fail "there is no $folder; make it with: $0 pack"
    scratch=$(dirname "$folder")
    tar -C "$scratch" -xzf "$folder"
    folder=${folder%.tar.gz}
  fi
  [[ -x $folder/tilefold-gpu-suite ]] || fail "there is no $folder/tilefold-gpu-suite; make it with: $0 pack"
  local out="--out $folder/results.json" option
  for option in "$@"; do
    [[ $option != --out && $option != --list && $option != --dry ]] || out=""
  done
  if command -v nvidia-smi >/dev/null; then
    TILEFOLD_DRIVER_VERSION=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1) || true
    export TILEFOLD_DRIVER_VERSION
  fi
  # shellcheck disable=SC2086
  exec "$folder/tilefold-gpu-suite" "$folder/artifacts" --commit "$(cat "$folder/commit" 2>/dev/null || echo unknown)" $out "$@"
}

case ${1:-} in
pack | run) "$@" ;;
*) sed -n '4,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && [[ ${1:-} == --help ]] || exit 2 ;;
esac
