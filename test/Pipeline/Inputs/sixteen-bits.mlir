// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed in f32 and rounded to 16 bits: functions and reductions, of tiles in four warps.
tile.program @sixteen_bits(%q: !tile.view<4xf16> {tile.name = "q", tile.role = "input"},
                           %functions: !tile.view<3xf16> {tile.name = "functions", tile.role = "output"},
                           %sums: !tile.view<2xf16> {tile.name = "sums", tile.role = "output"},
                           %brains: !tile.view<2xbf16> {tile.name = "brains", tile.role = "output"},
                           %distances: !tile.view<1xi32> {tile.name = "distances", tile.role = "output"}) {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  tile.shape %functions [%c3, %c64, %c32] : !tile.view<3xf16>
  tile.shape %sums [%c2, %c64] : !tile.view<2xf16>
  tile.shape %brains [%c2, %c32] : !tile.view<2xbf16>
  tile.shape %distances [%c64] : !tile.view<1xi32>
  tile.launch @block grid(%c1, %c1, %c1) (%q, %functions, %sums, %brains, %distances)
      : !tile.view<4xf16>, !tile.view<3xf16>, !tile.view<2xf16>, !tile.view<2xbf16>, !tile.view<1xi32>
  tile.return
}

tile.kernel @block(%q: !tile.view<4xf16>, %functions: !tile.view<3xf16>, %sums: !tile.view<2xf16>, %brains: !tile.view<2xbf16>,
                   %distances: !tile.view<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %head = tile.slice %q [%c0, %c0] at [0, 1] : !tile.view<4xf16> -> !tile.view<2xf16>
  %x = tile.load %head [%c0, %c0] : !tile.view<2xf16> -> tensor<64x32xf16>

  %f0 = tile.slice %functions [%c0] at [0] : !tile.view<3xf16> -> !tile.view<2xf16>
  %f1 = tile.slice %functions [%c1] at [0] : !tile.view<3xf16> -> !tile.view<2xf16>
  %f2 = tile.slice %functions [%c2] at [0] : !tile.view<3xf16> -> !tile.view<2xf16>
  %power = math.exp2 %x : tensor<64x32xf16>
  %bent = math.tanh %x : tensor<64x32xf16>
  %size = math.absf %x : tensor<64x32xf16>
  %root = math.sqrt %size : tensor<64x32xf16>
  tile.store %power, %f0 [%c0, %c0] : tensor<64x32xf16>, !tile.view<2xf16>
  tile.store %bent, %f1 [%c0, %c0] : tensor<64x32xf16>, !tile.view<2xf16>
  tile.store %root, %f2 [%c0, %c0] : tensor<64x32xf16>, !tile.view<2xf16>

  %s0 = tile.slice %sums [%c0] at [0] : !tile.view<2xf16> -> !tile.view<1xf16>
  %s1 = tile.slice %sums [%c1] at [0] : !tile.view<2xf16> -> !tile.view<1xf16>
  %sum = tile.reduce sum %power, 1 : tensor<64x32xf16> -> tensor<64xf16>
  %largest = tile.reduce max %x, 1 : tensor<64x32xf16> -> tensor<64xf16>
  tile.store %sum, %s0 [%c0] : tensor<64xf16>, !tile.view<1xf16>
  tile.store %largest, %s1 [%c0] : tensor<64xf16>, !tile.view<1xf16>

  // Along the rows, which the warps share.
  %b0 = tile.slice %brains [%c0] at [0] : !tile.view<2xbf16> -> !tile.view<1xbf16>
  %b1 = tile.slice %brains [%c1] at [0] : !tile.view<2xbf16> -> !tile.view<1xbf16>
  %wide = arith.extf %x : tensor<64x32xf16> to tensor<64x32xf32>
  %brain = arith.truncf %wide : tensor<64x32xf32> to tensor<64x32xbf16>
  %down = tile.reduce sum %brain, 0 : tensor<64x32xbf16> -> tensor<32xbf16>
  %least = tile.reduce min %brain, 0 : tensor<64x32xbf16> -> tensor<32xbf16>
  %exponential = math.exp2 %down : tensor<32xbf16>
  tile.store %exponential, %b0 [%c0] : tensor<32xbf16>, !tile.view<1xbf16>
  tile.store %least, %b1 [%c0] : tensor<32xbf16>, !tile.view<1xbf16>

  %rows = tile.iota : tensor<64xi32>
  %middle = arith.constant dense<32> : tensor<64xi32>
  %difference = arith.subi %rows, %middle : tensor<64xi32>
  %distance = math.absi %difference : tensor<64xi32>
  tile.store %distance, %distances [%c0] : tensor<64xi32>, !tile.view<1xi32>
  tile.return
}
