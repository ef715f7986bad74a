// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Truth comes from comparisons.
Tile<i1, 1> misuse(Tile<i32, 1> a, Tile<i32, 1> b) {
  return a && b;
  // CHECK-DAG: and_of_numbers.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}&& and || need masks: compare first
}
