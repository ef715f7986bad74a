// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base --split-input-file | FileCheck %s
#vec = #tile.layout<registers = [4:0:1, 2:0:512], lanes = [32:0:4], warps = [4:0:128]>

// The grid's extents come first, then each view as a pointer, extents and strides. Eight elements a thread; a view without
// a promise of alignment is read element by element, one with it in vectors whose last stride is 1.
// CHECK-NOT: tile.kernel
// CHECK: gpu.module @kernels
// CHECK: gpu.func @axpy(%[[GX:[a-z0-9]+]]: i32, %{{.*}}: i32, %{{.*}}: i32, %[[X:.*]]: !llvm.ptr<1>, %[[XN:.*]]: i32, %[[XS:.*]]: i64, %[[Y:.*]]: !llvm.ptr<1>, %[[YN:.*]]: i32, %{{.*}}: i64, %[[A:.*]]: f32) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME: tilefold.shared_bytes = 0
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant dense<1.4426{{.*}}> : vector<8xf32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<8xf32>
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: arith.remui %[[BLOCK]], %[[GX]]
// CHECK: %[[AS:.*]] = vector.broadcast %[[A]] : f32 to vector<8xf32>
// CHECK: %[[AT:.*]] = arith.addi
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[AT]], %[[XN]]
// CHECK: scf.if %[[IN]] -> (vector<1xf32>)
// CHECK: arith.muli %{{.*}}, %[[XS]] : i64
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} {{.*}} -> vector<1xf32>
// CHECK-COUNT-7: llvm.load
// CHECK: %[[T:.*]] = vector.from_elements
// CHECK: %[[S:.*]] = arith.mulf %[[AS]], %[[T]] : vector<8xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[S]], %[[LOG2E]]
// CHECK: %[[E:.*]] = ptx.ex2 %[[SCALED]] : vector<8xf32>
// CHECK: arith.addf %[[E]], %[[ONE]]
// CHECK: arith.cmpi ult, %{{.*}}, %[[YN]]
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK-NOT: llvm.store
tile.kernel @axpy(%x: !tile.view<1xf32>, %y: !tile.view<1xf32> {tile.aligned}, %a: f32)
    attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c1024 = arith.constant 1024 : i32
  %one = arith.constant dense<1.0> : tensor<1024xf32, #vec>
  %pid = tile.program_id 0
  %i = arith.muli %pid, %c1024 : i32
  %as = tile.splat %a : f32 -> tensor<1024xf32, #vec>
  %t = tile.load %x [%i] : !tile.view<1xf32> -> tensor<1024xf32, #vec>
  %s = arith.mulf %as, %t : tensor<1024xf32, #vec>
  %e = math.exp %s : tensor<1024xf32, #vec>
  %r = arith.addf %e, %one : tensor<1024xf32, #vec>
  tile.store %r, %y [%i] : tensor<1024xf32, #vec>, !tile.view<1xf32>
  tile.return
}

// -----

// Two neighbours in registers, then four lanes in two butterfly steps.
#tile2d = #tile.layout<registers = [2:1:1], lanes = [4:1:2, 8:0:1], warps = []>
#rows = #tile.layout<registers = [], lanes = [4:0:0, 8:0:1], warps = []>
// CHECK-LABEL: gpu.func @across_lanes
// CHECK-SAME: tilefold.shared_bytes = 0
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: %[[R:.*]] = arith.maximumf
// CHECK: %[[S:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[R]], %[[ONE]], %{{.*}} : f32 -> f32
// CHECK: %[[R1:.*]] = arith.maximumf {{.*}}%[[S]]
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %[[R1]], %[[TWO]], %{{.*}} : f32 -> f32
// CHECK-NOT: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier0
tile.kernel @across_lanes(%x: !tile.view<2xf32>, %y: !tile.view<1xf32>)
    attributes {schedule = #tile.schedule<warps = 1, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<8x8xf32, #tile2d>
  %r = tile.reduce max %t, 1 : tensor<8x8xf32, #tile2d> -> tensor<8xf32, #rows>
  tile.store %r, %y [%c0] : tensor<8xf32, #rows>, !tile.view<1xf32>
  tile.return
}

// -----

// Two warps hold halves of each row: a partial sum of each goes through scratch memory, 2 x 8 floats, and all read both.
#halves = #tile.layout<registers = [2:1:1], lanes = [4:1:2, 8:0:1], warps = [2:1:8]>
#rows = #tile.layout<registers = [], lanes = [4:0:0, 8:0:1], warps = [2:0:0]>
// CHECK-LABEL: gpu.func @across_warps
// CHECK-SAME: tilefold.shared_bytes = 128
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier0
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: %[[A:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK: %[[B:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK: arith.addf %[[A]], %[[B]]
tile.kernel @across_warps(%x: !tile.view<2xf32>, %y: !tile.view<1xf32>)
    attributes {schedule = #tile.schedule<warps = 2, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0, %c0] : !tile.view<2xf32> -> tensor<8x16xf32, #halves>
  %r = tile.reduce sum %t, 1 : tensor<8x16xf32, #halves> -> tensor<8xf32, #rows>
  tile.store %r, %y [%c0] : tensor<8xf32, #rows>, !tile.view<1xf32>
  tile.return
}

// -----

// A descending position counts down from its extent. The grid has one dimension on the machine.
// CHECK-LABEL: gpu.func @descending
// CHECK-SAME: (%[[GX:[a-z0-9]+]]: i32, %[[GY:[a-z0-9]+]]: i32, %[[GZ:[a-z0-9]+]]: i32
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[YZ:.*]] = arith.divui %[[BLOCK]], %[[GX]]
// CHECK: %[[Y:.*]] = arith.remui %[[YZ]], %[[GY]]
// CHECK: %[[LASTY:.*]] = arith.subi %[[GY]], %{{.*}} : i32
// CHECK: arith.subi %[[LASTY]], %[[Y]] : i32
// CHECK: %[[LASTZ:.*]] = arith.subi %[[GZ]], %{{.*}} : i32
// CHECK: arith.subi %[[LASTZ]], %{{.*}} : i32
#one = #tile.layout<registers = [], lanes = [32:0:1], warps = [4:0:32]>
tile.kernel @descending(%x: !tile.view<3xf32>) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %y = tile.program_id 1 descending
  %z = tile.program_id 2 descending
  %row = tile.slice %x [%z, %y] at [0, 1] : !tile.view<3xf32> -> !tile.view<1xf32>
  %t = arith.constant dense<1.0> : tensor<128xf32, #one>
  tile.store %t, %row [%c0] : tensor<128xf32, #one>, !tile.view<1xf32>
  tile.return
}
