// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt %s | tilefold-base-opt | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @unary
  gpu.func @unary(%x: f32, %v: vector<64xf32>) kernel {
    // CHECK: ptx.ex2 %{{.*}} : f32
    %0 = ptx.ex2 %x : f32
    // CHECK: ptx.ex2 %{{.*}} : vector<64xf32>
    %1 = ptx.ex2 %v : vector<64xf32>
    // CHECK: ptx.lg2 %{{.*}} : f32
    %2 = ptx.lg2 %0 : f32
    // CHECK: ptx.rcp %{{.*}} : vector<64xf32>
    %3 = ptx.rcp %1 : vector<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @block
  gpu.func @block(%p: i1) kernel {
    // CHECK: ptx.barrier_or %{{.*}}
    %0 = ptx.barrier_or %p
    // CHECK: ptx.dynamic_shared : !llvm.ptr<3>
    %1 = ptx.dynamic_shared : !llvm.ptr<3>
    gpu.return
  }
}
