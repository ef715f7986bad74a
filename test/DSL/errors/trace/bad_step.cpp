// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A loop moves forward.
void misuse(Program &p) {
  auto [n] = p.grid({8});
  p.each({0, n, 0}, [&](Index) {});
  // CHECK: bad_step.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected a loop step of at least 1, got 0
}
