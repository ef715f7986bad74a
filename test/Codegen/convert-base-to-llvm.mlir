// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt %s --pass-pipeline='builtin.module(gpu.module(check-base,convert-base-to-llvm))' | FileCheck %s

// CHECK-LABEL: gpu.module @kernels
gpu.module @kernels {
  // CHECK: llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>

  // CHECK: llvm.func @attributes(
  // CHECK-SAME: gpu.kernel
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.maxntid = array<i32: 128, 1, 1>
  // CHECK-SAME: nvvm.minctasm = 2
  gpu.func @attributes() kernel attributes {known_block_size = array<i32: 128, 1, 1>, nvvm.minctasm = 2 : i32} {
    gpu.return
  }

  // CHECK-LABEL: llvm.func @machine
  gpu.func @machine(%x: f32, %v: vector<2xf32>, %p: i1) kernel {
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%arg0) : (f32) -> f32
    %0 = ptx.ex2 %x : f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
    %1 = ptx.lg2 %x : f32
    // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"({{.*}}) : (f32) -> f32
    %2 = ptx.rcp %v : vector<2xf32>
    // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.all"
    %3 = ptx.barrier_or %p
    // CHECK: llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
    %4 = ptx.dynamic_shared : !llvm.ptr<3>
    gpu.return
  }

  // Nothing of libdevice, which upstream's patterns would bring.
  // CHECK-LABEL: llvm.func @extrema
  // CHECK-NOT: __nv_
  // CHECK: llvm.intr.maxnum
  // CHECK: llvm.intr.minnum
  // CHECK: llvm.intr.maximum
  // CHECK: llvm.intr.fabs
  // CHECK: llvm.return
  gpu.func @extrema(%x: f32, %y: f32) kernel {
    %0 = arith.maxnumf %x, %y : f32
    %1 = arith.minnumf %x, %y : f32
    %2 = arith.maximumf %x, %y : f32
    %3 = math.absf %x : f32
    gpu.return
  }

  // CHECK-LABEL: llvm.func @vectors
  // CHECK-NOT: " *vector.{{[a-z]+}} "
  // CHECK: llvm.return
  gpu.func @vectors(%x: vector<8xf32>, %s: f32) kernel {
    %0 = vector.broadcast %s : f32 to vector<8xf32>
    %1 = vector.shuffle %x, %0 [0, 8, 1, 9] : vector<8xf32>, vector<8xf32>
    %2 = vector.extract %1[3] : f32 from vector<4xf32>
    %3 = vector.insert %2, %x [0] : f32 into vector<8xf32>
    %4 = vector.from_elements %2, %s : vector<2xf32>
    %5 = vector.extract_strided_slice %3 {offsets = [2], sizes = [2], strides = [1]} : vector<8xf32> to vector<2xf32>
    %6 = arith.truncf %5 : vector<2xf32> to vector<2xf16>
    %7 = vector.bitcast %6 : vector<2xf16> to vector<1xi32>
    %8 = vector.insert_strided_slice %4, %3 {offsets = [4], strides = [1]} : vector<2xf32> into vector<8xf32>
    %9:2 = vector.to_elements %4 : vector<2xf32>
    %10 = arith.cmpf une, %x, %x : vector<8xf32>
    %11 = vector.reduction <or>, %10 : vector<8xi1> into i1
    gpu.return
  }

  // CHECK-LABEL: llvm.func @loop
  // CHECK: llvm.cond_br
  gpu.func @loop(%n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = arith.constant dense<0.0> : vector<4xf32>
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (vector<4xf32>) : i32 {
      %b = ptx.ex2 %a : vector<4xf32>
      scf.yield %b : vector<4xf32>
    }
    gpu.return
  }
}
