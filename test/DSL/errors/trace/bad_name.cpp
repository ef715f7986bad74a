// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Arguments are bound by name, on command lines too.
void misuse(Program &p) {
  p.input<f32, 1>("my tensor");
  // CHECK: bad_name.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected a name of letters, digits and '_' for an argument, got 'my tensor'
  p.grid({1});
}
