// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s

// To the nearest, ties to even; 65520 is half way to 65536 and goes to infinity; 2^-25 is half of the least number.
tile.kernel @truncf_f16() {
  %a = arith.constant dense<[1.0009765625, 1.00048828125, 65519.0, 65520.0, 2.98023223876953125e-8, 5.9604644775390625e-8, 0x7FC00000]> : tensor<7xf32>
  %r = arith.truncf %a : tensor<7xf32> to tensor<7xf16>
  %e = arith.constant dense<[1.0009765625, 1.0, 65504.0, 0x7C00, 0.0, 5.9604644775390625e-8, 0x7E00]> : tensor<7xf16>
  check.expect_eq %r, %e : tensor<7xf16>
  tile.return
}

tile.kernel @truncf_bf16() {
  %a = arith.constant dense<[1.0078125, 1.00390625, 3.4028e38, 0xFF800000]> : tensor<4xf32>
  %r = arith.truncf %a : tensor<4xf32> to tensor<4xbf16>
  %e = arith.constant dense<[1.0078125, 1.0, 0x7F80, 0xFF80]> : tensor<4xbf16>
  check.expect_eq %r, %e : tensor<4xbf16>
  tile.return
}

tile.kernel @extf() {
  %a = arith.constant dense<[5.9604644775390625e-8, -65504.0, 0x7C00]> : tensor<3xf16>
  %r = arith.extf %a : tensor<3xf16> to tensor<3xf32>
  %e = arith.constant dense<[5.9604644775390625e-8, -65504.0, 0x7F800000]> : tensor<3xf32>
  check.expect_eq %r, %e : tensor<3xf32>
  tile.return
}

tile.kernel @integers_to_floats() {
  %a = arith.constant dense<[-1, 16777217, 7]> : tensor<3xi32>
  %s = arith.sitofp %a : tensor<3xi32> to tensor<3xf32>
  %u = arith.uitofp %a : tensor<3xi32> to tensor<3xf32>
  %se = arith.constant dense<[-1.0, 16777216.0, 7.0]> : tensor<3xf32>
  %ue = arith.constant dense<[4294967296.0, 16777216.0, 7.0]> : tensor<3xf32>
  check.expect_eq %s, %se : tensor<3xf32>
  check.expect_eq %u, %ue : tensor<3xf32>
  tile.return
}

// Towards zero; out of range saturates and NaN is 0, as PTX's conversion does.
tile.kernel @floats_to_integers() {
  %a = arith.constant dense<[-1.75, 3.0e9, 0x7FC00000, 0xFF800000]> : tensor<4xf32>
  %s = arith.fptosi %a : tensor<4xf32> to tensor<4xi32>
  %u = arith.fptoui %a : tensor<4xf32> to tensor<4xi32>
  %se = arith.constant dense<[-1, 2147483647, 0, -2147483648]> : tensor<4xi32>
  %ue = arith.constant dense<[0, -1294967296, 0, 0]> : tensor<4xi32>
  check.expect_eq %s, %se : tensor<4xi32>
  check.expect_eq %u, %ue : tensor<4xi32>
  tile.return
}

tile.kernel @integer_widths() {
  %a = arith.constant dense<[-1, 5]> : tensor<2xi32>
  %b = arith.constant dense<[true, false]> : tensor<2xi1>
  %s = arith.extsi %a : tensor<2xi32> to tensor<2xi64>
  %u = arith.extui %a : tensor<2xi32> to tensor<2xi64>
  %bs = arith.extsi %b : tensor<2xi1> to tensor<2xi32>
  %bu = arith.extui %b : tensor<2xi1> to tensor<2xi32>
  %t = arith.trunci %u : tensor<2xi64> to tensor<2xi32>
  %tb = arith.trunci %a : tensor<2xi32> to tensor<2xi1>
  %se = arith.constant dense<[-1, 5]> : tensor<2xi64>
  %ue = arith.constant dense<[4294967295, 5]> : tensor<2xi64>
  %bse = arith.constant dense<[-1, 0]> : tensor<2xi32>
  %bue = arith.constant dense<[1, 0]> : tensor<2xi32>
  %tbe = arith.constant dense<[true, true]> : tensor<2xi1>
  check.expect_eq %s, %se : tensor<2xi64>
  check.expect_eq %u, %ue : tensor<2xi64>
  check.expect_eq %bs, %bse : tensor<2xi32>
  check.expect_eq %bu, %bue : tensor<2xi32>
  check.expect_eq %t, %a : tensor<2xi32>
  check.expect_eq %tb, %tbe : tensor<2xi1>
  tile.return
}

tile.kernel @index_cast() {
  %a = arith.constant 7 : i32
  %i = arith.index_cast %a : i32 to index
  %b = arith.index_cast %i : index to i32
  check.expect_eq %a, %b : i32
  tile.return
}

tile.kernel @bitcast() {
  %a = arith.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %r = arith.bitcast %a : tensor<2xf32> to tensor<2xi32>
  %e = arith.constant dense<[1065353216, -2147483648]> : tensor<2xi32>
  check.expect_eq %r, %e : tensor<2xi32>
  %back = arith.bitcast %r : tensor<2xi32> to tensor<2xf32>
  check.expect_eq %back, %a : tensor<2xf32>
  tile.return
}

tile.kernel @select() {
  %c = arith.constant dense<[true, false]> : tensor<2xi1>
  %t = arith.constant true
  %a = arith.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %b = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %r = arith.select %c, %a, %b : tensor<2xi1>, tensor<2xf32>
  %e = arith.constant dense<[1.0, 4.0]> : tensor<2xf32>
  check.expect_eq %r, %e : tensor<2xf32>
  %w = arith.select %t, %b, %a : tensor<2xf32>
  check.expect_eq %w, %b : tensor<2xf32>
  tile.return
}
