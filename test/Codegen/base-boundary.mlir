// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What leaks across the base boundary is a parse error.
// RUN: not tilefold-base-opt %s 2>&1 | FileCheck %s

// CHECK: error: Dialect `tile' not found for custom op 'tile.kernel'
tile.kernel @leak() {
  tile.return
}
