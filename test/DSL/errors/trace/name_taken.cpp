// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Arguments and workspaces share their names' space.
void misuse(Program &p) {
  auto X = p.input<f32, 1>("x");
  auto W = p.workspace<f32, 1>("x", {16});
  // CHECK: name_taken.cpp:[[@LINE-1]]:{{[0-9]+}}: error: the name 'x' is taken
  // CHECK: name_taken.cpp:[[@LINE-3]]:{{[0-9]+}}: note: first declared here
  p.grid({1});
}
