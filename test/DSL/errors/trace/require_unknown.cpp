// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A requirement names one of the program's arguments, which may be declared after it; a workspace is none.
void misuse(Program &p) {
  auto X = p.input<f32, 1>("x");
  p.require(X.size(0) > 0, "nosuch", "at least one element");
  // CHECK: require_unknown.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'require' is about argument 'nosuch', expected one of: x, y
  p.require(X.size(0) > 1, "y", "at least two elements");
  // CHECK-NOT: require_unknown.cpp:[[@LINE-1]]
  p.require(X.size(0) > 2, "w", "at least three elements");
  // CHECK: require_unknown.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'require' is about argument 'w', expected one of: x, y
  auto Y = p.output<f32, 1>("y", {X.size(0)});
  auto W = p.workspace<f32, 1>("w", {X.size(0)});
  p.grid({1});
  store(Y, {0}, load(X, {0}, {16}));
}
