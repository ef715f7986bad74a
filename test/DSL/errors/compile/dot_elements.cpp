// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Operands of a product have one type.
Tile<f32, 2> misuse(Tile<f16, 2> p, Tile<f32, 2> v) {
  return dot(p, v);
  // CHECK-DAG: dot_elements.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}a product needs equal element types: cast<T>() one of the tiles
}
