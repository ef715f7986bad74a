// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A tile's dimensions count from zero too.
void misuse(Program &p) {
  p.grid({1});
  auto x = p.full<f32>(0, {32, 64});
  int columns = x.extent(2);
  // CHECK: extent_dimension.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected a dimension in [0, 2), got 2
}
