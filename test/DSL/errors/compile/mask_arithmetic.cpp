// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Masks are combined, not added.
Tile<i1, 1> misuse(Tile<i1, 1> a, Tile<i1, 1> b) {
  return a + b;
  // CHECK-DAG: mask_arithmetic.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}arithmetic on a mask: cast<i32>() it, or use && and ||
}
