// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Kernels speak to each other through memory.
void misuse(Program &p) {
  auto X = p.inout<f32, 1>("x");
  Tile<f32, 1> x;
  p.launch("first", {1}, [&](Index) { x = load(X, {0}, {64}); });
  p.launch("second", {1}, [&](Index) { store(X, {0}, x); });
  // CHECK: value_leaves_kernel.cpp:[[@LINE-1]]:{{[0-9]+}}: error: uses a value of another kernel: pass it through a workspace
  // CHECK: value_leaves_kernel.cpp:[[@LINE-3]]:{{[0-9]+}}: note: computed here
}
