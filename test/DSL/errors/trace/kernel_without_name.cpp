// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Profilers show kernels by name.
void misuse(Program &p) {
  p.launch("", {1}, [](Index) {});
  // CHECK: kernel_without_name.cpp:[[@LINE-1]]:{{[0-9]+}}: error: expected a name of letters, digits and '_' for a kernel, got ''
}
