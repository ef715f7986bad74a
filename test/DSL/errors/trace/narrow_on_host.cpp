// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Parts of views are chosen by instances.
void misuse(Program &p) {
  auto X = p.output<f32, 2>("x", {16, 16});
  auto part = X.narrow(0, 0, 8);
  // CHECK: narrow_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: narrow() belongs in a kernel: call p.grid() or p.launch() first
  p.grid({1});
}
