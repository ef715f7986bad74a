// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A kernel is made for a head dim that there can be.
void misuse(Program &p) {
  auto Q = p.input<f16, 4>("q"), K = p.input<f16, 4>("k"), V = p.input<f16, 4>("v");
  require_attention(p, Q, K, V, -1);
  // CHECK: head_dim.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected a kernel for a head dim of 1 or more, got head_dim = -1
  p.grid({1});
}
