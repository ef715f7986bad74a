// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A default-constructed tile is nothing yet.
void misuse(Program &p) {
  p.grid({1});
  Tile<f32, 1> x;
  auto y = x + 1;
  // CHECK: never_given_a_value.cpp:[[@LINE-1]]:{{[0-9]+}}: error: uses a tile that was never given a value
}
