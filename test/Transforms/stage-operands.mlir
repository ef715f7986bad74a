// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-stage-operands --split-input-file | FileCheck %s

// Both operands by asynchronous copies in one group, the right one read through a transposed view. In a loop a second
// barrier keeps the next step from overwriting what is still being read.
// CHECK-LABEL: tile.kernel @aligned
// CHECK-NOT: tile.load
// CHECK-DAG: %[[QB:.*]] = tile.alloc : !tile.buffer<64x128xf16, <3, 0>>
// CHECK-DAG: %[[KB:.*]] = tile.alloc : !tile.buffer<32x128xf16, <3, 0>>
// CHECK: tile.copy_async %arg0[{{.*}}] to %[[QB]]
// CHECK-NEXT: tile.commit_copies
// CHECK: tile.wait_copies 0
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: scf.for %[[J:[a-z0-9]+]] =
// CHECK: tile.copy_async %arg1[%[[J]], {{.*}}] to %[[KB]]
// CHECK-NEXT: tile.commit_copies
// CHECK: %[[T:.*]] = tile.transpose %[[KB]] : {{.*}} -> !tile.buffer<128x32xf16, <3, 0>, transposed>
// CHECK: tile.wait_copies 0
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.dot %[[QB]], %[[T]],
// CHECK: tile.barrier
// CHECK-NEXT: scf.yield
// CHECK-NOT: tile.barrier
// CHECK-NOT: tile.load
tile.kernel @aligned(%q: !tile.view<2xf16> {tile.name = "q", tile.role = "input", tile.aligned},
                     %k: !tile.view<2xf16> {tile.name = "k", tile.role = "input", tile.aligned},
                     %s: !tile.view<2xf32> {tile.name = "s", tile.role = "output"},
                     %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %qi = tile.load %q [%c0, %c0] : !tile.view<2xf16> -> tensor<64x128xf16>
  %r = scf.for %j = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i32 {
    %kj = tile.load %k [%j, %c0] : !tile.view<2xf16> -> tensor<32x128xf16>
    %t = tile.transpose %kj : tensor<32x128xf16> -> tensor<128x32xf16>
    %d = tile.dot %qi, %t, %acc : tensor<64x128xf16>, tensor<128x32xf16>, tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  tile.store %r, %s [%c0, %c0] : tensor<64x32xf32>, !tile.view<2xf32>
  tile.return
}

// -----

// Without alignment the right operand passes through registers, and what happens to its elements goes along. Weights
// made of scores are in registers already.
// CHECK-LABEL: tile.kernel @unaligned
// CHECK-NOT: tile.copy_async
// CHECK-NOT: tile.wait_copies
// CHECK: %[[B:.*]] = tile.alloc : !tile.buffer<16x80xf16, <1, 2>>
// CHECK: tile.copy %arg1[{{.*}}] to %[[B]] : !tile.view<2xf32>, !tile.buffer<16x80xf16, <1, 2>> {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[E]] : f32 to f16
// CHECK-NEXT: tile.yield %[[H]]
// CHECK: tile.barrier
// CHECK-NEXT: tile.dot %[[W:.*]], %[[B]], %{{.*}} : tensor<16x16xf16>, !tile.buffer
tile.kernel @unaligned(%p: !tile.view<2xf32> {tile.name = "p", tile.role = "input"},
                       %v: !tile.view<2xf32> {tile.name = "v", tile.role = "input"},
                       %o: !tile.view<2xf32> {tile.name = "o", tile.role = "output"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<16x80xf32>
  %x = tile.load %p [%c0, %c0] : !tile.view<2xf32> -> tensor<16x16xf32>
  %e = math.exp2 %x : tensor<16x16xf32>
  %w = arith.truncf %e : tensor<16x16xf32> to tensor<16x16xf16>
  %vj = tile.load %v [%c0, %c0] : !tile.view<2xf32> -> tensor<16x80xf32>
  %vh = arith.truncf %vj : tensor<16x80xf32> to tensor<16x80xf16>
  %d = tile.dot %w, %vh, %zero : tensor<16x16xf16>, tensor<16x80xf16>, tensor<16x80xf32>
  tile.store %d, %o [%c0, %c0] : tensor<16x80xf32>, !tile.view<2xf32>
  tile.return
}

// -----

// A tensor that the kernel stores to is read in order with the stores, not asynchronously.
// CHECK-LABEL: tile.kernel @stored
// CHECK-NOT: tile.copy_async
// CHECK: tile.store
// CHECK: tile.copy %arg0[{{.*}}]
// CHECK: tile.barrier
// CHECK: tile.dot
// CHECK-NOT: tile.copy_async
tile.kernel @stored(%v: !tile.view<2xf16> {tile.name = "v", tile.role = "inout", tile.aligned},
                    %o: !tile.view<2xf32> {tile.name = "o", tile.role = "output"}) {
  %w = arith.constant dense<0.0> : tensor<16x16xf16>
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  tile.store %w, %v [%c0, %c0] : tensor<16x16xf16>, !tile.view<2xf16>
  %vj = tile.load %v [%c0, %c0] : !tile.view<2xf16> -> tensor<16x16xf16>
  %d = tile.dot %w, %vj, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tile.store %d, %o [%c0, %c0] : tensor<16x16xf32>, !tile.view<2xf32>
  tile.return
}

// -----

// A right operand that comes from no single load is computed and written; a reader beside the product reads the buffer.
// CHECK-LABEL: tile.kernel @written
// CHECK: tile.copy_async
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: tile.write %[[SUM]], %[[B:.*]] :
// CHECK: tile.barrier
// CHECK: tile.dot %{{.*}}, %[[B]]
// CHECK: tile.read %{{.*}} : !tile.buffer<16x16xf16, <1, 2>> -> tensor<16x16xf16>
tile.kernel @written(%x: !tile.view<2xf16> {tile.name = "x", tile.role = "input", tile.aligned},
                     %y: !tile.view<2xf16> {tile.name = "y", tile.role = "input", tile.aligned},
                     %o: !tile.view<2xf16> {tile.name = "o", tile.role = "output"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.load %x [%c0, %c0] : !tile.view<2xf16> -> tensor<16x16xf16>
  %b = tile.load %y [%c0, %c0] : !tile.view<2xf16> -> tensor<16x16xf16>
  %c = tile.load %y [%c0, %c0] : !tile.view<2xf16> -> tensor<16x16xf16>
  %sum = arith.addf %b, %c : tensor<16x16xf16>
  %d = tile.dot %a, %sum, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tile.store %a, %o [%c0, %c0] : tensor<16x16xf16>, !tile.view<2xf16>
  tile.return
}
