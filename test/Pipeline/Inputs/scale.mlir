// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = factor * x, a block of 1024 numbers per instance.
tile.program @scale(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"},
                    %y: !tile.view<1xf32> {tile.name = "y", tile.role = "output"},
                    %factor: f32 {tile.name = "factor", tile.role = "scalar", tile.default = 0.5 : f32}) {
  %n = tile.size %x, 0 : !tile.view<1xf32> -> i64
  %c1024 = arith.constant 1024 : i64
  %c1 = arith.constant 1 : i64
  tile.shape %y [%n] : !tile.view<1xf32>
  %blocks = arith.ceildivsi %n, %c1024 : i64
  tile.launch @scale_block grid(%blocks, %c1, %c1) (%x, %y, %factor) : !tile.view<1xf32>, !tile.view<1xf32>, f32
  tile.return
}
tile.kernel @scale_block(%x: !tile.view<1xf32>, %y: !tile.view<1xf32>, %factor: f32) {
  %i = tile.program_id 0
  %c1024 = arith.constant 1024 : i32
  %at = arith.muli %i, %c1024 : i32
  %t = tile.load %x [%at] : !tile.view<1xf32> -> tensor<1024xf32>
  %f = tile.splat %factor : f32 -> tensor<1024xf32>
  %u = arith.mulf %t, %f : tensor<1024xf32>
  tile.store %u, %y [%at] : tensor<1024xf32>, !tile.view<1xf32>
  tile.return
}
