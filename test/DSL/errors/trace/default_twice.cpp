// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A scalar has one default; who asks for it again need not repeat it.
void misuse(Program &p) {
  auto scale = p.scalar<f32>("scale", 0.5f);
  auto same = p.scalar<f32>("scale", 0.5f), unsaid = p.scalar<f32>("scale");
  auto other = p.scalar<f32>("scale", 3.f);
  // CHECK: default_twice.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'scale' is declared again with the default 3.000000e+00 : f32, but its default is 5.000000e-01 : f32
  // CHECK: default_twice.cpp:[[@LINE-4]]:{{[0-9]+}}: note: first declared here
  p.grid({1});
}
