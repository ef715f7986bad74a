// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A grid has at most three extents.
void misuse(Program &p) {
  p.grid({1, 2, 3, 4});
  // CHECK-DAG: grid_extents.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}a grid has one to three extents
}
