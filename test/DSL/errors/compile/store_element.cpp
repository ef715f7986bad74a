// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A store does not round; cast does.
void misuse(Tensor<f16, 1> x, Tile<f32, 1> t) {
  store(x, {0}, t);
  // CHECK-DAG: store_element.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}store needs the view's element type: cast<T>() the tile
}
