// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base | sed 's/nvvm.read.ptx.sreg.tid.x : i32/arith.constant 32 : i32/' \
// RUN:   | tilefold-base-opt --canonicalize | FileCheck %s

// Where the first lane of the second warp reads: its columns 48, 64 and 80 are chunks 6, 8 and 10 of a row of 12, behind a
// left operand of 512 bytes. Six is no multiple of the four chunks that are permuted.
#acc = #tile.layout<registers = [2:1:1, 2:0:8, 6:1:8], lanes = [4:1:2, 8:0:1], warps = [2:1:48]>
// CHECK-LABEL: gpu.func @second_warp
// CHECK: %[[BASE:.*]] = ptx.dynamic_shared
// CHECK: nvvm.ldmatrix %[[BASE]]
// CHECK: %[[C6:.*]] = llvm.getelementptr %[[BASE]][608]
// CHECK: nvvm.ldmatrix %[[C6]]
// CHECK: %[[C8:.*]] = llvm.getelementptr %[[BASE]][640]
// CHECK: nvvm.ldmatrix %[[C8]]
// CHECK: %[[C10:.*]] = llvm.getelementptr %[[C6]][64]
// CHECK: nvvm.ldmatrix %[[C10]]
// CHECK-NOT: nvvm.ldmatrix
tile.kernel @second_warp(%y: !tile.view<2xf32>) attributes {schedule = #tile.schedule<warps = 2, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %a = tile.alloc : !tile.buffer<16x16xf16, <1, 2>>
  %b = tile.alloc : !tile.buffer<16x96xf16, <2, 1>>
  %acc = arith.constant dense<0.0> : tensor<16x96xf32, #acc>
  %d = tile.dot %a, %b, %acc : !tile.buffer<16x16xf16, <1, 2>>, !tile.buffer<16x96xf16, <2, 1>>, tensor<16x96xf32, #acc>
  tile.store %d, %y [%c0, %c0] : tensor<16x96xf32, #acc>, !tile.view<2xf32>
  tile.return
}
