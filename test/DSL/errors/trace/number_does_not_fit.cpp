// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Numbers are checked against the element type.
void misuse(Program &p) {
  p.grid({1});
  auto i = p.arange(64) + 5000000000;
  // CHECK: number_does_not_fit.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 5000000000 does not fit 'i32'
  auto h = p.zeros<f16>({64}) + 1e6;
  // CHECK: number_does_not_fit.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 1.000000e+06 does not fit 'f16'
}
