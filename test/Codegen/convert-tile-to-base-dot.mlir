// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base --split-input-file | FileCheck %s
#acc = #tile.layout<registers = [2:1:1, 2:0:8, 2:1:8], lanes = [4:1:2, 8:0:1], warps = []>

// Two blocks along K. A transposed right operand is stored as mma wants it (rows); the second step adds onto the first.
// CHECK-LABEL: gpu.func @stored
// CHECK-SAME: tilefold.shared_bytes = 2048
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK: %[[FIRST:.*]] = nvvm.mma.sync
// CHECK: %[[C0:.*]] = llvm.extractvalue %[[FIRST]][0]
// CHECK: %[[C1:.*]] = llvm.extractvalue %[[FIRST]][1]
// CHECK: %[[C2:.*]] = llvm.extractvalue %[[FIRST]][2]
// CHECK: %[[C3:.*]] = llvm.extractvalue %[[FIRST]][3]
// CHECK: nvvm.mma.sync
// CHECK-COUNT-2: nvvm.ldmatrix
// CHECK: nvvm.mma.sync {{.*}}C[%[[C0]], %[[C1]], %[[C2]], %[[C3]]]{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK: vector.from_elements {{.*}} : vector<8xf32>
tile.kernel @stored(%y: !tile.view<2xf32>) attributes {schedule = #tile.schedule<warps = 1, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %a = tile.alloc : !tile.buffer<16x32xf16, <2, 1>>
  %b = tile.alloc : !tile.buffer<16x32xf16, <2, 1>>
  %t = tile.transpose %b : !tile.buffer<16x32xf16, <2, 1>> -> !tile.buffer<32x16xf16, <2, 1>, transposed>
  %acc = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %d = tile.dot %a, %t, %acc : !tile.buffer<16x32xf16, <2, 1>>, !tile.buffer<32x16xf16, <2, 1>, transposed>, tensor<16x16xf32, #acc>
  tile.store %d, %y [%c0, %c0] : tensor<16x16xf32, #acc>, !tile.view<2xf32>
  tile.return
}

// -----

// Weights come from registers, pairs of bf16 as words; a right operand as it is stored is transposed while it is read.
#acc = #tile.layout<registers = [2:1:1, 2:0:8, 2:1:8], lanes = [4:1:2, 8:0:1], warps = []>
// CHECK-LABEL: gpu.func @weights
// CHECK: llvm.bitcast {{.*}} : vector<2xbf16> to i32
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
// CHECK-NOT: nvvm.ldmatrix
// CHECK-COUNT-2: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
// CHECK-NOT: nvvm.ldmatrix
tile.kernel @weights(%x: !tile.view<2xbf16>, %y: !tile.view<2xf32>) attributes {schedule = #tile.schedule<warps = 1, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x [%c0, %c0] : !tile.view<2xbf16> -> tensor<16x16xbf16, #acc>
  %b = tile.alloc : !tile.buffer<16x16xbf16, <1, 2>>
  %acc = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %d = tile.dot %a, %b, %acc : tensor<16x16xbf16, #acc>, !tile.buffer<16x16xbf16, <1, 2>>, tensor<16x16xf32, #acc>
  tile.store %d, %y [%c0, %c0] : tensor<16x16xf32, #acc>, !tile.view<2xf32>
  tile.return
}
