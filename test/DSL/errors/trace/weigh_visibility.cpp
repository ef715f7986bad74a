// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Every weight is visible or not.
void misuse(Program &p) {
  p.grid({1});
  auto w = p.zeros<f16>({64, 32}), v = p.zeros<f16>({32, 16});
  auto seen = col(p.arange(32)) < 8;
  auto o = weigh(w, seen, v, p.zeros<f32>({64, 16}));
  // CHECK: weigh_visibility.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'weigh' expects visibility in the shape of the weights, 'tensor<64x32xf16>', got 'tensor<32x1xi1>'
}
