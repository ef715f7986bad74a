// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt --emit-ptx %s | FileCheck %s
// RUN: tilefold-base-opt --emit-ptx --no-lines %s | FileCheck %s --check-prefix=BARE

// A helper's own file and line win over the kernel's; nothing makes the target `debug`.
// CHECK: .target sm_80{{$}}
// CHECK: .entry kernel
// CHECK: .loc	[[KERNEL:[0-9]+]] 10
// CHECK: .loc	[[KERNEL]] 12 5
// CHECK: ex2.approx.ftz.f32
// CHECK: .loc	[[HELPER:[0-9]+]] 77 3
// CHECK: rcp.approx.ftz.f32
// CHECK-DAG: .file	[[KERNEL]] "dir{{/|" "}}kernel.h"
// CHECK-DAG: .file	[[HELPER]] "dir{{/|" "}}helper.h"
// CHECK-NOT: .section

// BARE-NOT: .loc
// BARE-NOT: .file
gpu.module @kernels {
  gpu.func @kernel(%x: f32, %y: !llvm.ptr<1>) kernel {
    %0 = ptx.ex2 %x : f32 loc("dir/kernel.h":12:5)
    %1 = ptx.rcp %0 : f32 loc(callsite("dir/helper.h":77:3 at "dir/kernel.h":13:5))
    llvm.store %1, %y : f32, !llvm.ptr<1> loc("dir/kernel.h":14:5)
    gpu.return loc(unknown)
  } loc("dir/kernel.h":10:1)
}
