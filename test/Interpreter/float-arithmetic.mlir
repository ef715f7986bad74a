// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s

tile.kernel @addf() {
  %a = arith.constant dense<[1.0, 0x7F800000, -2.5]> : tensor<3xf32>
  %b = arith.constant dense<[0.5, 0xFF800000, 2.5]> : tensor<3xf32>
  %r = arith.addf %a, %b : tensor<3xf32>
  %e = arith.constant dense<[1.5, 0x7FC00000, 0.0]> : tensor<3xf32>
  check.expect_eq %r, %e : tensor<3xf32>
  tile.return
}

// 2048 + 1 needs 12 bits: f16 has 11, ties go to even.
tile.kernel @addf_f16_rounds() {
  %a = arith.constant dense<[2048.0, 2048.0, 65504.0]> : tensor<3xf16>
  %b = arith.constant dense<[1.0, 3.0, 16.0]> : tensor<3xf16>
  %r = arith.addf %a, %b : tensor<3xf16>
  %e = arith.constant dense<[2048.0, 2052.0, 0x7C00]> : tensor<3xf16>
  check.expect_eq %r, %e : tensor<3xf16>
  tile.return
}

tile.kernel @addf_bf16_rounds() {
  %a = arith.constant dense<[256.0, 256.0]> : tensor<2xbf16>
  %b = arith.constant dense<[1.0, 3.0]> : tensor<2xbf16>
  %r = arith.addf %a, %b : tensor<2xbf16>
  %e = arith.constant dense<[256.0, 260.0]> : tensor<2xbf16>
  check.expect_eq %r, %e : tensor<2xbf16>
  tile.return
}

tile.kernel @subf_mulf_divf_negf() {
  %a = arith.constant dense<[1.0, 0.0, -0.0]> : tensor<3xf32>
  %b = arith.constant dense<[4.0, 0.0, 2.0]> : tensor<3xf32>
  %s = arith.subf %a, %b : tensor<3xf32>
  %m = arith.mulf %a, %b : tensor<3xf32>
  %d = arith.divf %a, %b : tensor<3xf32>
  %n = arith.negf %a : tensor<3xf32>
  %se = arith.constant dense<[-3.0, 0.0, -2.0]> : tensor<3xf32>
  %me = arith.constant dense<[4.0, 0.0, -0.0]> : tensor<3xf32>
  %de = arith.constant dense<[0.25, 0x7FC00000, -0.0]> : tensor<3xf32>
  %ne = arith.constant dense<[-1.0, -0.0, 0.0]> : tensor<3xf32>
  check.expect_eq %s, %se : tensor<3xf32>
  check.expect_eq %m, %me : tensor<3xf32>
  check.expect_eq %d, %de : tensor<3xf32>
  check.expect_eq %n, %ne : tensor<3xf32>
  tile.return
}

// NaN wins, and +0 is greater than -0.
tile.kernel @maximumf_minimumf() {
  %a = arith.constant dense<[1.0, 0x7FC00000, 0.0, -0.0]> : tensor<4xf32>
  %b = arith.constant dense<[2.0, 1.0, -0.0, 0.0]> : tensor<4xf32>
  %x = arith.maximumf %a, %b : tensor<4xf32>
  %n = arith.minimumf %a, %b : tensor<4xf32>
  %xe = arith.constant dense<[2.0, 0x7FC00000, 0.0, 0.0]> : tensor<4xf32>
  %ne = arith.constant dense<[1.0, 0x7FC00000, -0.0, -0.0]> : tensor<4xf32>
  check.expect_eq %x, %xe : tensor<4xf32>
  check.expect_eq %n, %ne : tensor<4xf32>
  tile.return
}

// NaN loses.
tile.kernel @maxnumf_minnumf() {
  %a = arith.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %b = arith.constant dense<[2.0, 1.0, 0x7FC00000]> : tensor<3xf32>
  %x = arith.maxnumf %a, %b : tensor<3xf32>
  %n = arith.minnumf %a, %b : tensor<3xf32>
  %xe = arith.constant dense<[2.0, 1.0, 3.0]> : tensor<3xf32>
  %ne = arith.constant dense<[1.0, 1.0, 3.0]> : tensor<3xf32>
  check.expect_eq %x, %xe : tensor<3xf32>
  check.expect_eq %n, %ne : tensor<3xf32>
  tile.return
}

tile.kernel @scalars() {
  %a = arith.constant 3.0 : f32
  %b = arith.constant 0.5 : f32
  %r = arith.mulf %a, %b : f32
  %e = arith.constant 1.5 : f32
  check.expect_eq %r, %e : f32
  tile.return
}

tile.kernel @cmpf_ordered() {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>
  %b = arith.constant dense<[2.0, 2.0, 2.0, 2.0]> : tensor<4xf32>
  %lt = arith.cmpf olt, %a, %b : tensor<4xf32>
  %le = arith.cmpf ole, %a, %b : tensor<4xf32>
  %gt = arith.cmpf ogt, %a, %b : tensor<4xf32>
  %ge = arith.cmpf oge, %a, %b : tensor<4xf32>
  %eq = arith.cmpf oeq, %a, %b : tensor<4xf32>
  %ne = arith.cmpf one, %a, %b : tensor<4xf32>
  %ord = arith.cmpf ord, %a, %b : tensor<4xf32>
  %lte = arith.constant dense<[true, false, false, false]> : tensor<4xi1>
  %lee = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  %gte = arith.constant dense<[false, false, true, false]> : tensor<4xi1>
  %gee = arith.constant dense<[false, true, true, false]> : tensor<4xi1>
  %eqe = arith.constant dense<[false, true, false, false]> : tensor<4xi1>
  %nee = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %orde = arith.constant dense<[true, true, true, false]> : tensor<4xi1>
  check.expect_eq %lt, %lte : tensor<4xi1>
  check.expect_eq %le, %lee : tensor<4xi1>
  check.expect_eq %gt, %gte : tensor<4xi1>
  check.expect_eq %ge, %gee : tensor<4xi1>
  check.expect_eq %eq, %eqe : tensor<4xi1>
  check.expect_eq %ne, %nee : tensor<4xi1>
  check.expect_eq %ord, %orde : tensor<4xi1>
  tile.return
}

tile.kernel @cmpf_unordered() {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>
  %b = arith.constant dense<[2.0, 2.0, 2.0, 2.0]> : tensor<4xf32>
  %lt = arith.cmpf ult, %a, %b : tensor<4xf32>
  %ge = arith.cmpf uge, %a, %b : tensor<4xf32>
  %eq = arith.cmpf ueq, %a, %b : tensor<4xf32>
  %ne = arith.cmpf une, %a, %b : tensor<4xf32>
  %uno = arith.cmpf uno, %a, %b : tensor<4xf32>
  %lte = arith.constant dense<[true, false, false, true]> : tensor<4xi1>
  %gee = arith.constant dense<[false, true, true, true]> : tensor<4xi1>
  %eqe = arith.constant dense<[false, true, false, true]> : tensor<4xi1>
  %nee = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  %unoe = arith.constant dense<[false, false, false, true]> : tensor<4xi1>
  check.expect_eq %lt, %lte : tensor<4xi1>
  check.expect_eq %ge, %gee : tensor<4xi1>
  check.expect_eq %eq, %eqe : tensor<4xi1>
  check.expect_eq %ne, %nee : tensor<4xi1>
  check.expect_eq %uno, %unoe : tensor<4xi1>
  tile.return
}
