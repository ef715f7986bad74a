// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A branch would be taken while tracing, once and for all.
int misuse(Index n) {
  if (n >= 0)
    // CHECK: tile_as_condition.cpp:[[@LINE-1]]:{{.*}}error: {{.*}}deleted
    // CHECK: a traced value is not a C++ condition: use where(mask, a, b)
    return 1;
  return 0;
}
