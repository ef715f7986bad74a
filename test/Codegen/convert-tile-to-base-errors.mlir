// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base --split-input-file --verify-diagnostics
#one = #tile.layout<registers = [], lanes = [2:0:1, 16:0:0], warps = [4:0:0]>

tile.kernel @constant() attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  // expected-error @+1 {{expected a tile constant whose elements are all equal}}
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32, #one>
  tile.return
}

// -----

#one = #tile.layout<registers = [], lanes = [2:0:1, 16:0:0], warps = [4:0:0]>
tile.kernel @unknown() attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c = arith.constant dense<1.0> : tensor<2xf32, #one>
  // expected-error @+1 {{'math.sin' has no lowering to a GPU}}
  %s = math.sin %c : tensor<2xf32, #one>
  tile.return
}

// -----

#one = #tile.layout<registers = [], lanes = [2:0:1, 16:0:0], warps = [4:0:0]>
tile.kernel @double() attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c = arith.constant dense<1.0> : tensor<2xf64, #one>
  // expected-error @+1 {{'math.exp2' runs on f16, bf16 and f32, got 'tensor<2xf64}}
  %s = math.exp2 %c : tensor<2xf64, #one>
  tile.return
}

// -----

#pairs = #tile.layout<registers = [2:0:1], lanes = [32:0:2], warps = []>
tile.kernel @reduced() attributes {schedule = #tile.schedule<warps = 1, stages = 2>} {
  %c = arith.constant dense<1.0> : tensor<64xf64, #pairs>
  // expected-error @+1 {{expected a tile of f16, bf16, f32 or i32, got 'tensor<64xf64}}
  %s = tile.reduce sum %c, 0 : tensor<64xf64, #pairs> -> f64
  tile.return
}

// -----

#rows = #tile.layout<registers = [], lanes = [32:0:1], warps = []>
#columns = #tile.layout<registers = [2:0:1], lanes = [16:0:2, 2:0:0], warps = []>
tile.kernel @elsewhere() attributes {schedule = #tile.schedule<warps = 1, stages = 2>} {
  %c = arith.constant dense<1.0> : tensor<32xf32, #rows>
  // expected-error @+1 {{expected layouts under which each thread holds what it needs}}
  %s = tile.expand %c, 1 : tensor<32xf32, #rows> -> tensor<32x1xf32, #columns>
  tile.return
}

// -----

#acc = #tile.layout<registers = [2:1:1, 2:0:8], lanes = [4:1:2, 8:0:1], warps = [2:1:8]>
tile.kernel @columns() attributes {schedule = #tile.schedule<warps = 2, stages = 2>} {
  %a = tile.alloc : !tile.buffer<16x16xf16, <1, 2>>
  %b = tile.alloc : !tile.buffer<16x16xf16, <1, 2>>
  %c = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  // expected-error @+1 {{expected a multiple of 16 columns for each warp, got 8}}
  %d = tile.dot %a, %b, %c : !tile.buffer<16x16xf16, <1, 2>>, !tile.buffer<16x16xf16, <1, 2>>, tensor<16x16xf32, #acc>
  tile.return
}

// -----

tile.kernel @without_layouts() attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c = arith.constant 0.0 : f32
  // expected-error @+1 {{'tile.splat' expected tiles with layouts, which tile-assign-layouts gives them}}
  %t = tile.splat %c : f32 -> tensor<64xf32>
  tile.return
}

// -----

// expected-error @+1 {{'tile.kernel' op expected a schedule, which tile-choose-schedule gives it}}
tile.kernel @without_schedule() {
  tile.return
}
