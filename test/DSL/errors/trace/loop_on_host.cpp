// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Instances have loops, the host has none.
void misuse(Program &p) {
  auto X = p.output<f32, 2>("x", {16, 16});
  p.each(Range{0, X.size(0)}, [](Index) {});
  // CHECK: loop_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a loop belongs in a kernel: call p.grid() or p.launch() first
  p.grid({1});
}
