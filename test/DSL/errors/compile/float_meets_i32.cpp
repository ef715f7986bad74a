// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Half a position is a mistake.
Index misuse(Index i) {
  return i + 0.5;
  // CHECK-DAG: float_meets_i32.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}a floating-point number meets an i32 tile: cast<f32>() the tile first
}
