// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s

tile.kernel @dot() {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf16>
  %b = arith.constant dense<[[1.0, 0.0, -1.0], [2.0, 1.0, 0.5]]> : tensor<2x3xf16>
  %c = arith.constant dense<100.0> : tensor<3x3xf32>
  %r = tile.dot %a, %b, %c : tensor<3x2xf16>, tensor<2x3xf16>, tensor<3x3xf32>
  %e = arith.constant dense<[[105.0, 102.0, 100.0], [111.0, 104.0, 99.0], [117.0, 106.0, 98.0]]> : tensor<3x3xf32>
  check.expect_eq %r, %e : tensor<3x3xf32>
  tile.return
}

// 128 products of 64 * 64 do not fit f16; sums are fp32.
tile.kernel @dot_beyond_f16() {
  %a = arith.constant dense<64.0> : tensor<16x128xf16>
  %b = arith.constant dense<64.0> : tensor<128x8xf16>
  %c = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.dot %a, %b, %c : tensor<16x128xf16>, tensor<128x8xf16>, tensor<16x8xf32>
  %e = arith.constant dense<524288.0> : tensor<16x8xf32>
  check.expect_eq %r, %e : tensor<16x8xf32>
  tile.return
}

// A block of 16 is summed exactly before it meets the accumulator, which rounds: 2^24 + 16 * 1, not 16 times 2^24 + 1.
tile.kernel @dot_blocks_of_16() {
  %a = arith.constant dense<1.0> : tensor<1x16xbf16>
  %b = arith.constant dense<1.0> : tensor<16x1xbf16>
  %c = arith.constant dense<16777216.0> : tensor<1x1xf32>
  %r = tile.dot %a, %b, %c : tensor<1x16xbf16>, tensor<16x1xbf16>, tensor<1x1xf32>
  %e = arith.constant dense<16777232.0> : tensor<1x1xf32>
  check.expect_eq %r, %e : tensor<1x1xf32>
  tile.return
}

tile.kernel @dot_f32() {
  %a = arith.constant dense<[[1.5, 2.0]]> : tensor<1x2xf32>
  %b = arith.constant dense<[[2.0], [0.25]]> : tensor<2x1xf32>
  %c = arith.constant dense<0.0> : tensor<1x1xf32>
  %r = tile.dot %a, %b, %c : tensor<1x2xf32>, tensor<2x1xf32>, tensor<1x1xf32>
  %e = arith.constant dense<3.5> : tensor<1x1xf32>
  check.expect_eq %r, %e : tensor<1x1xf32>
  tile.return
}

tile.kernel @weigh() {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  %seen = arith.constant dense<[[true, true], [false, true]]> : tensor<2x2xi1>
  %v = arith.constant dense<[[1.0, 10.0], [2.0, 20.0]]> : tensor<2x2xf16>
  %c = arith.constant dense<0.5> : tensor<2x2xf32>
  %r = tile.weigh %w, %seen, %v, %c : tensor<2x2xf16>, tensor<2x2xi1>, tensor<2x2xf16>, tensor<2x2xf32>
  %e = arith.constant dense<[[5.5, 50.5], [8.5, 80.5]]> : tensor<2x2xf32>
  check.expect_eq %r, %e : tensor<2x2xf32>
  tile.return
}

// Row 1 does not see value 0: neither its NaN nor its weight's changes a bit. Row 0 sees it, with weight 0, in column 0.
tile.kernel @weigh_invisible_and_visible_nan() {
  %w = arith.constant dense<[[0.0, 2.0], [0x7E00, 4.0]]> : tensor<2x2xf16>
  %seen = arith.constant dense<[[true, true], [false, true]]> : tensor<2x2xi1>
  %v = arith.constant dense<[[0x7E00, 10.0], [2.0, 20.0]]> : tensor<2x2xf16>
  %c = arith.constant dense<0.5> : tensor<2x2xf32>
  %r = tile.weigh %w, %seen, %v, %c : tensor<2x2xf16>, tensor<2x2xi1>, tensor<2x2xf16>, tensor<2x2xf32>
  %e = arith.constant dense<[[0x7FC00000, 40.5], [8.5, 80.5]]> : tensor<2x2xf32>
  check.expect_eq %r, %e : tensor<2x2xf32>
  tile.return
}

// 0 * infinity is NaN, as semantics has it: a visible non-finite value poisons its column even with weight 0.
tile.kernel @weigh_visible_infinity() {
  %w = arith.constant dense<[[0.0]]> : tensor<1x1xbf16>
  %seen = arith.constant dense<true> : tensor<1x1xi1>
  %v = arith.constant dense<[[0x7F80, 1.0]]> : tensor<1x2xbf16>
  %c = arith.constant dense<1.0> : tensor<1x2xf32>
  %r = tile.weigh %w, %seen, %v, %c : tensor<1x1xbf16>, tensor<1x1xi1>, tensor<1x2xbf16>, tensor<1x2xf32>
  %e = arith.constant dense<[[0x7FC00000, 1.0]]> : tensor<1x2xf32>
  check.expect_eq %r, %e : tensor<1x2xf32>
  tile.return
}

// A row that sees nothing keeps its accumulator, even the sign of a zero.
tile.kernel @weigh_nothing_visible() {
  %w = arith.constant dense<1.0> : tensor<1x2xf16>
  %seen = arith.constant dense<false> : tensor<1x2xi1>
  %v = arith.constant dense<0x7C00> : tensor<2x2xf16>
  %c = arith.constant dense<[[-0.0, 3.0]]> : tensor<1x2xf32>
  %r = tile.weigh %w, %seen, %v, %c : tensor<1x2xf16>, tensor<1x2xi1>, tensor<2x2xf16>, tensor<1x2xf32>
  check.expect_eq %r, %c : tensor<1x2xf32>
  tile.return
}
