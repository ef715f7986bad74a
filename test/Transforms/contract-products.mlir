// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-contract-products))' | FileCheck %s

// A product that only a sum reads is rounded once with it; the flag goes from everything else.
// CHECK-LABEL: tile.kernel @fuses
tile.kernel @fuses(%x: !tile.view<1xf32>, %y: !tile.view<1xf32>) {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] : !tile.view<1xf32> -> tensor<128xf32>
  %b = tile.load %y[%c0] : !tile.view<1xf32> -> tensor<128xf32>
  // CHECK: %[[SUM:.*]] = math.fma %[[A:.*]], %[[B:.*]], %[[A]] : tensor<128xf32>
  %p = arith.mulf %a, %b fastmath<contract> : tensor<128xf32>
  %sum = arith.addf %p, %a fastmath<contract> : tensor<128xf32>
  // CHECK: %[[N:.*]] = arith.negf %[[B]]
  // CHECK: math.fma %[[SUM]], %[[A]], %[[N]]
  %q = arith.mulf %sum, %a fastmath<contract> : tensor<128xf32>
  %difference = arith.subf %q, %b fastmath<contract> : tensor<128xf32>
  // CHECK-NOT: contract
  %rest = arith.mulf %difference, %b fastmath<contract> : tensor<128xf32>
  tile.store %rest, %y[%c0] : tensor<128xf32>, !tile.view<1xf32>
  tile.return
}

// A product with another reader, or without the flag, is rounded by itself.
// CHECK-LABEL: tile.kernel @keeps
// CHECK-NOT: math.fma
tile.kernel @keeps(%x: !tile.view<1xf32>, %y: !tile.view<1xf32>) {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] : !tile.view<1xf32> -> tensor<128xf32>
  %p = arith.mulf %a, %a fastmath<contract> : tensor<128xf32>
  %sum = arith.addf %p, %a fastmath<contract> : tensor<128xf32>
  %exact = arith.mulf %sum, %p : tensor<128xf32>
  %rest = arith.addf %exact, %a fastmath<contract> : tensor<128xf32>
  tile.store %rest, %y[%c0] : tensor<128xf32>, !tile.view<1xf32>
  tile.return
}
