// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// What an arm computes leaves it as its result.
void misuse(Program &p) {
  auto [n] = p.grid({8});
  auto kept = p.arange(64);
  // CHECK: value_leaves_branch.cpp:[[@LINE+3]]:{{[0-9]+}}: error: uses a value of a branch's arm outside of it: return it from both arms
  // CHECK: value_leaves_branch.cpp:[[@LINE+1]]:{{[0-9]+}}: note: computed in the branch here
  p.branch(n > 3, [&] { return kept = p.arange(64) + n; }, [&] { return p.arange(64); });
  auto y = kept + 1;
}
