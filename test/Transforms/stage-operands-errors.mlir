// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-stage-operands --split-input-file --verify-diagnostics

tile.kernel @extents() {
  %a = arith.constant dense<0.0> : tensor<64x72xf16>
  %b = arith.constant dense<0.0> : tensor<72x64xf16>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{expected extents that are multiples of 16, got 64 x 72 times 72 x 64}}
  %d = tile.dot %a, %b, %c : tensor<64x72xf16>, tensor<72x64xf16>, tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @elements() {
  %a = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<0.0> : tensor<64x64xf32>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{runs on tensor cores with operands of f16 or bf16, got 'f32'}}
  %d = tile.dot %a, %b, %c : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.return
}
