// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --split-input-file --verify-diagnostics

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
