// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s | tilefold-opt | FileCheck %s
// RUN: tilefold-opt %s --mlir-print-op-generic | tilefold-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @kernel_ops
// CHECK-SAME:    (%[[Q:.*]]: !tile.view<4xf16> {tile.name = "q", tile.role = "inout"}, %[[B:.*]]: i32)
tile.kernel @kernel_ops(%q: !tile.view<4xf16> {tile.name = "q", tile.role = "inout"}, %b: i32) {
  // CHECK: %[[I:.*]] = tile.program_id 0
  %i = tile.program_id 0
  // CHECK: tile.program_id 2 descending
  %last = tile.program_id 2 descending
  // CHECK: tile.size %[[Q]], 2 : !tile.view<4xf16> -> i32
  %n = tile.size %q, 2 : !tile.view<4xf16> -> i32
  // CHECK: tile.stride %[[Q]], 3 : !tile.view<4xf16>
  %stride = tile.stride %q, 3 : !tile.view<4xf16>
  // CHECK: %[[QH:.*]] = tile.slice %[[Q]][%[[B]], %[[I]]] at [0, 1] : !tile.view<4xf16> -> !tile.view<2xf16>
  %qh = tile.slice %q [%b, %i] at [0, 1] : !tile.view<4xf16> -> !tile.view<2xf16>
  // CHECK: tile.narrow %[[QH]], 0[%[[I]], %{{.*}}] : !tile.view<2xf16>
  %narrow = tile.narrow %qh, 0 [%i, %n] : !tile.view<2xf16>
  // CHECK: %[[T:.*]] = tile.load %{{.*}}[%[[I]], %[[B]]] : !tile.view<2xf16> -> tensor<16x32xf16>
  %t = tile.load %narrow [%i, %b] : !tile.view<2xf16> -> tensor<16x32xf16>
  // CHECK: tile.load %{{.*}}[%[[I]], %[[B]]] pad 1.000000e+00 : f16 : !tile.view<2xf16> -> tensor<16x32xf16>
  %padded = tile.load %narrow [%i, %b] pad 1.0 : f16 : !tile.view<2xf16> -> tensor<16x32xf16>
  // CHECK: %[[TT:.*]] = tile.transpose %[[T]] : tensor<16x32xf16> -> tensor<32x16xf16>
  %tt = tile.transpose %t : tensor<16x32xf16> -> tensor<32x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: %[[S:.*]] = tile.dot %[[T]], %[[TT]], %{{.*}} : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
  %s = tile.dot %t, %tt, %zero : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
  // CHECK: %[[M:.*]] = tile.reduce max %[[S]], 1 : tensor<16x16xf32> -> tensor<16xf32>
  %m = tile.reduce max %s, 1 : tensor<16x16xf32> -> tensor<16xf32>
  // CHECK: tile.reduce sum %[[M]], 0 : tensor<16xf32> -> f32
  %sum = tile.reduce sum %m, 0 : tensor<16xf32> -> f32
  // CHECK: tile.reduce min %[[S]], 0 : tensor<16x16xf32> -> tensor<16xf32>
  %min = tile.reduce min %s, 0 : tensor<16x16xf32> -> tensor<16xf32>
  // CHECK: %[[C:.*]] = tile.expand %[[M]], 1 : tensor<16xf32> -> tensor<16x1xf32>
  %c = tile.expand %m, 1 : tensor<16xf32> -> tensor<16x1xf32>
  // CHECK: %[[MM:.*]] = tile.broadcast %[[C]] : tensor<16x1xf32> -> tensor<16x16xf32>
  %mm = tile.broadcast %c : tensor<16x1xf32> -> tensor<16x16xf32>
  // CHECK: tile.iota : tensor<16xi32>
  %iota = tile.iota : tensor<16xi32>
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<16x32xf32>
  %splat = tile.splat %sum : f32 -> tensor<16x32xf32>
  %seen = arith.cmpf olt, %s, %mm : tensor<16x16xf32>
  // CHECK: tile.any %{{.*}} : tensor<16x16xi1>
  %any = tile.any %seen : tensor<16x16xi1>
  %p = arith.truncf %s : tensor<16x16xf32> to tensor<16x16xf16>
  // CHECK: %[[O:.*]] = tile.weigh %{{.*}}, %{{.*}}, %[[T]], %{{.*}} : tensor<16x16xf16>, tensor<16x16xi1>, tensor<16x32xf16>, tensor<16x32xf32>
  %o = tile.weigh %p, %seen, %t, %splat : tensor<16x16xf16>, tensor<16x16xi1>, tensor<16x32xf16>, tensor<16x32xf32>
  %half = arith.truncf %o : tensor<16x32xf32> to tensor<16x32xf16>
  // CHECK: tile.store %{{.*}}, %[[QH]][%[[I]], %[[B]]] : tensor<16x32xf16>, !tile.view<2xf16>
  tile.store %half, %qh [%i, %b] : tensor<16x32xf16>, !tile.view<2xf16>
  // CHECK: tile.return
  tile.return
}

// A view of rank 0 is one element.
// CHECK-LABEL: tile.kernel @rank_zero(%{{.*}}: !tile.view<1xf32>, %{{.*}}: i32)
tile.kernel @rank_zero(%x: !tile.view<1xf32>, %i: i32) {
  // CHECK: tile.slice %{{.*}}[%{{.*}}] at [0] : !tile.view<1xf32> -> !tile.view<0xf32>
  %one = tile.slice %x [%i] at [0] : !tile.view<1xf32> -> !tile.view<0xf32>
  // CHECK: tile.load %{{.*}}[] : !tile.view<0xf32> -> tensor<f32>
  %value = tile.load %one [] : !tile.view<0xf32> -> tensor<f32>
  tile.return
}
