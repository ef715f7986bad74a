// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --convert-tile-to-base --split-input-file | FileCheck %s
#rows = #tile.layout<registers = [8:1:1], lanes = [8:1:8, 4:0:1], warps = []>

// Slot i begins 512 bytes after the one before. A thread's eight elements are one chunk, at chunk ^ (row & 7) of its row of 128
// bytes: one access of 16 bytes, the same place for writing and reading.
// CHECK-LABEL: gpu.func @ring
// CHECK-SAME: %[[I:[a-z0-9]+]]: i32) kernel
// CHECK-SAME: tilefold.shared_bytes = 1024
// CHECK: %[[SHARED:.*]] = ptx.dynamic_shared
// CHECK: %[[ROW:.*]] = arith.divui %{{.*}}, %c8_i32
// CHECK: %[[SLOT:.*]] = arith.muli %[[I]], %c512_i32 : i32
// CHECK: %[[CHUNK:.*]] = arith.divui %{{.*}}, %c8_i32
// CHECK: %[[LOW:.*]] = arith.andi %[[ROW]], %c7_i32
// CHECK: %[[SWIZZLED:.*]] = arith.xori %[[CHUNK]], %[[LOW]]
// CHECK: arith.muli %[[ROW]], %c128_i32
// CHECK: arith.muli %[[SWIZZLED]], %c16_i32
// CHECK: %[[AT:.*]] = arith.addi %[[SLOT]], %{{.*}} : i32
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[SHARED]][%[[AT]]]
// CHECK: llvm.store %{{.*}}, %[[PLACE]] {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: arith.xori
// CHECK: arith.addi %[[SLOT]], %{{.*}} : i32
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK-NOT: !llvm.ptr<3>
tile.kernel @ring(%x: !tile.view<2xf16>, %y: !tile.view<2xf16>, %i: i32) attributes {schedule = #tile.schedule<warps = 1, stages = 1>} {
  %c0 = arith.constant 0 : i32
  %ring = tile.alloc : !tile.buffer<2x4x64xf16, <3, 0>>
  %slot = tile.slot %ring [%i] : !tile.buffer<2x4x64xf16, <3, 0>> -> !tile.buffer<4x64xf16, <3, 0>>
  %t = arith.constant dense<1.0> : tensor<4x64xf16, #rows>
  tile.write %t, %slot : tensor<4x64xf16, #rows>, !tile.buffer<4x64xf16, <3, 0>>
  tile.barrier
  %r = tile.read %slot : !tile.buffer<4x64xf16, <3, 0>> -> tensor<4x64xf16, #rows>
  tile.store %r, %y [%c0, %c0] : tensor<4x64xf16, #rows>, !tile.view<2xf16>
  tile.return
}
