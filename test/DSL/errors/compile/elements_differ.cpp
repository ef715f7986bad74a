// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Nothing is converted silently.
Tile<f32, 1> misuse(Tile<f32, 1> a, Tile<f16, 1> b) {
  return max(a, b);
  // CHECK-DAG: elements_differ.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}element types differ: cast<T>() one of the tiles
}
