// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base --split-input-file | FileCheck %s
#pairs = #tile.layout<registers = [2:0:1], lanes = [32:0:2], warps = [2:0:64]>

// Two neighbours a lane, 64 elements a warp.
// CHECK-LABEL: gpu.func @iota
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i32
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: %[[WARP:.*]] = arith.divui
// CHECK: %[[IN_WARP:.*]] = arith.muli %[[LANE]], %[[C2]] : i32
// CHECK: %[[OF_WARP:.*]] = arith.muli %[[WARP]], %[[C64]] : i32
// CHECK: %[[FIRST:.*]] = arith.addi %[[IN_WARP]], %[[OF_WARP]] : i32
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[C1]] : i32
// CHECK: vector.from_elements %[[FIRST]], %[[SECOND]] : vector<2xi32>
tile.kernel @iota(%y: !tile.view<1xi32> {tile.aligned}) attributes {schedule = #tile.schedule<warps = 2, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %t = tile.iota : tensor<128xi32, #pairs>
  tile.store %t, %y [%c0] : tensor<128xi32, #pairs>, !tile.view<1xi32>
  tile.return
}

// -----

#pairs = #tile.layout<registers = [2:0:1], lanes = [32:0:2], warps = [2:0:64]>
// A thread's own bits, then all threads' in one barrier; the vote tells the machine that the answer is the same in a warp.
// CHECK-LABEL: gpu.func @any
// CHECK: %[[BITS:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK: %[[MINE:.*]] = vector.reduction <or>, %[[BITS]] : vector<2xi1> into i1
// CHECK: %[[ALL:.*]] = ptx.barrier_or %[[MINE]]
// CHECK: %[[ANY:.*]] = nvvm.vote.sync{{ +}}any %{{.*}}, %[[ALL]] -> i1
// CHECK: scf.if %[[ANY]] {
tile.kernel @any(%y: !tile.view<1xi32> {tile.aligned}) attributes {schedule = #tile.schedule<warps = 2, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant dense<64> : tensor<128xi32, #pairs>
  %t = tile.iota : tensor<128xi32, #pairs>
  %m = arith.cmpi sgt, %t, %c64 : tensor<128xi32, #pairs>
  %some = tile.any %m : tensor<128xi1, #pairs>
  scf.if %some {
    tile.store %t, %y [%c0] : tensor<128xi32, #pairs>, !tile.view<1xi32>
  }
  tile.return
}
