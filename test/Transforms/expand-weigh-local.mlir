// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-expand-weigh | FileCheck %s
// Products that are checked where they stand, since a loop cannot be run again or would not hold on to an inf or NaN.

// The loop stores. Weights that are no exponentials are selected.
// CHECK-LABEL: tile.kernel @stored
// CHECK: scf.for
// CHECK: %[[A:.*]] = tile.load {{.*}} -> tensor<16x32xf32>
// CHECK: %[[W:.*]] = arith.select %[[SEEN:.*]], %{{.*}}, %{{.*}} : tensor<16x8xi1>, tensor<16x8xf32>
// CHECK: %[[D:.*]] = tile.dot %[[W]], %{{.*}}, %[[A]]
// CHECK: %[[BAD:.*]] = tile.any
// CHECK: %[[R:.*]] = scf.if %[[BAD]]
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[A]]
// CHECK: %[[E:.*]] = tile.dot %{{.*}} : tensor<16x8xbf16>, tensor<8x32xbf16>, tensor<16x32xf32>
// CHECK: scf.yield %[[E]]
// CHECK: scf.yield %[[D]]
// CHECK: } {tile.cold}
// CHECK: tile.store %[[R]]
tile.kernel @stored(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input"},
                    %v: !tile.view<2xf32> {tile.name = "v", tile.role = "input"},
                    %o: !tile.view<2xf32> {tile.name = "o", tile.role = "inout"},
                    %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %none = arith.constant dense<0xFF800000> : tensor<16x8xf32>
  scf.for %j = %c0 to %n step %c8 : i32 {
    %s = tile.load %x [%c0, %j] : !tile.view<2xf32> -> tensor<16x8xf32>
    %vj = tile.load %v [%j, %c0] : !tile.view<2xf32> -> tensor<8x32xf32>
    %acc = tile.load %o [%c0, %c0] : !tile.view<2xf32> -> tensor<16x32xf32>
    %seen = arith.cmpf une, %s, %none : tensor<16x8xf32>
    %r = tile.weigh %s, %seen, %vj, %acc : tensor<16x8xf32>, tensor<16x8xi1>, tensor<8x32xf32>, tensor<16x32xf32>
    tile.store %r, %o [%c0, %c0] : tensor<16x32xf32>, !tile.view<2xf32>
  }
  tile.return
}

// A select may drop an inf before the end of the loop.
// CHECK-LABEL: tile.kernel @selected
// CHECK: scf.for
// CHECK: tile.dot
// CHECK: tile.any
// CHECK: scf.if
// CHECK: } {tile.cold}
// CHECK: arith.select
// CHECK: scf.yield
// CHECK-NOT: tile.any
tile.kernel @selected(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input"},
                      %v: !tile.view<2xf32> {tile.name = "v", tile.role = "input"},
                      %o: !tile.view<2xf32> {tile.name = "o", tile.role = "output"},
                      %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %acc0 = arith.constant dense<0.0> : tensor<16x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<16x8xf32>
  %r = scf.for %j = %c0 to %n step %c8 iter_args(%acc = %acc0) -> (tensor<16x32xf32>) : i32 {
    %s = tile.load %x [%c0, %j] : !tile.view<2xf32> -> tensor<16x8xf32>
    %vj = tile.load %v [%j, %c0] : !tile.view<2xf32> -> tensor<8x32xf32>
    %p = math.exp2 %s : tensor<16x8xf32>
    %seen = arith.cmpf une, %s, %none : tensor<16x8xf32>
    %w = tile.weigh %p, %seen, %vj, %acc : tensor<16x8xf32>, tensor<16x8xi1>, tensor<8x32xf32>, tensor<16x32xf32>
    %big = arith.cmpf ogt, %w, %acc0 : tensor<16x32xf32>
    %kept = arith.select %big, %w, %acc0 : tensor<16x32xi1>, tensor<16x32xf32>
    scf.yield %kept : tensor<16x32xf32>
  }
  tile.store %r, %o [%c0, %c0] : tensor<16x32xf32>, !tile.view<2xf32>
  tile.return
}

// What such weights are measured against may be -inf: then an invisible one is NaN, which the exact product must not see either.
// CHECK-LABEL: tile.kernel @unguarded
// CHECK: %[[SEEN:.*]] = arith.cmpf une,
// CHECK: %[[W:.*]] = arith.select %[[SEEN]], %[[P:.*]], %{{.*}} : tensor<16x8xi1>, tensor<16x8xf32>
// CHECK: tile.dot %[[W]],
// CHECK: scf.if
// CHECK: %[[W2:.*]] = arith.select %[[SEEN]], %[[P]], %{{.*}} : tensor<16x8xi1>, tensor<16x8xf32>
// CHECK: tile.dot %[[W2]],
tile.kernel @unguarded(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input"},
                       %v: !tile.view<2xf32> {tile.name = "v", tile.role = "input"},
                       %o: !tile.view<2xf32> {tile.name = "o", tile.role = "output"}) {
  %c0 = arith.constant 0 : i32
  %acc = arith.constant dense<1.0> : tensor<16x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<16x8xf32>
  %s = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %vj = tile.load %v [%c0, %c0] : !tile.view<2xf32> -> tensor<8x32xf32>
  %most = tile.reduce max %s, 1 : tensor<16x8xf32> -> tensor<16xf32>
  %column = tile.expand %most, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %reference = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x8xf32>
  %d = arith.subf %s, %reference : tensor<16x8xf32>
  %p = math.exp2 %d : tensor<16x8xf32>
  %seen = arith.cmpf une, %s, %none : tensor<16x8xf32>
  %r = tile.weigh %p, %seen, %vj, %acc : tensor<16x8xf32>, tensor<16x8xi1>, tensor<8x32xf32>, tensor<16x32xf32>
  tile.store %r, %o [%c0, %c0] : tensor<16x32xf32>, !tile.view<2xf32>
  tile.return
}

// Nor does a weight vanish that is made of something else than the score that visibility looks at.
// CHECK-LABEL: tile.kernel @carried_score
// CHECK: scf.for
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xi1>, tensor<16x8xf32>
// CHECK: tile.dot
tile.kernel @carried_score(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input"},
                           %v: !tile.view<2xf32> {tile.name = "v", tile.role = "input"},
                           %o: !tile.view<2xf32> {tile.name = "o", tile.role = "output"},
                           %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %acc0 = arith.constant dense<0.0> : tensor<16x32xf32>
  %none = arith.constant dense<0xFF800000> : tensor<16x8xf32>
  %first = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %r:2 = scf.for %j = %c0 to %n step %c8 iter_args(%acc = %acc0, %before = %first) -> (tensor<16x32xf32>, tensor<16x8xf32>) : i32 {
    %s = tile.load %x [%c0, %j] : !tile.view<2xf32> -> tensor<16x8xf32>
    %vj = tile.load %v [%j, %c0] : !tile.view<2xf32> -> tensor<8x32xf32>
    %p = math.exp2 %before : tensor<16x8xf32>
    %seen = arith.cmpf une, %s, %none : tensor<16x8xf32>
    %w = tile.weigh %p, %seen, %vj, %acc : tensor<16x8xf32>, tensor<16x8xi1>, tensor<8x32xf32>, tensor<16x32xf32>
    scf.yield %w, %s : tensor<16x32xf32>, tensor<16x8xf32>
  }
  tile.store %r#0, %o [%c0, %c0] : tensor<16x32xf32>, !tile.view<2xf32>
  tile.return
}
