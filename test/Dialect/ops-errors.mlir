// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --split-input-file --verify-diagnostics

tile.kernel @program_id() {
  // expected-error @+1 {{expected a dimension in [0, 3), got 3}}
  %i = tile.program_id 3
  tile.return
}

// -----

tile.kernel @size(%x: !tile.view<2xf16>) {
  // expected-error @+1 {{expected a dimension in [0, 2), got 2}}
  %n = tile.size %x, 2 : !tile.view<2xf16> -> i32
  tile.return
}

// -----

tile.kernel @stride(%x: !tile.view<2xf16>) {
  // expected-error @+1 {{expected a dimension in [0, 2), got -1}}
  %n = tile.stride %x, -1 : !tile.view<2xf16>
  tile.return
}

// -----

tile.kernel @narrow(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected a dimension in [0, 2), got 5}}
  %n = tile.narrow %x, 5 [%i, %i] : !tile.view<2xf16>
  tile.return
}

// -----

tile.kernel @slice_count(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected 2 indices, got 1}}
  %n = tile.slice %x [%i] at [0, 1] : !tile.view<2xf16> -> !tile.view<0xf16>
  tile.return
}

// -----

tile.kernel @slice_dim(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected a dimension in [0, 2), got 2}}
  %n = tile.slice %x [%i] at [2] : !tile.view<2xf16> -> !tile.view<1xf16>
  tile.return
}

// -----

tile.kernel @slice_order(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected dimensions in ascending order, got 0 after 1}}
  %n = tile.slice %x [%i, %i] at [1, 0] : !tile.view<2xf16> -> !tile.view<0xf16>
  tile.return
}

// -----

tile.kernel @slice_result(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected a result of '!tile.view<1xf16>', got '!tile.view<2xf16>'}}
  %n = tile.slice %x [%i] at [0] : !tile.view<2xf16> -> !tile.view<2xf16>
  tile.return
}

// -----

