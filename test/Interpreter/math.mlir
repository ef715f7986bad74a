// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s

tile.kernel @exponentials() {
  %a = arith.constant dense<[0.0, 1.0, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %e = math.exp %a : tensor<4xf32>
  %e2 = math.exp2 %a : tensor<4xf32>
  %m1 = math.expm1 %a : tensor<4xf32>
  %ee = arith.constant dense<[1.0, 2.71828175, 0.0, 0x7FC00000]> : tensor<4xf32>
  %e2e = arith.constant dense<[1.0, 2.0, 0.0, 0x7FC00000]> : tensor<4xf32>
  %m1e = arith.constant dense<[0.0, 1.71828175, -1.0, 0x7FC00000]> : tensor<4xf32>
  check.expect_almost_eq %e, %ee : tensor<4xf32>
  check.expect_almost_eq %e2, %e2e : tensor<4xf32>
  check.expect_almost_eq %m1, %m1e : tensor<4xf32>
  tile.return
}

tile.kernel @logarithms() {
  %a = arith.constant dense<[1.0, 8.0, 0.0, -1.0]> : tensor<4xf32>
  %l = math.log %a : tensor<4xf32>
  %l2 = math.log2 %a : tensor<4xf32>
  %l10 = math.log10 %a : tensor<4xf32>
  %l1p = math.log1p %a : tensor<4xf32>
  %le = arith.constant dense<[0.0, 2.07944155, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %l2e = arith.constant dense<[0.0, 3.0, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %l10e = arith.constant dense<[0.0, 0.90308998, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %l1pe = arith.constant dense<[0.693147182, 2.19722462, 0.0, 0xFF800000]> : tensor<4xf32>
  check.expect_almost_eq %l, %le : tensor<4xf32>
  check.expect_almost_eq %l2, %l2e : tensor<4xf32>
  check.expect_almost_eq %l10, %l10e : tensor<4xf32>
  check.expect_almost_eq %l1p, %l1pe : tensor<4xf32>
  tile.return
}

tile.kernel @roots_and_powers() {
  %a = arith.constant dense<[4.0, 0.25]> : tensor<2xf32>
  %b = arith.constant dense<[0.5, -2.0]> : tensor<2xf32>
  %s = math.sqrt %a : tensor<2xf32>
  %r = math.rsqrt %a : tensor<2xf32>
  %p = math.powf %a, %b : tensor<2xf32>
  %se = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %re = arith.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %pe = arith.constant dense<[2.0, 16.0]> : tensor<2xf32>
  check.expect_eq %s, %se : tensor<2xf32>
  check.expect_eq %r, %re : tensor<2xf32>
  check.expect_almost_eq %p, %pe : tensor<2xf32>
  tile.return
}

tile.kernel @trigonometry() {
  %a = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %s = math.sin %a : tensor<2xf32>
  %c = math.cos %a : tensor<2xf32>
  %t = math.tanh %a : tensor<2xf32>
  %f = math.erf %a : tensor<2xf32>
  %se = arith.constant dense<[0.0, 0.841470957]> : tensor<2xf32>
  %ce = arith.constant dense<[1.0, 0.540302277]> : tensor<2xf32>
  %te = arith.constant dense<[0.0, 0.761594176]> : tensor<2xf32>
  %fe = arith.constant dense<[0.0, 0.842700779]> : tensor<2xf32>
  check.expect_almost_eq %s, %se : tensor<2xf32>
  check.expect_almost_eq %c, %ce : tensor<2xf32>
  check.expect_almost_eq %t, %te : tensor<2xf32>
  check.expect_almost_eq %f, %fe : tensor<2xf32>
  tile.return
}

tile.kernel @rounding() {
  %a = arith.constant dense<[2.5, -2.5, -0.75]> : tensor<3xf32>
  %f = math.floor %a : tensor<3xf32>
  %c = math.ceil %a : tensor<3xf32>
  %r = math.round %a : tensor<3xf32>
  %re = math.roundeven %a : tensor<3xf32>
  %t = math.trunc %a : tensor<3xf32>
  %x = math.absf %a : tensor<3xf32>
  %fe = arith.constant dense<[2.0, -3.0, -1.0]> : tensor<3xf32>
  %ce = arith.constant dense<[3.0, -2.0, -0.0]> : tensor<3xf32>
  %rr = arith.constant dense<[3.0, -3.0, -1.0]> : tensor<3xf32>
  %ree = arith.constant dense<[2.0, -2.0, -1.0]> : tensor<3xf32>
  %te = arith.constant dense<[2.0, -2.0, -0.0]> : tensor<3xf32>
  %xe = arith.constant dense<[2.5, 2.5, 0.75]> : tensor<3xf32>
  check.expect_eq %f, %fe : tensor<3xf32>
  check.expect_eq %c, %ce : tensor<3xf32>
  check.expect_eq %r, %rr : tensor<3xf32>
  check.expect_eq %re, %ree : tensor<3xf32>
  check.expect_eq %t, %te : tensor<3xf32>
  check.expect_eq %x, %xe : tensor<3xf32>
  tile.return
}

// One rounding: (1 + 2^-12)^2 - 1 keeps its last bit.
tile.kernel @fma() {
  %a = arith.constant dense<1.000244140625> : tensor<1xf32>
  %m = arith.constant dense<-1.0> : tensor<1xf32>
  %r = math.fma %a, %a, %m : tensor<1xf32>
  %e = arith.constant dense<4.8834085464477539e-4> : tensor<1xf32>
  check.expect_eq %r, %e : tensor<1xf32>
  tile.return
}

tile.kernel @classes() {
  %a = arith.constant dense<[1.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %n = math.isnan %a : tensor<3xf32>
  %i = math.isinf %a : tensor<3xf32>
  %f = math.isfinite %a : tensor<3xf32>
  %ne = arith.constant dense<[false, false, true]> : tensor<3xi1>
  %ie = arith.constant dense<[false, true, false]> : tensor<3xi1>
  %fe = arith.constant dense<[true, false, false]> : tensor<3xi1>
  check.expect_eq %n, %ne : tensor<3xi1>
  check.expect_eq %i, %ie : tensor<3xi1>
  check.expect_eq %f, %fe : tensor<3xi1>
  tile.return
}

tile.kernel @absi() {
  %a = arith.constant dense<[-3, 4]> : tensor<2xi32>
  %r = math.absi %a : tensor<2xi32>
  %e = arith.constant dense<[3, 4]> : tensor<2xi32>
  check.expect_eq %r, %e : tensor<2xi32>
  tile.return
}

// f16 results are rounded: exp(1) has 11 bits.
tile.kernel @exp_f16() {
  %a = arith.constant dense<1.0> : tensor<1xf16>
  %r = math.exp %a : tensor<1xf16>
  %e = arith.constant dense<2.71875> : tensor<1xf16>
  check.expect_eq %r, %e : tensor<1xf16>
  tile.return
}
