// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a rank and an element type, as in !tile.view<4xf16>}}
tile.kernel @view_dims(%x: !tile.view<4x4xf16>) {
  tile.return
}

// -----

// expected-error @+1 {{expected a view of f16, bf16, f32, i32 or i1, got 'f64'}}
tile.kernel @view_element(%x: !tile.view<1xf64>) {
  tile.return
}

// -----

// expected-error @+1 {{expected a view of rank 0 to 8, got rank 9}}
tile.kernel @view_rank(%x: !tile.view<9xf32>) {
  tile.return
}

// -----

tile.kernel @buffer_rank() {
  // expected-error @+1 {{expected a buffer of rank 2, or a ring of rank 3, got rank 1}}
  %b = tile.alloc : !tile.buffer<8xf16, <0, 3>>
  tile.return
}

// -----

tile.kernel @digit() {
  // expected-error @+1 {{expected a digit radix:dim:stride with radix >= 1, dim >= 0 and stride >= 0}}
  %i = tile.iota : tensor<8xi32, #tile.layout<registers = [0:0:1], lanes = [], warps = []>>
  tile.return
}

// -----

tile.kernel @buffer_extent() {
  // expected-error @+1 {{expected a buffer with extents of at least 1, got 8x0}}
  %b = tile.alloc : !tile.buffer<8x0xf16, <0, 3>>
  tile.return
}

// -----

tile.kernel @buffer_element() {
  // expected-error @+1 {{expected a buffer of numbers of whole bytes, got 'i1'}}
  %b = tile.alloc : !tile.buffer<8x8xi1, <0, 3>>
  tile.return
}

// -----

tile.kernel @swizzle_leaves_the_row() {
  // expected-error @+1 {{expected rows of a multiple of 2^3 chunks of 16 bytes, which the swizzle permutes, got rows of 64 bytes}}
  %b = tile.alloc : !tile.buffer<8x32xf16, <3, 0>>
  tile.return
}

// -----

tile.kernel @swizzle_of_columns() {
  // expected-error @+1 {{expected rows of a multiple of 2^1 chunks of 16 bytes, which the swizzle permutes, got rows of 16 bytes}}
  %b = tile.alloc : !tile.buffer<8x32xf16, <1, 2>, transposed>
  tile.return
}

// -----

tile.kernel @swizzle_shift() {
  // expected-error @+1 {{expected a swizzle that shifts rows by at most 31, got 32}}
  %b = tile.alloc : !tile.buffer<8x64xf16, <3, 32>>
  tile.return
}
