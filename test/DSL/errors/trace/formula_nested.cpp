// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A host formula that is longer than a runtime reads.
void misuse(Program &p) {
  auto X = p.input<f32, 1>("x");
  auto n = X.size(0);
  for (int i = 1; i <= 200; ++i)
    n = n + i;
  // CHECK: formula_nested.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'arith.addi' op nests its formula 129 deep, expected at most 128
  p.grid({n});
}
