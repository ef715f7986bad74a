// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Arguments are checked before a launch.
void misuse(Program &p) {
  auto X = p.input<f32, 1>("x");
  p.grid({1});
  p.require(X.size(0) > 0, "x", "at least one element");
  // CHECK: require_in_kernel.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'require' checks arguments before a launch: state it before p.grid() and outside p.launch()
}
