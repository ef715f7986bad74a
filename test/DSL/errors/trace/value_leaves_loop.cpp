// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// What a loop computes leaves it as state.
void misuse(Program &p) {
  auto [n] = p.grid({8});
  auto last = p.zeros<f32>({64});
  p.each({0, n, 1}, [&](Index i) {
    last = cast<f32>(p.arange(64) + i);
    // CHECK: value_leaves_loop.cpp:[[@LINE+2]]:{{[0-9]+}}: error: uses a value of a loop's body after the loop: return it from the body as state
  });
  auto y = exp(last);
  // CHECK: value_leaves_loop.cpp:[[@LINE-4]]:{{[0-9]+}}: note: computed in the loop here
}
