// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s

tile.kernel @iota() {
  %r = tile.iota : tensor<4xi32>
  %e = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  check.expect_eq %r, %e : tensor<4xi32>
  tile.return
}

tile.kernel @splat() {
  %x = arith.constant 2.5 : f16
  %r = tile.splat %x : f16 -> tensor<2x2xf16>
  %e = arith.constant dense<2.5> : tensor<2x2xf16>
  check.expect_eq %r, %e : tensor<2x2xf16>
  tile.return
}

tile.kernel @expand() {
  %a = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %c = tile.expand %a, 1 : tensor<3xi32> -> tensor<3x1xi32>
  %r = tile.expand %a, 0 : tensor<3xi32> -> tensor<1x3xi32>
  %ce = arith.constant dense<[[1], [2], [3]]> : tensor<3x1xi32>
  %re = arith.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  check.expect_eq %c, %ce : tensor<3x1xi32>
  check.expect_eq %r, %re : tensor<1x3xi32>
  tile.return
}

tile.kernel @broadcast() {
  %c = arith.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %r = arith.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %one = arith.constant dense<[[7]]> : tensor<1x1xi32>
  %cb = tile.broadcast %c : tensor<2x1xi32> -> tensor<2x3xi32>
  %rb = tile.broadcast %r : tensor<1x3xi32> -> tensor<2x3xi32>
  %ob = tile.broadcast %one : tensor<1x1xi32> -> tensor<2x3xi32>
  %same = tile.broadcast %cb : tensor<2x3xi32> -> tensor<2x3xi32>
  %ce = arith.constant dense<[[1, 1, 1], [2, 2, 2]]> : tensor<2x3xi32>
  %re = arith.constant dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
  %oe = arith.constant dense<7> : tensor<2x3xi32>
  check.expect_eq %cb, %ce : tensor<2x3xi32>
  check.expect_eq %rb, %re : tensor<2x3xi32>
  check.expect_eq %ob, %oe : tensor<2x3xi32>
  check.expect_eq %same, %ce : tensor<2x3xi32>
  tile.return
}

tile.kernel @broadcast_rank_3() {
  %a = arith.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi32>
  %r = tile.broadcast %a : tensor<2x1x2xi32> -> tensor<2x2x2xi32>
  %e = arith.constant dense<[[[1, 2], [1, 2]], [[3, 4], [3, 4]]]> : tensor<2x2x2xi32>
  check.expect_eq %r, %e : tensor<2x2x2xi32>
  tile.return
}

tile.kernel @transpose() {
  %a = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = tile.transpose %a : tensor<2x3xi32> -> tensor<3x2xi32>
  %e = arith.constant dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  check.expect_eq %r, %e : tensor<3x2xi32>
  tile.return
}

tile.kernel @reduce() {
  %a = arith.constant dense<[[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %s = tile.reduce sum %a, 1 : tensor<2x3xf32> -> tensor<2xf32>
  %x = tile.reduce max %a, 1 : tensor<2x3xf32> -> tensor<2xf32>
  %n = tile.reduce min %a, 0 : tensor<2x3xf32> -> tensor<3xf32>
  %all = tile.reduce sum %s, 0 : tensor<2xf32> -> f32
  %se = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %xe = arith.constant dense<[3.0, 5.0]> : tensor<2xf32>
  %ne = arith.constant dense<[1.0, -2.0, -6.0]> : tensor<3xf32>
  %alle = arith.constant 5.0 : f32
  check.expect_eq %s, %se : tensor<2xf32>
  check.expect_eq %x, %xe : tensor<2xf32>
  check.expect_eq %n, %ne : tensor<3xf32>
  check.expect_eq %all, %alle : f32
  tile.return
}

// NaN wins over everything, wherever it stands.
tile.kernel @reduce_nan() {
  %a = arith.constant dense<[[1.0, 0x7FC00000, 3.0], [0x7F800000, 2.0, 0xFF800000]]> : tensor<2x3xf32>
  %s = tile.reduce sum %a, 1 : tensor<2x3xf32> -> tensor<2xf32>
  %x = tile.reduce max %a, 1 : tensor<2x3xf32> -> tensor<2xf32>
  %n = tile.reduce min %a, 1 : tensor<2x3xf32> -> tensor<2xf32>
  %se = arith.constant dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>
  %xe = arith.constant dense<[0x7FC00000, 0x7F800000]> : tensor<2xf32>
  %ne = arith.constant dense<[0x7FC00000, 0xFF800000]> : tensor<2xf32>
  check.expect_eq %s, %se : tensor<2xf32>
  check.expect_eq %x, %xe : tensor<2xf32>
  check.expect_eq %n, %ne : tensor<2xf32>
  tile.return
}

tile.kernel @reduce_integers() {
  %a = arith.constant dense<[2147483647, 1, -7]> : tensor<3xi32>
  %s = tile.reduce sum %a, 0 : tensor<3xi32> -> i32
  %x = tile.reduce max %a, 0 : tensor<3xi32> -> i32
  %n = tile.reduce min %a, 0 : tensor<3xi32> -> i32
  %se = arith.constant 2147483641 : i32
  %xe = arith.constant 2147483647 : i32
  %ne = arith.constant -7 : i32
  check.expect_eq %s, %se : i32
  check.expect_eq %x, %xe : i32
  check.expect_eq %n, %ne : i32
  tile.return
}

// Added as f32 and rounded once: 2048 + 1 would be 2048 in f16.
tile.kernel @reduce_16_bits() {
  %a = arith.constant dense<[2048.0, 1.0, 1.0, 1.0]> : tensor<4xf16>
  %b = arith.constant dense<[256.0, 1.0, -2.0, 1.0]> : tensor<4xbf16>
  %s = tile.reduce sum %a, 0 : tensor<4xf16> -> f16
  %n = tile.reduce min %b, 0 : tensor<4xbf16> -> bf16
  %t = tile.reduce sum %b, 0 : tensor<4xbf16> -> bf16
  %se = arith.constant 2052.0 : f16
  %ne = arith.constant -2.0 : bf16
  %te = arith.constant 256.0 : bf16
  check.expect_eq %s, %se : f16
  check.expect_eq %n, %ne : bf16
  check.expect_eq %t, %te : bf16
  tile.return
}

tile.kernel @any() {
  %a = arith.constant dense<[[false, false], [true, false]]> : tensor<2x2xi1>
  %b = arith.constant dense<false> : tensor<2x2xi1>
  %ra = tile.any %a : tensor<2x2xi1>
  %rb = tile.any %b : tensor<2x2xi1>
  %t = arith.constant true
  %f = arith.constant false
  check.expect_eq %ra, %t : i1
  check.expect_eq %rb, %f : i1
  tile.return
}
