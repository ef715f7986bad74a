// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tilefold.h"
using namespace tilefold;

// Kernels have branches; the host chooses between sizes by where().
void misuse(Program &p) {
  auto n = p.input<f32, 1>("x").size(0);
  // CHECK: branch_on_host.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a branch belongs in a kernel: call p.grid() or p.launch() first
  p.branch(n > 3, [&] { return n; }, [&] { return n; });
  p.grid({1});
}
