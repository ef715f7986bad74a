// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A tile has elements.
void misuse(Program &p) {
  p.grid({1});
  auto x = p.zeros<f32>({64, 0});
  // CHECK: bad_extent.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected tile extents from 1 to 1048576, got 0
  auto y = p.zeros<f32>({4096, 4096});
  // CHECK: bad_extent.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected a tile of at most 1048576 elements, got extents 4096x4096
}
