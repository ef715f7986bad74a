// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Nothing is stored before a launch.
void misuse(Program &p) {
  auto X = p.output<f32, 2>("x", {16, 16});
  store(X, {0, 0}, Tile<f32, 2>());
  // CHECK: store_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: store belongs in a kernel: call p.grid() or p.launch() first
  p.grid({1});
}
