// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// The host side has sizes, not elements.
void misuse(Program &p) {
  auto X = p.input<f32, 1>("x");
  auto x = load(X, {0}, {64});
  // CHECK: load_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: load belongs in a kernel: call p.grid() or p.launch() first
  p.grid({1});
  store(X, {0}, x); // the view is wrong as well, but the poisoned tile adds nothing
  // CHECK: load_on_host.cpp:[[@LINE-1]]:{{[0-9]+}}: error: stores to 'x'
}
