#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How long compiling takes: wall time of the whole process, kernel in C++ to PTX. Every configuration once, then the slowest few
# five times each; the median of the slowest counts. One JSON object a line, the verdict last.
#
#   bench/compile_time.sh [--limit SECONDS] [--slowest N]
#
# Environment: TILEFOLD_BUILD (build folder, default build).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tool=${TILEFOLD_BUILD:-$root/build}/bin/tilefold
limit=1.0 slowest=3
while [[ $# -gt 0 ]]; do
  case $1 in
  --limit) limit=$2 && shift 2 ;;
  --slowest) slowest=$2 && shift 2 ;;
  *) sed -n '4,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 2 ;;
  esac
done
[[ -x $tool ]] || { echo "compile_time.sh: $tool is not built" >&2 && exit 2; }

# Prints the microseconds that the configuration takes; its output goes nowhere.
measure() {
  local begin=${EPOCHREALTIME/./}
  "$tool" compile "$@" --target sm_80 --emit ptx -o /dev/null >/dev/null 2>&1 || return 1
  echo $((${EPOCHREALTIME/./} - begin))
}

times=$(
  for program in fa1 fa1-rows fa2 decode; do
    for dim in 32 64 80 96 128 256; do
      for dtype in f16 bf16; do
        for mask in "" --causal; do
          # shellcheck disable=SC2086 # no mask is no argument
          echo "$(measure $program --head-dim $dim --dtype $dtype $mask || echo none) $program --head-dim $dim --dtype $dtype $mask"
        done
      done
    done
  done | sort -nr
)
worst=0 broken=0
while read -r configuration; do
  echo "{\"job\": \"compile\", \"configuration\": \"$configuration\", \"error\": \"does not compile\"}"
  broken=$((broken + 1))
done < <(sed -n 's/^none //p' <<<"$times")
while read -r first configuration; do
  # shellcheck disable=SC2086 # words
  median=$(for _ in 1 2 3 4 5; do measure $configuration; done | sort -n | sed -n 3p)
  echo "{\"job\": \"compile\", \"configuration\": \"$configuration\", \"median_ms\": $((median / 1000)), \"first_ms\": $((first / 1000))}"
  worst=$((median > worst ? median : worst))
done < <(grep -v ^none <<<"$times" | head -n "$slowest" || true)
met=$(awk -v t="$worst" -v l="$limit" 'BEGIN { print (t > 0 && t <= l * 1e6) ? "true" : "false" }')
[[ $broken -eq 0 ]] || met=false
echo "{\"job\": \"target\", \"what\": \"compile, slowest configuration, s\", \"target\": $limit, \"seconds\": $(awk -v t="$worst" 'BEGIN { print t / 1e6 }')," \
  "\"cores\": $(nproc), \"load\": $(cut -d' ' -f1 /proc/loadavg), \"met\": $met}"
[[ $met == true ]]
