// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A scalar does not turn into a vector by itself.
Tile<f32, 1> misuse(Scalar<f32> x) {
  return x;
  // CHECK: scalar_is_no_tile.cpp:[[@LINE-1]]:{{.*}}error: {{(could not|no viable) }}
}
