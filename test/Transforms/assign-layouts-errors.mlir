// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-assign-layouts --verify-diagnostics

// expected-error @+1 {{expected a schedule; run --tile-choose-schedule first}}
tile.kernel @unscheduled(%x: !tile.view<1xf32>) {
  tile.return
}
