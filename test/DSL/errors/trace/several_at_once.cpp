// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Independent faults are reported together; what follows from one is not.
void misuse(Program &p) {
  auto X = p.input<f16, 2>("x");
  auto [n] = p.grid({8});
  auto x = load(X, {0, 0}, {64, 32});
  auto s = dot(x, x);
  // CHECK: several_at_once.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'dot' contracts 32 columns of the left tile with 64 rows of the right tile
  auto m = exp(rowmax(s)) + 1; // poisoned: silent
  auto sum = p.fold({0, n, 1}, m, [&](Index, Tile<f32, 1> m) { return m + p.zeros<f32>({64}); });
  store(X, {0, 0}, cast<f16>(s - col(sum)));
  // CHECK: several_at_once.cpp:[[@LINE-1]]:{{[0-9]+}}: error: stores to 'x'
}
