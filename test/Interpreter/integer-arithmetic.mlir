// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s

// i32 wraps, as it does on a GPU.
tile.kernel @addi_subi_muli() {
  %a = arith.constant dense<[2147483647, -5, 65536]> : tensor<3xi32>
  %b = arith.constant dense<[1, 3, 65536]> : tensor<3xi32>
  %s = arith.addi %a, %b : tensor<3xi32>
  %d = arith.subi %a, %b : tensor<3xi32>
  %m = arith.muli %a, %b : tensor<3xi32>
  %se = arith.constant dense<[-2147483648, -2, 131072]> : tensor<3xi32>
  %de = arith.constant dense<[2147483646, -8, 0]> : tensor<3xi32>
  %me = arith.constant dense<[2147483647, -15, 0]> : tensor<3xi32>
  check.expect_eq %s, %se : tensor<3xi32>
  check.expect_eq %d, %de : tensor<3xi32>
  check.expect_eq %m, %me : tensor<3xi32>
  tile.return
}

tile.kernel @signed_division() {
  %a = arith.constant dense<[7, -7, 7, -7]> : tensor<4xi32>
  %b = arith.constant dense<[2, 2, -2, -2]> : tensor<4xi32>
  %q = arith.divsi %a, %b : tensor<4xi32>
  %r = arith.remsi %a, %b : tensor<4xi32>
  %f = arith.floordivsi %a, %b : tensor<4xi32>
  %c = arith.ceildivsi %a, %b : tensor<4xi32>
  %qe = arith.constant dense<[3, -3, -3, 3]> : tensor<4xi32>
  %re = arith.constant dense<[1, -1, 1, -1]> : tensor<4xi32>
  %fe = arith.constant dense<[3, -4, -4, 3]> : tensor<4xi32>
  %ce = arith.constant dense<[4, -3, -3, 4]> : tensor<4xi32>
  check.expect_eq %q, %qe : tensor<4xi32>
  check.expect_eq %r, %re : tensor<4xi32>
  check.expect_eq %f, %fe : tensor<4xi32>
  check.expect_eq %c, %ce : tensor<4xi32>
  tile.return
}

tile.kernel @unsigned_division() {
  %a = arith.constant dense<[-1, 7]> : tensor<2xi32>
  %b = arith.constant dense<[2, 2]> : tensor<2xi32>
  %q = arith.divui %a, %b : tensor<2xi32>
  %r = arith.remui %a, %b : tensor<2xi32>
  %c = arith.ceildivui %a, %b : tensor<2xi32>
  %qe = arith.constant dense<[2147483647, 3]> : tensor<2xi32>
  %re = arith.constant dense<[1, 1]> : tensor<2xi32>
  %ce = arith.constant dense<[-2147483648, 4]> : tensor<2xi32>
  check.expect_eq %q, %qe : tensor<2xi32>
  check.expect_eq %r, %re : tensor<2xi32>
  check.expect_eq %c, %ce : tensor<2xi32>
  tile.return
}

tile.kernel @min_max() {
  %a = arith.constant dense<[-1, 5]> : tensor<2xi32>
  %b = arith.constant dense<[3, 4]> : tensor<2xi32>
  %x = arith.maxsi %a, %b : tensor<2xi32>
  %n = arith.minsi %a, %b : tensor<2xi32>
  %ux = arith.maxui %a, %b : tensor<2xi32>
  %un = arith.minui %a, %b : tensor<2xi32>
  %xe = arith.constant dense<[3, 5]> : tensor<2xi32>
  %ne = arith.constant dense<[-1, 4]> : tensor<2xi32>
  %uxe = arith.constant dense<[-1, 5]> : tensor<2xi32>
  %une = arith.constant dense<[3, 4]> : tensor<2xi32>
  check.expect_eq %x, %xe : tensor<2xi32>
  check.expect_eq %n, %ne : tensor<2xi32>
  check.expect_eq %ux, %uxe : tensor<2xi32>
  check.expect_eq %un, %une : tensor<2xi32>
  tile.return
}

// A shift by 32 or more clamps, as PTX's does.
tile.kernel @bits_and_shifts() {
  %a = arith.constant dense<[12, -16, 1]> : tensor<3xi32>
  %b = arith.constant dense<[10, 2, 40]> : tensor<3xi32>
  %and = arith.andi %a, %b : tensor<3xi32>
  %or = arith.ori %a, %b : tensor<3xi32>
  %xor = arith.xori %a, %b : tensor<3xi32>
  %l = arith.shli %a, %b : tensor<3xi32>
  %rs = arith.shrsi %a, %b : tensor<3xi32>
  %ru = arith.shrui %a, %b : tensor<3xi32>
  %ande = arith.constant dense<[8, 0, 0]> : tensor<3xi32>
  %ore = arith.constant dense<[14, -14, 41]> : tensor<3xi32>
  %xore = arith.constant dense<[6, -14, 41]> : tensor<3xi32>
  %le = arith.constant dense<[12288, -64, 0]> : tensor<3xi32>
  %rse = arith.constant dense<[0, -4, 0]> : tensor<3xi32>
  %rue = arith.constant dense<[0, 1073741820, 0]> : tensor<3xi32>
  check.expect_eq %and, %ande : tensor<3xi32>
  check.expect_eq %or, %ore : tensor<3xi32>
  check.expect_eq %xor, %xore : tensor<3xi32>
  check.expect_eq %l, %le : tensor<3xi32>
  check.expect_eq %rs, %rse : tensor<3xi32>
  check.expect_eq %ru, %rue : tensor<3xi32>
  tile.return
}

tile.kernel @cmpi() {
  %a = arith.constant dense<[1, 2, -1]> : tensor<3xi32>
  %b = arith.constant dense<[2, 2, 2]> : tensor<3xi32>
  %eq = arith.cmpi eq, %a, %b : tensor<3xi32>
  %ne = arith.cmpi ne, %a, %b : tensor<3xi32>
  %slt = arith.cmpi slt, %a, %b : tensor<3xi32>
  %sge = arith.cmpi sge, %a, %b : tensor<3xi32>
  %ult = arith.cmpi ult, %a, %b : tensor<3xi32>
  %ugt = arith.cmpi ugt, %a, %b : tensor<3xi32>
  %eqe = arith.constant dense<[false, true, false]> : tensor<3xi1>
  %nee = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %slte = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %sgee = arith.constant dense<[false, true, false]> : tensor<3xi1>
  %ulte = arith.constant dense<[true, false, false]> : tensor<3xi1>
  %ugte = arith.constant dense<[false, false, true]> : tensor<3xi1>
  check.expect_eq %eq, %eqe : tensor<3xi1>
  check.expect_eq %ne, %nee : tensor<3xi1>
  check.expect_eq %slt, %slte : tensor<3xi1>
  check.expect_eq %sge, %sgee : tensor<3xi1>
  check.expect_eq %ult, %ulte : tensor<3xi1>
  check.expect_eq %ugt, %ugte : tensor<3xi1>
  tile.return
}

tile.kernel @logic() {
  %a = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  %b = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %and = arith.andi %a, %b : tensor<4xi1>
  %or = arith.ori %a, %b : tensor<4xi1>
  %xor = arith.xori %a, %b : tensor<4xi1>
  %ande = arith.constant dense<[true, false, false, false]> : tensor<4xi1>
  %ore = arith.constant dense<[true, true, true, false]> : tensor<4xi1>
  %xore = arith.constant dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_eq %and, %ande : tensor<4xi1>
  check.expect_eq %or, %ore : tensor<4xi1>
  check.expect_eq %xor, %xore : tensor<4xi1>
  tile.return
}
