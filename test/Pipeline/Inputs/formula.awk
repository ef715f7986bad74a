# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program whose grid has an extent made of n operations `op`, each of what the one before gave and `other` (1 if it is left out, or
# `itself`), and of `last` of that and 1. It is launched `launches` times (1 if that is left out).
BEGIN {
  print "tile.program @p(%x: !tile.view<1xf32> {tile.name = \"x\", tile.role = \"input\", check.value = dense<1.0> : tensor<1xf32>}) {"
  print "  %one = arith.constant 1 : i64"
  print "  %z0 = tile.stride %x, 0 : !tile.view<1xf32>"
  for (i = 1; i <= n; ++i)
    printf "  %%z%d = arith.%s %%z%d, %s : i64\n", i, op, i - 1, other == "itself" ? "%z" (i - 1) : "%one"
  if (last != "")
    printf "  %%z%d = arith.%s %%z%d, %%one : i64\n", i++, last, n
  for (l = 0; l < (launches ? launches : 1); ++l)
    printf "  tile.launch @k grid(%%one, %%one, %%z%d) ()\n", i - 1
  print "  tile.return\n}\ntile.kernel @k() {\n  tile.return\n}"
}
