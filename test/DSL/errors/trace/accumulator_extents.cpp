// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A product is added to what has its shape.
void misuse(Program &p) {
  auto A = p.input<f16, 2>("a");
  p.grid({1});
  auto a = load(A, {0, 0}, {32, 16});
  auto acc = p.full<f32>(0, {32, 64});
  auto s = dot(a, trans(a), acc);
  // CHECK: accumulator_extents.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'dot' expects an accumulator of 32x32, got 'tensor<32x64xf32>'
  // CHECK: accumulator_extents.cpp:[[@LINE-3]]:{{[0-9]+}}: note: the accumulator comes from here
}
