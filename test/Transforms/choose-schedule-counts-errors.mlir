// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-choose-schedule="warps=64" --verify-diagnostics

// expected-error @+1 {{expected 1 to 32 warps, got 64}}
tile.kernel @without_products(%x: !tile.view<1xf32>) {
  tile.return
}
