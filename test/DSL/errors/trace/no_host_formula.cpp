// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// What is computed on the host becomes a formula over sizes.
void misuse(Program &p) {
  auto scale = p.scalar<f32>("scale", 1);
  auto twice = scale * 2;
  // CHECK: no_host_formula.cpp:[[@LINE-1]]:{{[0-9]+}}: error: '*' on floating-point values has no host formula: use it inside the kernel
  auto e = exp2(scale);
  // CHECK: no_host_formula.cpp:[[@LINE-1]]:{{[0-9]+}}: error: a mathematical function has no host formula: use it inside the kernel
  p.grid({1});
}
