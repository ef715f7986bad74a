// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --split-input-file --verify-diagnostics

tile.kernel @convert_shape() {
  %a = arith.constant dense<0.0> : tensor<8x4xf32>
  // expected-error @+1 {{expected equal shapes, got 'tensor<8x4xf32>' and 'tensor<4x8xf32>'}}
  %r = tile.convert_layout %a : tensor<8x4xf32> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @convert_type() {
  %a = arith.constant dense<0.0> : tensor<8x4xf32>
  // expected-error @+1 {{expected equal element types, got 'tensor<8x4xf32>' and 'tensor<8x4xf16>'}}
  %r = tile.convert_layout %a : tensor<8x4xf32> -> tensor<8x4xf16>
  tile.return
}

// -----

tile.kernel @slot_of_no_ring(%i: i32) {
  %b = tile.alloc : !tile.buffer<8x8xf16, <0, 3>>
  // expected-error @+1 {{expected a ring of rank 3, got '!tile.buffer<8x8xf16, <0, 3>>'}}
  %s = tile.slot %b [%i] : !tile.buffer<8x8xf16, <0, 3>> -> !tile.buffer<8x8xf16, <0, 3>>
  tile.return
}

// -----

tile.kernel @slot_result(%i: i32) {
  %b = tile.alloc : !tile.buffer<2x8x8xf16, <0, 3>>
  // expected-error @+1 {{expected a slot of '!tile.buffer<8x8xf16, <0, 3>>', got '!tile.buffer<8x16xf16, <0, 3>>'}}
  %s = tile.slot %b [%i] : !tile.buffer<2x8x8xf16, <0, 3>> -> !tile.buffer<8x16xf16, <0, 3>>
  tile.return
}

// -----

tile.kernel @copy(%x: !tile.view<2xf32>, %i: i32) {
  %b = tile.alloc : !tile.buffer<8x8xf16, <0, 3>>
  // expected-error @+1 {{expected a tile of 'f32' for '!tile.view<2xf32>', got 'tensor<8x8xf16>'}}
  tile.copy_async %x [%i, %i] to %b : !tile.view<2xf32>, !tile.buffer<8x8xf16, <0, 3>>
  tile.return
}

// -----

tile.kernel @read() {
  %b = tile.alloc : !tile.buffer<8x8xf16, <0, 3>>
  // expected-error @+1 {{expected equal shapes, got '!tile.buffer<8x8xf16, <0, 3>>' and 'tensor<8x4xf16>'}}
  %r = tile.read %b : !tile.buffer<8x8xf16, <0, 3>> -> tensor<8x4xf16>
  tile.return
}

// -----

tile.kernel @write() {
  %b = tile.alloc : !tile.buffer<8x8xf16, <0, 3>>
  %a = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error @+1 {{expected equal element types, got 'tensor<8x8xf32>' and '!tile.buffer<8x8xf16, <0, 3>>'}}
  tile.write %a, %b : tensor<8x8xf32>, !tile.buffer<8x8xf16, <0, 3>>
  tile.return
}

// -----

tile.kernel @copy_through_type(%x: !tile.view<2xf32>, %i: i32) {
  %b = tile.alloc : !tile.buffer<8x8xf16, <0, 3>>
  // expected-error @+1 {{expected a buffer of 'f32' where nothing is changed, got '!tile.buffer<8x8xf16, <0, 3>>'}}
  tile.copy %x [%i, %i] to %b : !tile.view<2xf32>, !tile.buffer<8x8xf16, <0, 3>>
  tile.return
}

// -----

tile.kernel @copy_through_rank(%x: !tile.view<1xf32>, %i: i32) {
  %b = tile.alloc : !tile.buffer<8x8xf32, <0, 3>>
  // expected-error @+1 {{expected a tile of rank 1 for '!tile.view<1xf32>', got 'tensor<8x8xf32>'}}
  tile.copy %x [%i] to %b : !tile.view<1xf32>, !tile.buffer<8x8xf32, <0, 3>>
  tile.return
}

// -----

tile.kernel @copy_through_body(%x: !tile.view<2xf32>, %i: i32) {
  %b = tile.alloc : !tile.buffer<8x8xf16, <0, 3>>
  // expected-error @+1 {{expected a body that takes 'f32' and yields 'f16'}}
  tile.copy %x [%i, %i] to %b : !tile.view<2xf32>, !tile.buffer<8x8xf16, <0, 3>> {
  ^bb0(%e: f32):
    tile.yield %e : f32
  }
  tile.return
}

// -----

tile.kernel @yield_outside(%x: f32) {
  // expected-error @+1 {{expects parent op 'tile.copy'}}
  tile.yield %x : f32
}

// -----

tile.kernel @wait() {
  // expected-error @+1 {{expected a number of groups that may be in flight, 0 or more, got -1}}
  tile.wait_copies -1
  tile.return
}