tile.kernel @load_rank(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected a tile of rank 2 for '!tile.view<2xf16>', got 'tensor<8xf16>'}}
  %t = tile.load %x [%i] : !tile.view<2xf16> -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @load_element(%x: !tile.view<1xf16>, %i: i32) {
  // expected-error @+1 {{expected a tile of 'f16' for '!tile.view<1xf16>', got 'tensor<8xf32>'}}
  %t = tile.load %x [%i] : !tile.view<1xf16> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @load_offsets(%x: !tile.view<2xf16>, %i: i32) {
  // expected-error @+1 {{expected 2 offsets, got 1}}
  %t = tile.load %x [%i] : !tile.view<2xf16> -> tensor<8x8xf16>
  tile.return
}

// -----

tile.kernel @load_padding(%x: !tile.view<1xf16>, %i: i32) {
  // expected-error @+1 {{expected padding of 'f16', got 0.000000e+00 : f32}}
  %t = tile.load %x [%i] pad 0.0 : f32 : !tile.view<1xf16> -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @load_dynamic(%x: !tile.view<1xf16>, %i: i32) {
  // expected-error @+1 {{result #0 must be a tile (a tensor of static shape), but got 'tensor<?xf16>'}}
  %t = tile.load %x [%i] : !tile.view<1xf16> -> tensor<?xf16>
  tile.return
}

// -----

tile.kernel @store(%x: !tile.view<1xf16>, %t: !tile.view<1xf16>, %i: i32) {
  %v = tile.load %t [%i] : !tile.view<1xf16> -> tensor<8xf16>
  // expected-error @+1 {{expected 1 offsets, got 2}}
  tile.store %v, %x [%i, %i] : tensor<8xf16>, !tile.view<1xf16>
  tile.return
}

// -----

tile.kernel @dot_depth() {
  %a = arith.constant dense<0.0> : tensor<8x16xf16>
  %b = arith.constant dense<0.0> : tensor<8x16xf16>
  %c = arith.constant dense<0.0> : tensor<8x16xf32>
  // expected-error @+1 {{contracts 16 columns of the left tile with 8 rows of the right tile}}
  %r = tile.dot %a, %b, %c : tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf32>
  tile.return
}

// -----

tile.kernel @dot_rank() {
  %a = arith.constant dense<0.0> : tensor<8xf16>
  %b = arith.constant dense<0.0> : tensor<8x16xf16>
  %c = arith.constant dense<0.0> : tensor<8x16xf32>
  // expected-error @+1 {{expected operands of rank 2, got 'tensor<8xf16>'}}
  %r = tile.dot %a, %b, %c : tensor<8xf16>, tensor<8x16xf16>, tensor<8x16xf32>
  tile.return
}

// -----

tile.kernel @dot_accumulator_shape() {
  %a = arith.constant dense<0.0> : tensor<8x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x8xf16>
  %c = arith.constant dense<0.0> : tensor<8x16xf32>
  // expected-error @+1 {{expected an accumulator of shape 8x8, got 'tensor<8x16xf32>'}}
  %r = tile.dot %a, %b, %c : tensor<8x16xf16>, tensor<16x8xf16>, tensor<8x16xf32>
  tile.return
}

// -----

tile.kernel @dot_accumulator_type() {
  %a = arith.constant dense<0.0> : tensor<8x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x8xf16>
  %c = arith.constant dense<0.0> : tensor<8x8xf16>
  // expected-error @+1 {{expected an accumulator of f32, got 'tensor<8x8xf16>'}}
  %r = tile.dot %a, %b, %c : tensor<8x16xf16>, tensor<16x8xf16>, tensor<8x8xf16>
  tile.return
}

// -----

tile.kernel @dot_types() {
  %a = arith.constant dense<0.0> : tensor<8x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x8xbf16>
  %c = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error @+1 {{expected operands of one element type, got 'f16' and 'bf16'}}
  %r = tile.dot %a, %b, %c : tensor<8x16xf16>, tensor<16x8xbf16>, tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @weigh_visibility() {
  %w = arith.constant dense<0.0> : tensor<8x16xf16>
  %s = arith.constant dense<true> : tensor<16x8xi1>
  %v = arith.constant dense<0.0> : tensor<16x8xf16>
  %c = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error @+1 {{expected visibility of i1 in the shape of 'tensor<8x16xf16>', got 'tensor<16x8xi1>'}}
  %r = tile.weigh %w, %s, %v, %c : tensor<8x16xf16>, tensor<16x8xi1>, tensor<16x8xf16>, tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @weigh_depth() {
  %w = arith.constant dense<0.0> : tensor<8x16xf16>
  %s = arith.constant dense<true> : tensor<8x16xi1>
  %v = arith.constant dense<0.0> : tensor<8x8xf16>
  %c = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error @+1 {{contracts 16 columns of the left tile with 8 rows of the right tile}}
  %r = tile.weigh %w, %s, %v, %c : tensor<8x16xf16>, tensor<8x16xi1>, tensor<8x8xf16>, tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @reduce_dim() {
  %a = arith.constant dense<0.0> : tensor<8x16xf32>
  // expected-error @+1 {{expected a dimension in [0, 2), got 2}}
  %r = tile.reduce sum %a, 2 : tensor<8x16xf32> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @reduce_shape() {
  %a = arith.constant dense<0.0> : tensor<8x16xf32>
  // expected-error @+1 {{expected a result of shape 8, got 'tensor<16xf32>'}}
  %r = tile.reduce sum %a, 1 : tensor<8x16xf32> -> tensor<16xf32>
  tile.return
}

// -----

tile.kernel @reduce_type() {
  %a = arith.constant dense<0.0> : tensor<8x16xf32>
  // expected-error @+1 {{expected a tile of 'f32', got 'tensor<8xf16>'}}
  %r = tile.reduce sum %a, 1 : tensor<8x16xf32> -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @reduce_scalar() {
  %a = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @+1 {{expected a result of 'f32', got 'i32'}}
  %r = tile.reduce sum %a, 0 : tensor<8xf32> -> i32
  tile.return
}

// -----

tile.kernel @expand_dim() {
  %a = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @+1 {{expected a dimension in [0, 2), got 2}}
  %r = tile.expand %a, 2 : tensor<8xf32> -> tensor<8x1xf32>
  tile.return
}

// -----

tile.kernel @expand_shape() {
  %a = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @+1 {{expected a result of shape 8x1, got 'tensor<1x8xf32>'}}
  %r = tile.expand %a, 1 : tensor<8xf32> -> tensor<1x8xf32>
  tile.return
}

// -----

tile.kernel @broadcast_extent() {
  %a = arith.constant dense<0.0> : tensor<2x8xf32>
  // expected-error @+1 {{cannot repeat extent 2 to 4}}
  %r = tile.broadcast %a : tensor<2x8xf32> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @broadcast_rank() {
  %a = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @+1 {{expected a result of the source's rank and element type, got 'tensor<8xf32>' and 'tensor<4x8xf32>'}}
  %r = tile.broadcast %a : tensor<8xf32> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @transpose_rank() {
  %a = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @+1 {{expected a tile of rank 2, got 'tensor<8xf32>'}}
  %r = tile.transpose %a : tensor<8xf32> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @transpose_shape() {
  %a = arith.constant dense<0.0> : tensor<8x4xf32>
  // expected-error @+1 {{expected a result of shape 4x8, got 'tensor<8x4xf32>'}}
  %r = tile.transpose %a : tensor<8x4xf32> -> tensor<8x4xf32>
  tile.return
}

// -----

tile.kernel @iota() {
  // expected-error @+1 {{must be a tile of i32 of rank 1, but got 'tensor<2x2xi32>'}}
  %r = tile.iota : tensor<2x2xi32>
  tile.return
}

// -----

tile.kernel @splat(%x: f32) {
  // expected-error @+1 {{expected a scalar of 'f16', got 'f32'}}
  %r = tile.splat %x : f32 -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @any() {
  %a = arith.constant dense<0> : tensor<8xi32>
  // expected-error @+1 {{expected a tile of i1, got 'tensor<8xi32>'}}
  %r = tile.any %a : tensor<8xi32>
  tile.return
}
