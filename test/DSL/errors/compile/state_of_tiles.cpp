// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// A C++ number would not change from step to step.
struct State {
  Tile<f32, 1> x;
  int steps;
};
State misuse(Program &p, State s) {
  return p.fold({0, 8, 1}, s, [&](Index, State s) { return State{s.x, s.steps + 1}; });
  // CHECK-DAG: state_of_tiles.cpp:[[@LINE-1]]:
  // CHECK-DAG: error: {{.*}}loop state is made of tiles and structs of tiles
}
