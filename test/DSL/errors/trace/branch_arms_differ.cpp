// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// What follows a branch does not know which arm was taken.
void misuse(Program &p) {
  auto [n] = p.grid({8});
  // CHECK: branch_arms_differ.cpp:[[@LINE+1]]:{{[0-9]+}}: error: tile 0 of a branch's result is 'tensor<64xf32>' in the one arm and 'tensor<32xf32>' in the other
  p.branch(n > 3, [&] { return cast<f32>(p.arange(64) + n); },
           // CHECK: branch_arms_differ.cpp:[[@LINE-1]]:{{[0-9]+}}: note: the one comes from here
           // CHECK: branch_arms_differ.cpp:[[@LINE+1]]:{{[0-9]+}}: note: the other comes from here
           [&] { return cast<f32>(p.arange(32) + n); });
}
