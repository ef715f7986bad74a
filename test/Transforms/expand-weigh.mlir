// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-expand-weigh | FileCheck %s

// All results are taken from the second run, which ends in stores of its own.
// CHECK-LABEL: tile.kernel @carried
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[L:.*]] = %[[L0:.*]], %[[A:.*]] = %[[A0:.*]])
// CHECK: %[[S:.*]] = arith.mulf %[[A]],
// CHECK-NOT: arith.select
// CHECK: %[[D:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[S]]
// CHECK: scf.yield %{{.*}}, %[[D]]
// CHECK: %[[M:.*]] = math.absf %[[R]]#1
// CHECK: %[[N:.*]] = arith.cmpf uge, %[[M]],
// CHECK: %[[BAD:.*]] = tile.any %[[N]]
// CHECK: scf.if %[[BAD]] {
// Infinity where something visible is not finite, unscaled.
// CHECK: %[[MARKS:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[L0]], %[[C:.*]] = %[[A0]])
// CHECK: %[[V2:.*]] = tile.load {{.*}} -> tensor<8x32xf16>
// CHECK: %[[SEEN:.*]] = arith.cmpf une,
// CHECK: %[[HUGE:.*]] = arith.select %[[SEEN]], %{{.*}} : tensor<16x8xi1>, tensor<16x8xbf16>
// CHECK: %[[WIDE2:.*]] = arith.extf %[[V2]]
// CHECK: %[[MAGNITUDE2:.*]] = math.absf %[[WIDE2]]
// CHECK: %[[FINITE2:.*]] = arith.cmpf olt, %[[MAGNITUDE2]],
// CHECK: %[[POISON:.*]] = arith.select %[[FINITE2]], %{{.*}} : tensor<8x32xi1>, tensor<8x32xbf16>
// CHECK: %[[D2:.*]] = tile.dot %[[HUGE]], %[[POISON]], %[[C]]
// CHECK: scf.yield %{{.*}}, %[[D2]]
// CHECK: } {tile.cold}
// On top of it the sum of what is; weights are exponentials of the score that visibility looks at, so they need no select.
// CHECK: %[[AGAIN:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[L0]], %[[B:.*]] = %[[MARKS]]#1)
// CHECK: %[[V:.*]] = tile.load {{.*}} -> tensor<8x32xf16>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[B]],
// CHECK: %[[W:.*]] = arith.truncf %{{.*}} : tensor<16x8xf32> to tensor<16x8xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[V]]
// CHECK: %[[MAGNITUDE:.*]] = math.absf %[[WIDE]]
// CHECK: %[[FINITE:.*]] = arith.cmpf olt, %[[MAGNITUDE]],
// CHECK: %[[CLEAN:.*]] = arith.select %[[FINITE]], %[[V]],
// CHECK: %[[D1:.*]] = tile.dot %[[W]], %[[CLEAN]], %[[SCALED]]
// CHECK: scf.yield %{{.*}}, %[[D1]]
// CHECK: } {tile.cold}
// CHECK-NEXT: tile.store %[[AGAIN]]#0
// CHECK-NEXT: tile.store %[[AGAIN]]#1
// CHECK-NEXT: } else {
// CHECK-NEXT: tile.store %[[R]]#0
// CHECK-NEXT: tile.store %[[R]]#1
// CHECK-NEXT: } {tile.cold}
// CHECK-NEXT: tile.return
tile.kernel @carried(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input"},
                     %v: !tile.view<2xf16> {tile.name = "v", tile.role = "input"},
                     %l: !tile.view<1xf32> {tile.name = "l", tile.role = "output"},
                     %o: !tile.view<2xf32> {tile.name = "o", tile.role = "output"},
                     %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %l0 = arith.constant dense<0.0> : tensor<16xf32>
  %acc0 = arith.constant dense<0.0> : tensor<16x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<16x8xf32>
  %half = arith.constant dense<0.5> : tensor<16x32xf32>
  %r:2 = scf.for %j = %c0 to %n step %c8 iter_args(%li = %l0, %acci = %acc0) -> (tensor<16xf32>, tensor<16x32xf32>) : i32 {
    %s = tile.load %x [%c0, %j] : !tile.view<2xf32> -> tensor<16x8xf32>
    %vj = tile.load %v [%j, %c0] : !tile.view<2xf16> -> tensor<8x32xf16>
    %p = math.exp2 %s : tensor<16x8xf32>
    %rs = tile.reduce sum %p, 1 : tensor<16x8xf32> -> tensor<16xf32>
    %lj = arith.addf %li, %rs : tensor<16xf32>
    %scaled = arith.mulf %acci, %half : tensor<16x32xf32>
    %seen = arith.cmpf une, %s, %none : tensor<16x8xf32>
    %w = arith.truncf %p : tensor<16x8xf32> to tensor<16x8xf16>
    %accj = tile.weigh %w, %seen, %vj, %scaled : tensor<16x8xf16>, tensor<16x8xi1>, tensor<8x32xf16>, tensor<16x32xf32>
    scf.yield %lj, %accj : tensor<16xf32>, tensor<16x32xf32>
  }
  tile.store %r#0, %l [%c0] : tensor<16xf32>, !tile.view<1xf32>
  tile.store %r#1, %o [%c0, %c0] : tensor<16x32xf32>, !tile.view<2xf32>
  tile.return
}

