// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A tile has elements.
void misuse(Program &p) {
  p.grid({1});
  auto x = p.zeros<f32>({64, 0});
  // CHECK: bad_extent.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected tile extents from 1 to 1048576, got 0
}
