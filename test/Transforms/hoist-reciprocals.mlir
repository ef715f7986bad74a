// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-hoist-reciprocals --canonicalize | FileCheck %s

// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<16xf32>
// CHECK: %[[R:.*]] = arith.divf %[[ONE]], %{{.*}} : tensor<16xf32>
// CHECK: %[[C:.*]] = tile.expand %[[R]], 1
// CHECK: %[[B:.*]] = tile.broadcast %[[C]]
// CHECK: arith.mulf %{{.*}}, %[[B]] : tensor<16x8xf32>
// CHECK-NOT: arith.divf
tile.kernel @rows(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"},
                  %l: !tile.view<1xf32> {tile.name = "l", tile.role = "input"}) {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %d = tile.load %l [%c0] : !tile.view<1xf32> -> tensor<16xf32>
  %c = tile.expand %d, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %b = tile.broadcast %c : tensor<16x1xf32> -> tensor<16x8xf32>
  %o = arith.divf %a, %b : tensor<16x8xf32>
  tile.store %o, %x [%c0, %c0] : tensor<16x8xf32>, !tile.view<2xf32>
  tile.return
}

// A scalar from outside a loop is inverted outside.
// CHECK-LABEL: tile.kernel @scalar
// CHECK-DAG: %[[QUARTER:.*]] = arith.constant dense<2.500000e-01> : tensor<16x8xf32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[R:.*]] = arith.divf %[[ONE]], %{{.*}} : f32
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.splat %[[R]]
// CHECK: %[[O:.*]] = arith.mulf %{{.*}}, %[[S]] : tensor<16x8xf32>
// CHECK: arith.mulf %[[O]], %[[QUARTER]]
tile.kernel @scalar(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"},
                    %cap: f32 {tile.name = "cap", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %four = arith.constant dense<4.0> : tensor<16x8xf32>
  %s = tile.splat %cap : f32 -> tensor<16x8xf32>
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %a = tile.load %x [%i, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
    %o = arith.divf %a, %s : tensor<16x8xf32>
    %o4 = arith.divf %o, %four : tensor<16x8xf32>
    tile.store %o4, %x [%i, %c0] : tensor<16x8xf32>, !tile.view<2xf32>
  }
  tile.return
}

// As many divisors as quotients, or a reciprocal of 11 bits: no gain, or a loss.
// CHECK-LABEL: tile.kernel @kept
// CHECK: arith.divf %{{.*}}, %{{.*}} : tensor<16x8xf32>
// CHECK: arith.divf %{{.*}}, %{{.*}} : tensor<16x8xf16>
tile.kernel @kept(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"},
                  %y: !tile.view<2xf16> {tile.name = "y", tile.role = "inout"},
                  %z: !tile.view<1xf16> {tile.name = "z", tile.role = "input"}) {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<16x8xf32>
  %t = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<8x16xf32>
  %b = tile.transpose %t : tensor<8x16xf32> -> tensor<16x8xf32>
  %o = arith.divf %a, %b : tensor<16x8xf32>
  tile.store %o, %x [%c0, %c0] : tensor<16x8xf32>, !tile.view<2xf32>
  %h = tile.load %y [%c0, %c0] : !tile.view<2xf16> -> tensor<16x8xf16>
  %l = tile.load %z [%c0] : !tile.view<1xf16> -> tensor<16xf16>
  %c = tile.expand %l, 1 : tensor<16xf16> -> tensor<16x1xf16>
  %d = tile.broadcast %c : tensor<16x1xf16> -> tensor<16x8xf16>
  %q = arith.divf %h, %d : tensor<16x8xf16>
  tile.store %q, %y [%c0, %c0] : tensor<16x8xf16>, !tile.view<2xf16>
  tile.return
}
