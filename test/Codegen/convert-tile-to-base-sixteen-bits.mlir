// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base --split-input-file | FileCheck %s
#pairs = #tile.layout<registers = [2:0:1], lanes = [32:0:2], warps = []>

// Each result is rounded: the square root takes the rounded power.
// CHECK-LABEL: gpu.func @functions
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : vector<2xf16> to vector<2xf32>
// CHECK: %[[POWER:.*]] = ptx.ex2 %[[X]] : vector<2xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[POWER]] : vector<2xf32> to vector<2xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[ROUNDED]] : vector<2xf16> to vector<2xf32>
// CHECK: %[[ROOT:.*]] = math.sqrt %[[WIDE]] : vector<2xf32>
// CHECK: arith.truncf %[[ROOT]] : vector<2xf32> to vector<2xf16>
tile.kernel @functions(%x: !tile.view<1xf16> {tile.aligned}) attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0] : !tile.view<1xf16> -> tensor<64xf16, #pairs>
  %e = math.exp2 %t : tensor<64xf16, #pairs>
  %h = math.sqrt %e : tensor<64xf16, #pairs>
  tile.store %h, %x [%c0] : tensor<64xf16, #pairs>, !tile.view<1xf16>
  tile.return
}

// -----

#pairs = #tile.layout<registers = [2:0:1], lanes = [32:0:2], warps = []>
// CHECK-LABEL: gpu.func @tanh
// CHECK: arith.extf %{{.*}} : vector<2xbf16> to vector<2xf32>
// CHECK: %[[T:.*]] = arith.select %{{.*}} : vector<2xi1>, vector<2xf32>
// CHECK: arith.truncf %[[T]] : vector<2xf32> to vector<2xbf16>
tile.kernel @tanh(%x: !tile.view<1xbf16> {tile.aligned}) attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0] : !tile.view<1xbf16> -> tensor<64xbf16, #pairs>
  %h = math.tanh %t : tensor<64xbf16, #pairs>
  tile.store %h, %x [%c0] : tensor<64xbf16, #pairs>, !tile.view<1xbf16>
  tile.return
}

// -----

#pairs = #tile.layout<registers = [2:0:1], lanes = [32:0:2], warps = []>
// Rounded once, behind the last addition.
// CHECK-LABEL: gpu.func @sum
// CHECK: arith.extf %{{.*}} : vector<2xbf16> to vector<2xf32>
// CHECK-NOT: arith.truncf
// CHECK-COUNT-6: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NOT: arith.addf
tile.kernel @sum(%x: !tile.view<1xbf16> {tile.aligned}) attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0] : !tile.view<1xbf16> -> tensor<64xbf16, #pairs>
  %s = tile.reduce sum %t, 0 : tensor<64xbf16, #pairs> -> bf16
  %r = tile.splat %s : bf16 -> tensor<64xbf16, #pairs>
  tile.store %r, %x [%c0] : tensor<64xbf16, #pairs>, !tile.view<1xbf16>
  tile.return
}

// -----

#pairs = #tile.layout<registers = [2:0:1], lanes = [32:0:2], warps = []>
// CHECK-LABEL: gpu.func @absolute
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<2xi32>
// CHECK: %[[NEGATED:.*]] = arith.subi %[[ZERO]], %[[X:.*]] : vector<2xi32>
// CHECK: arith.maxsi %[[X]], %[[NEGATED]] : vector<2xi32>
tile.kernel @absolute(%x: !tile.view<1xi32> {tile.aligned}) attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0] : !tile.view<1xi32> -> tensor<64xi32, #pairs>
  %a = math.absi %t : tensor<64xi32, #pairs>
  tile.store %a, %x [%c0] : tensor<64xi32, #pairs>, !tile.view<1xi32>
  tile.return
}
