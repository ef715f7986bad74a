// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Inputs are read only.
void misuse(Program &p) {
  auto X = p.input<f32, 2>("x");
  auto [i] = p.grid({X.size(0)});
  store(X.at(i), {0}, p.zeros<f32>({64}));
  // CHECK: store_to_input.cpp:[[@LINE-1]]:{{[0-9]+}}: error: stores to 'x', which is an input: declare it by p.output or p.inout
  // CHECK: store_to_input.cpp:[[@LINE-4]]:{{[0-9]+}}: note: declared here
}
