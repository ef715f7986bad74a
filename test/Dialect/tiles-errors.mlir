// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --split-input-file --verify-diagnostics

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
