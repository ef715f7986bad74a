// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Dimensions count from zero.
void misuse(Program &p) {
  auto X = p.input<f32, 2>("x");
  p.grid({X.size(2)});
  // CHECK: no_such_dimension.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'size' expects a dimension in [0, 2), got 2
}
