// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Elementwise operators broadcast extents of one and nothing else.
void misuse(Program &p) {
  p.grid({1});
  auto a = p.zeros<f32>({64, 64});
  auto b = p.zeros<f32>({64, 32});
  auto c = a + b;
  // CHECK: shapes_differ.cpp:[[@LINE-1]]:{{[0-9]+}}: error: '+' combines tiles of different shapes, 'tensor<64x64xf32>' and 'tensor<64x32xf32>'
  // CHECK: shapes_differ.cpp:[[@LINE-4]]:{{[0-9]+}}: note: the first comes from here
  // CHECK: shapes_differ.cpp:[[@LINE-4]]:{{[0-9]+}}: note: the second comes from here
}
