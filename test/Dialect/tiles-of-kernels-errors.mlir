// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --split-input-file --verify-diagnostics
//
// What lowering relies on: extents that a tile can have, and layouts that cover their tile with the kernel's warps.

tile.kernel @no_rows(%x: !tile.view<2xf16>) {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{expected tile extents from 1 to 1048576, and no more elements than that, got 'tensor<0x16xf16>'}}
  %a = tile.load %x[%c0, %c0] : !tile.view<2xf16> -> tensor<0x16xf16>
  tile.return
}

// -----

tile.kernel @too_many() {
  // expected-error @+1 {{and no more elements than that, got 'tensor<1073741824xi32>'}}
  %i = tile.iota : tensor<1073741824xi32>
  tile.return
}

// -----

tile.kernel @covers() {
  %i = tile.iota : tensor<256xi32, #tile.layout<registers = [2:0:1], lanes = [32:0:2], warps = [4:0:64]>>
  // More threads than elements hold some of them twice.
  %j = tile.iota : tensor<16xi32, #tile.layout<registers = [], lanes = [16:0:1, 2:0:0], warps = [4:0:0]>>
  tile.return
}

// -----

tile.kernel @dimension() {
  // expected-error @+1 {{expected a layout of 1 dimensions, got one with dimension 7}}
  %i = tile.iota : tensor<128xi32, #tile.layout<registers = [], lanes = [32:7:1], warps = [4:0:32]>>
  tile.return
}

// -----

tile.kernel @dimension_of_a_repetition() {
  // expected-error @+1 {{expected a layout of 1 dimensions, got one with dimension 7}}
  %i = tile.iota : tensor<128xi32, #tile.layout<registers = [2:7:0], lanes = [32:0:1], warps = [4:0:32]>>
  tile.return
}

// -----

tile.kernel @half() {
  // expected-error @+1 {{expected a layout that holds each of 256 positions along dimension 0, got one of 128}}
  %i = tile.iota : tensor<256xi32, #tile.layout<registers = [], lanes = [32:0:1], warps = [4:0:32]>>
  tile.return
}

// -----

tile.kernel @twice() {
  // expected-error @+1 {{expected a layout that holds each of 124 positions along dimension 0, got one that leaves some out or holds them apart}}
  %i = tile.iota : tensor<124xi32, #tile.layout<registers = [], lanes = [32:0:1], warps = [4:0:31]>>
  tile.return
}

// -----

tile.kernel @lanes() {
  // expected-error @+1 {{expected a layout that names the 32 lanes of a warp}}
  %i = tile.iota : tensor<16xi32, #tile.layout<registers = [], lanes = [16:0:1], warps = []>>
  tile.return
}

// -----

tile.kernel @warps() attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  // expected-error @+1 {{expected a layout of the schedule's 1 warps}}
  %i = tile.iota : tensor<128xi32, #tile.layout<registers = [], lanes = [32:0:1], warps = [4:0:32]>>
  tile.return
}

// -----

tile.kernel @registers() {
  // expected-error @+1 {{expected a layout with at most 1048576 registers}}
  %i = tile.iota : tensor<32xi32, #tile.layout<registers = [2000000000:0:0], lanes = [32:0:1], warps = []>>
  tile.return
}

// -----

tile.kernel @elements_elsewhere() {
  // expected-error @+1 {{expected a tile constant that lists its elements, got dense_resource<foo>}}
  %k = arith.constant dense_resource<foo> : tensor<4xi32>
  tile.return
}

// -----

tile.kernel @unsigned_positions(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{expected a loop over signed positions, got an unsigned one}}
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
  }
  tile.return
}
