// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A program that launches nothing computes nothing.
void misuse(Program &p) {
  auto X = p.input<f32, 1>("x");
  p.require(X.size(0) > 0, "x", "at least one element, got {0}", {X.size(0)});
  // CHECK: no_kernel.cpp:[[@LINE-1]]:{{[0-9]+}}: error: program 'misuse' launches no kernel: call p.grid() or p.launch()
}
