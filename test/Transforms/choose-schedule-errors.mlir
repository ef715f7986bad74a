// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-choose-schedule="warps=8" --split-input-file --verify-diagnostics

// Eight warps would be three by two, and two of them would own what others own.
tile.kernel @rows() {
  %a = arith.constant dense<0.0> : tensor<48x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x32xf16>
  %c = arith.constant dense<0.0> : tensor<48x32xf32>
  // expected-error @+1 {{of 48 x 32 cannot be shared evenly by 8 warps in blocks of 16 x 16; 2 can}}
  %d = tile.dot %a, %b, %c : tensor<48x16xf16>, tensor<16x32xf16>, tensor<48x32xf32>
  tile.return
}

// -----

tile.kernel @columns() {
  %a = arith.constant dense<0.0> : tensor<32x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x16xf16>
  %c = arith.constant dense<0.0> : tensor<32x16xf32>
  // expected-error @+1 {{of 32 x 16 cannot be shared evenly by 8 warps in blocks of 16 x 16; 2 can}}
  %d = tile.dot %a, %b, %c : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
  tile.return
}
