// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-assign-layouts --verify-diagnostics --split-input-file

// expected-error @+1 {{expected a schedule; run --tile-choose-schedule first}}
tile.kernel @unscheduled(%x: !tile.view<1xf32>) {
  tile.return
}

// -----

// 70 and 100 have one and two factors of 2, for 128 threads.
tile.kernel @odd(%x: !tile.view<2xf32>) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{makes a tile of 100x70 elements, of which each thread of 4 warps would hold 1750: expected at most 512; choose smaller extents or such with more factors of 2, or more warps}}
  %t = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<100x70xf32>
  tile.store %t, %x [%c0, %c0] : tensor<100x70xf32>, !tile.view<2xf32>
  tile.return
}

// -----

tile.kernel @huge(%x: !tile.view<2xf32>) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{makes a tile of 1024x1024 elements, of which each thread of 4 warps would hold 8192}}
  %t = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<1024x1024xf32>
  tile.store %t, %x [%c0, %c0] : tensor<1024x1024xf32>, !tile.view<2xf32>
  tile.return
}

// -----

// Constants have been merged by then and lie on no line of the kernel's; who uses them does.
tile.kernel @constant(%x: !tile.view<2xf32>) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %t = arith.constant dense<0.0> : tensor<1024x1024xf32>
  // expected-error @+1 {{'arith.constant' op makes a tile of 1024x1024 elements, of which each thread of 4 warps would hold 8192}}
  tile.store %t, %x [%c0, %c0] : tensor<1024x1024xf32>, !tile.view<2xf32>
  tile.return
}
