#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds everything and runs every test. The last line is ctest's summary.
#   scripts/test.sh [PRESET]     release by default; dev and asan are there as well
. "$(dirname "$0")/setup.sh"

preset=${1:-release}
[ "$preset" != asan ] || packages+=(libclang-rt-22-dev) # the sanitizers themselves
install_packages
build "$preset"

say "testing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
ctest --preset "$preset" 2>&1 | tee "$log" || status=$?
printf '\n%s\n' "$(grep -E '^[0-9]+% tests passed' "$log" || echo 'ctest gave no summary')"
exit "$status"
