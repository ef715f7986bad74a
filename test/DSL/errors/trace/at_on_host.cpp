// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Rows are chosen by instances.
void misuse(Program &p) {
  auto X = p.output<f32, 2>("x", {16, 16});
  auto row = X.at(0);
  // CHECK: at_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: at() belongs in a kernel: call p.grid() or p.launch() first
  p.grid({1});
}
