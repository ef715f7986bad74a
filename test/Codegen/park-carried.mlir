// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-base-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(park-carried)))' --split-input-file | FileCheck %s

// The sum of stretches waits in local memory while the next one is computed: read in parts where it is added, written if another
// stretch follows.
// CHECK-LABEL: gpu.func @stretches
// CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x !llvm.array<8 x f32>
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %[[LO:.*]] to %[[HI:.*]] step %[[STEP:.*]] iter_args(%[[SUM:.*]] =
// CHECK-NOT: %[[SUM]]
// CHECK: %[[PART:.*]] = scf.for
// CHECK: %[[NEXT:.*]] = scf.if
// CHECK: } else {
// CHECK: %[[OLD:.*]] = llvm.load volatile %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<2xf32>
// CHECK: %[[NEW:.*]] = vector.extract_strided_slice %[[PART]] {offsets = [0], sizes = [2], strides = [1]}
// CHECK: arith.addf %[[OLD]], %[[NEW]] : vector<2xf32>
// CHECK-COUNT-3: llvm.load volatile
// CHECK-NOT: llvm.load
// CHECK: }
// CHECK: %[[AFTER:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[AFTER]], %[[HI]]
// CHECK: scf.if %[[MORE]] {
// CHECK-COUNT-4: llvm.store volatile
// CHECK: }
// CHECK: scf.yield %[[NEXT]]
gpu.module @kernels {
  gpu.func @stretches(%lo: i32, %hi: i32, %out: !llvm.ptr<1>) kernel {
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %r = scf.for %i = %lo to %hi step %c64 iter_args(%sum = %zero) -> (vector<8xf32>) : i32 {
      %part = scf.for %j = %i to %hi step %c1 iter_args(%acc = %zero) -> (vector<8xf32>) : i32 {
        %a = arith.addf %acc, %one : vector<8xf32>
        scf.yield %a : vector<8xf32>
      }
      %first = arith.cmpi eq, %i, %lo : i32
      %next = scf.if %first -> (vector<8xf32>) {
        scf.yield %part : vector<8xf32>
      } else {
        %a = arith.addf %sum, %part : vector<8xf32>
        scf.yield %a : vector<8xf32>
      }
      scf.yield %next : vector<8xf32>
    }
    llvm.store %r, %out : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// The first step reads the initial value, so that it cannot be left out.
// CHECK-LABEL: gpu.func @read_at_once
// CHECK-NOT: llvm.alloca
gpu.module @kernels {
  gpu.func @read_at_once(%lo: i32, %hi: i32, %out: !llvm.ptr<1>) kernel {
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %r = scf.for %i = %lo to %hi step %c64 iter_args(%sum = %zero) -> (vector<8xf32>) : i32 {
      %part = scf.for %j = %i to %hi step %c1 iter_args(%acc = %zero) -> (vector<8xf32>) : i32 {
        %a = arith.addf %acc, %one : vector<8xf32>
        scf.yield %a : vector<8xf32>
      }
      %a = arith.addf %sum, %part : vector<8xf32>
      scf.yield %a : vector<8xf32>
    }
    llvm.store %r, %out : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Nothing to gain where no loop is inside.
// CHECK-LABEL: gpu.func @no_loop_inside
// CHECK-NOT: llvm.alloca
gpu.module @kernels {
  gpu.func @no_loop_inside(%lo: i32, %hi: i32, %out: !llvm.ptr<1>) kernel {
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %r = scf.for %i = %lo to %hi step %c64 iter_args(%sum = %zero) -> (vector<8xf32>) : i32 {
      %first = arith.cmpi eq, %i, %lo : i32
      %next = scf.if %first -> (vector<8xf32>) {
        scf.yield %one : vector<8xf32>
      } else {
        %a = arith.addf %sum, %one : vector<8xf32>
        scf.yield %a : vector<8xf32>
      }
      scf.yield %next : vector<8xf32>
    }
    llvm.store %r, %out : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }
}
