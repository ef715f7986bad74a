// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// The type of the result must come from somewhere.
auto misuse(Tile<i1, 1> mask) {
  return where(mask, 1, 0);
  // CHECK-DAG: where_of_numbers.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}one of the two values must be traced: p.full<T>() makes a tile of a number
}
