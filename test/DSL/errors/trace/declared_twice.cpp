// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// One name, one argument.
void misuse(Program &p) {
  p.input<f16, 2>("x");
  p.input<f16, 2>("x"); // the same again is the same argument
  p.input<f32, 2>("x");
  // CHECK: declared_twice.cpp:[[@LINE-1]]:{{[0-9]+}}: error: 'x' is declared again as input '!tile.view<2xf32>', but it is input '!tile.view<2xf16>'
  // CHECK: declared_twice.cpp:[[@LINE-4]]:{{[0-9]+}}: note: first declared here
  p.grid({1});
}
