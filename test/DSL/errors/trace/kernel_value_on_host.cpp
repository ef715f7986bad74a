// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Shapes of arguments are known before any kernel runs.
void misuse(Program &p) {
  auto X = p.input<f32, 1>("x");
  p.grid({1});
  auto n = X.size(0) / 2;
  p.output<f32, 1>("y", {n});
  // CHECK: kernel_value_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: uses a kernel's value on the host side
  // CHECK: kernel_value_on_host.cpp:[[@LINE-3]]:{{[0-9]+}}: note: computed in the kernel here; sizes are known to the host before p.grid()
}
