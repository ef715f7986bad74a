// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Tiles are what instances compute with.
void misuse(Program &p) {
  auto X = p.output<f32, 2>("x", {16, 16});
  auto zeros = p.full<f32>(0, {16, 16});
  // CHECK: full_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a tile belongs in a kernel: call p.grid() or p.launch() first
  p.grid({1});
}
