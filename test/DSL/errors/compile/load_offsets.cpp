// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// One offset for each dimension.
Tile<f16, 2> misuse(Tensor<f16, 2> x) {
  return load(x, {0}, {64, 64});
  // CHECK-DAG: load_offsets.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}load needs one offset for each dimension of the view
}
