// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt --emit-ptx %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: tilefold-base-opt --emit-ptx --chip=sm_90a %s | FileCheck %s --check-prefix=HOPPER
// RUN: not tilefold-base-opt --emit-ptx --chip=sm_1 %s 2>&1 | FileCheck %s --check-prefix=CHIP

// CHECK: .version 7.0
// CHECK: .target sm_80
// CHECK: .visible .entry add(
// CHECK: .param .u64 .ptr .global
// CHECK: .maxntid 128
// CHECK-NOT: .extern
// CHECK: ld.global.b32
// CHECK: add.rn.f32
// CHECK: st.global.b32

// HOPPER: .version 8.0
// HOPPER: .target sm_90a

// CHIP: error: unknown chip 'sm_1', expected one such as sm_80 or sm_90a
gpu.module @kernels {
  gpu.func @add(%gx: i32, %gy: i32, %gz: i32, %a: !llvm.ptr<1>, %n: i32, %stride: i64, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c128 = arith.constant 128 : i32
    %0 = arith.muli %block, %c128 : i32
    %i = arith.addi %0, %thread : i32
    %inside = arith.cmpi slt, %i, %n : i32
    scf.if %inside {
      %wide = arith.extsi %i : i32 to i64
      %at = arith.muli %wide, %stride : i64
      %pa = llvm.getelementptr %a[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %pb = llvm.getelementptr %b[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %pc = llvm.getelementptr %c[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %x = llvm.load %pa : !llvm.ptr<1> -> f32
      %y = llvm.load %pb : !llvm.ptr<1> -> f32
      %z = arith.addf %x, %y : f32
      llvm.store %z, %pc : f32, !llvm.ptr<1>
    }
    gpu.return
  }
}
