// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A view is narrowed along a dimension that it has.
void misuse(Program &p) {
  auto X = p.input<f32, 2>("x");
  p.grid({1});
  auto part = X.narrow(2, 0, 16);
  // CHECK: narrow_dimension.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'narrow' expects a dimension in [0, 2), got 2
}
