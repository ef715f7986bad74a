// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// `!` alone takes no line from its operand: what was traced before it is named.
void misuse(Program &p) {
  p.grid({1});
  auto rows = p.arange(16);
  Tile<i1, 1> mask;
  auto rest = !mask;
  // CHECK: not_without_a_line.cpp:[[@LINE-3]]:{{[0-9]+}}: error: uses a tile that was never given a value
}
