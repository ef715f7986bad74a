// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Positions are i32, the one after the last included.
void misuse(Program &p) {
  p.grid({1});
  p.each(Range{2147483640, 2147483647, 5}, [&](Index) {});
  // CHECK: range_leaves_i32.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected a range whose length and whose position after the last fit i32, got 2147483640 to 2147483647 by 5
  p.each(Range{-2000000000, 2000000000}, [&](Index) {});
  // CHECK: range_leaves_i32.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected a range whose length and whose position after the last fit i32, got -2000000000 to 2000000000 by 1
}