// Two carried products are repeated in one loop, each with its infinities right behind its sum.
// CHECK-LABEL: tile.kernel @two
// CHECK: scf.for
// CHECK-COUNT-2: tile.dot
// CHECK: tile.any
// CHECK: tile.any
// CHECK: scf.if
// CHECK: scf.for
// CHECK: %[[S1:.*]] = tile.dot {{.*}} : tensor<16x8xf16>
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[S1]] : tensor<16x8xbf16>
// CHECK: %[[S2:.*]] = tile.dot {{.*}} : tensor<16x8xf16>
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[S2]] : tensor<16x8xbf16>
// CHECK: } {tile.cold}
// CHECK-NEXT: tile.store
tile.kernel @two(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input"},
                 %v: !tile.view<2xf16> {tile.name = "v", tile.role = "input"},
                 %o: !tile.view<2xf32> {tile.name = "o", tile.role = "output"},
                 %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %acc0 = arith.constant dense<0.0> : tensor<16x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<16x8xf32>
  %r:2 = scf.for %j = %c0 to %n step %c8 iter_args(%a0 = %acc0, %b0 = %acc0) -> (tensor<16x32xf32>, tensor<16x32xf32>) : i32 {
    %s = tile.load %x [%c0, %j] : !tile.view<2xf32> -> tensor<16x8xf32>
    %left = tile.load %v [%j, %c0] : !tile.view<2xf16> -> tensor<8x32xf16>
    %right = tile.load %v [%j, %c32] : !tile.view<2xf16> -> tensor<8x32xf16>
    %p = math.exp2 %s : tensor<16x8xf32>
    %seen = arith.cmpf une, %s, %none : tensor<16x8xf32>
    %w = arith.truncf %p : tensor<16x8xf32> to tensor<16x8xf16>
    %a = tile.weigh %w, %seen, %left, %a0 : tensor<16x8xf16>, tensor<16x8xi1>, tensor<8x32xf16>, tensor<16x32xf32>
    %b = tile.weigh %w, %seen, %right, %b0 : tensor<16x8xf16>, tensor<16x8xi1>, tensor<8x32xf16>, tensor<16x32xf32>
    scf.yield %a, %b : tensor<16x32xf32>, tensor<16x32xf32>
  }
  tile.store %r#0, %o [%c0, %c0] : tensor<16x32xf32>, !tile.view<2xf32>
  tile.store %r#1, %o [%c0, %c32] : tensor<16x32xf32>, !tile.view<2xf32>
  tile.return
}
