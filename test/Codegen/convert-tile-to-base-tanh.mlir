// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base | FileCheck %s

// Both formulas for each element, one of which is selected. No division: it would be a branch for each element.
// CHECK-LABEL: gpu.func @tanh
// CHECK-NOT: arith.divf
// CHECK: %[[MAGNITUDE:.*]] = math.absf %[[X:.*]] : vector<2xf32>
// CHECK: %[[ARGUMENT:.*]] = arith.mulf %[[MAGNITUDE]], %{{.*}} : vector<2xf32>
// CHECK: %[[E:.*]] = ptx.ex2 %[[ARGUMENT]] : vector<2xf32>
// CHECK: %[[MORE:.*]] = arith.addf %[[E]], %{{.*}} : vector<2xf32>
// CHECK: %[[RECIPROCAL:.*]] = ptx.rcp %[[MORE]] : vector<2xf32>
// CHECK: %[[LESS:.*]] = math.fma %[[RECIPROCAL]], %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[FAR:.*]] = math.copysign %[[LESS]], %[[X]] : vector<2xf32>
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]] : vector<2xf32>
// CHECK-COUNT-3: math.fma %{{.*}}, %[[SQUARE]], %{{.*}} : vector<2xf32>
// CHECK: %[[NEAR:.*]] = arith.mulf %{{.*}}, %[[X]] : vector<2xf32>
// CHECK: %[[IS_NEAR:.*]] = arith.cmpf olt, %[[MAGNITUDE]], %{{.*}} : vector<2xf32>
// CHECK: arith.select %[[IS_NEAR]], %[[NEAR]], %[[FAR]] : vector<2xi1>, vector<2xf32>
// CHECK-NOT: arith.divf
// CHECK: gpu.return
#pairs = #tile.layout<registers = [2:0:1], lanes = [32:0:2], warps = []>
tile.kernel @tanh(%x: !tile.view<1xf32> {tile.aligned}, %y: !tile.view<1xf32> {tile.aligned})
    attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<64xf32, #pairs>
  %h = math.tanh %t : tensor<64xf32, #pairs>
  tile.store %h, %y [%c0] : tensor<64xf32, #pairs>, !tile.view<1xf32>
  tile.return
}
