// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels are compiled apart, at the same time; their text is that of one module.
// RUN: tilefold-base-opt --emit-ptx %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: tilefold-base-opt --emit-ptx --mlir-disable-threading %s | diff %t.ptx -
// Beside something that they may share they stay together.
// RUN: sed 's|^  // GLOBAL|  llvm.mlir.global external @table(7 : i32) {addr_space = 1 : i32} : i32|' %s | tilefold-base-opt --emit-ptx - -o %t.whole.ptx
// RUN: FileCheck %s --check-prefix=WHOLE < %t.whole.ptx
// RUN: grep -v "table" %t.whole.ptx | diff %t.ptx -

// CHECK: .version
// CHECK-NOT: .version
// CHECK: .extern .shared .align 128 .b8 shared_memory[];
// CHECK-NOT: .extern
// CHECK: .visible .entry plain(
// CHECK: $L__func_begin0:
// CHECK: .loc 1 10 1
// CHECK: $L__func_end0:
// CHECK: .visible .entry looping(
// CHECK: $L__func_begin1:
// CHECK: .loc 2 20 2
// CHECK: .loc 1 30 3
// CHECK: $L__BB1_{{[0-9]+}}:
// CHECK: $L__func_end1:
// CHECK: .file 1 "a.h"
// CHECK-NEXT: .file 2 "b.h"
// CHECK-NOT: .file
// WHOLE: .global .align 4 .u32 table = 7;
gpu.module @kernels {
  // GLOBAL
  gpu.func @plain(%p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c = arith.constant 1 : i32 loc("a.h":10:1)
    llvm.store %c, %p : i32, !llvm.ptr<1> loc("a.h":10:1)
    gpu.return loc("a.h":11:1)
  } loc("a.h":9:1)
  gpu.func @looping(%p: !llvm.ptr<1>, %n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : i32 loc("b.h":20:2)
    %c1 = arith.constant 1 : i32 loc("b.h":20:2)
    %shared = ptx.dynamic_shared : !llvm.ptr<3> loc("b.h":20:2)
    scf.for %i = %c0 to %n step %c1 : i32 {
      %at = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32 loc("a.h":30:3)
      %x = llvm.load %at : !llvm.ptr<3> -> i32 loc("a.h":30:3)
      llvm.store volatile %x, %p : i32, !llvm.ptr<1> loc("a.h":30:3)
    } loc("b.h":20:2)
    gpu.return loc("b.h":21:2)
  } loc("b.h":19:1)
}
