// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Positions are those of an instance.
void misuse(Program &p) {
  auto X = p.output<f32, 2>("x", {16, 16});
  auto rows = p.arange(16);
  // CHECK: arange_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: arange belongs in a kernel: call p.grid() or p.launch() first
  p.grid({1});
}
