// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A formula over sizes has one type.
void misuse(Program &p) {
  auto X = p.input<f32, 1>("x");
  auto n = cast<f32>(X.size(0));
  // CHECK: cast_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'cast' has no host formula: use it inside the kernel
  p.grid({1});
}
