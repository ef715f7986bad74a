// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// The body returns the whole next state.
void misuse(Program &p, OnlineSoftmax s) {
  p.fold({0, 8, 1}, s, [&](Index, OnlineSoftmax s) { return s.m; });
  // CHECK-DAG: fold_returns_state.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}a fold's body returns the next state, of the state's own type
}
