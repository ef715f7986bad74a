# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A kernel with `n` parameters of eight bytes: awk -v n=545 -f many-parameters.awk
BEGIN {
  printf "gpu.module @kernels { gpu.func @many("
  for (i = 0; i < n; ++i)
    printf "%s\n%%a%d: i64", i ? "," : "", i
  print ") kernel attributes {known_block_size = array<i32: 32, 1, 1>} { gpu.return } }"
}
