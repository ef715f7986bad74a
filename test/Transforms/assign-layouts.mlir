// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-assign-layouts --split-input-file | FileCheck %s

// Accumulators of mma.m16n8k16, four warps below each other. The row maximum keeps the rows, its repetition replicates
// along the columns, and weights become the left operand without moving: both layouts name the same registers.
// CHECK-DAG: #[[ACC:.*]] = #tile.layout<registers = [2:1:1, 2:0:8, 2:1:8], lanes = [4:1:2, 8:0:1], warps = [4:0:16]>
// CHECK-DAG: #[[ROWS:.*]] = #tile.layout<registers = [2:0:8], lanes = [4:0:0, 8:0:1], warps = [4:0:16]>
// CHECK-LABEL: tile.kernel @products
// CHECK: scf.for {{.*}} -> (tensor<64x32xf32, #[[WIDE:.*]]>)
// CHECK: %[[S:.*]] = tile.dot {{.*}}, tensor<64x16xf32, #[[ACC]]>
// CHECK: %[[M:.*]] = tile.reduce max %[[S]], 1 : tensor<64x16xf32, #[[ACC]]> -> tensor<64xf32, #[[ROWS]]>
// CHECK: tile.expand %[[M]], 1 : tensor<64xf32, #[[ROWS]]> -> tensor<64x1xf32, #[[COLUMN:.*]]>
// CHECK: tile.broadcast {{.*}} : tensor<64x1xf32, #[[COLUMN]]> -> tensor<64x16xf32, #[[ACC]]>
// CHECK: %[[P:.*]] = arith.truncf {{.*}} to tensor<64x16xf16, #[[ACC]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.dot %[[P]], {{.*}} : tensor<64x16xf16, #[[ACC]]>, {{.*}}, tensor<64x32xf32, #[[WIDE]]>
// CHECK-NOT: tile.convert_layout
tile.kernel @products(%o: !tile.view<2xf32>, %n: i32) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %q = tile.alloc : !tile.buffer<64x64xf16, <3, 0>>
  %k = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  %v = tile.alloc : !tile.buffer<16x32xf16, <2, 1>>
  %t = tile.transpose %k : !tile.buffer<16x64xf16, <3, 0>> -> !tile.buffer<64x16xf16, <3, 0>, transposed>
  %r = scf.for %j = %c0 to %n step %c16 iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
    %s = tile.dot %q, %t, %zero : !tile.buffer<64x64xf16, <3, 0>>, !tile.buffer<64x16xf16, <3, 0>, transposed>, tensor<64x16xf32>
    %m = tile.reduce max %s, 1 : tensor<64x16xf32> -> tensor<64xf32>
    %me = tile.expand %m, 1 : tensor<64xf32> -> tensor<64x1xf32>
    %mb = tile.broadcast %me : tensor<64x1xf32> -> tensor<64x16xf32>
    %d = arith.subf %s, %mb : tensor<64x16xf32>
    %p = math.exp2 %d : tensor<64x16xf32>
    %h = arith.truncf %p : tensor<64x16xf32> to tensor<64x16xf16>
    %a = tile.dot %h, %v, %acc : tensor<64x16xf16>, !tile.buffer<16x32xf16, <2, 1>>, tensor<64x32xf32>
    scf.yield %a : tensor<64x32xf32>
  }
  tile.store %r, %o [%c0, %c0] : tensor<64x32xf32>, !tile.view<2xf32>
  tile.return
}

// -----

// Without products: sixteen bytes of each thread, neighbouring threads side by side.
// CHECK: #[[BLOCKED:.*]] = #tile.layout<registers = [4:0:1, 2:0:512], lanes = [32:0:4], warps = [4:0:128]>
// CHECK-LABEL: tile.kernel @blocked
// CHECK: tile.load {{.*}} -> tensor<1024xf32, #[[BLOCKED]]>
// CHECK: math.exp2 {{.*}} : tensor<1024xf32, #[[BLOCKED]]>
tile.kernel @blocked(%x: !tile.view<1xf32>, %y: !tile.view<1xf32>) attributes {schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<1024xf32>
  %e = math.exp2 %t : tensor<1024xf32>
  tile.store %e, %y [%c0] : tensor<1024xf32>, !tile.view<1xf32>
  tile.return
}

// -----

// Two warps share the columns of one block of rows: each weight is needed by both, so it moves; the mask, a formula of
// positions, is computed where it is needed.
// CHECK-LABEL: tile.kernel @moved
// CHECK: %[[S:.*]] = tile.dot {{.*}}, tensor<16x32xf32, #[[ACC:.*]]>
// CHECK: arith.select {{.*}} : tensor<16x32xi1, #[[ACC]]>, tensor<16x32xf32, #[[ACC]]>
// CHECK: %[[H:.*]] = arith.truncf
// CHECK: %[[LEFT:.*]] = tile.convert_layout %[[H]] : tensor<16x32xf16, #[[ACC]]> -> tensor<16x32xf16, #[[OPERAND:.*]]>
// CHECK: tile.dot %[[LEFT]]
// CHECK-NOT: tile.convert_layout
tile.kernel @moved(%o: !tile.view<2xf32>, %n: i32) attributes {schedule = #tile.schedule<warps = 2, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %q = tile.alloc : !tile.buffer<16x64xf16, <3, 0>>
  %k = tile.alloc : !tile.buffer<64x32xf16, <2, 1>>
  %v = tile.alloc : !tile.buffer<32x32xf16, <2, 1>>
  %i = tile.iota : tensor<32xi32>
  %ie = tile.expand %i, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ib = tile.broadcast %ie : tensor<1x32xi32> -> tensor<16x32xi32>
  %nb = tile.splat %n : i32 -> tensor<16x32xi32>
  %in = arith.cmpi slt, %ib, %nb : tensor<16x32xi32>
  %s = tile.dot %q, %k, %zero : !tile.buffer<16x64xf16, <3, 0>>, !tile.buffer<64x32xf16, <2, 1>>, tensor<16x32xf32>
  %w = arith.select %in, %s, %zero : tensor<16x32xi1>, tensor<16x32xf32>
  %h = arith.truncf %w : tensor<16x32xf32> to tensor<16x32xf16>
  %d = tile.dot %h, %v, %zero : tensor<16x32xf16>, !tile.buffer<32x32xf16, <2, 1>>, tensor<16x32xf32>
  tile.store %d, %o [%c0, %c0] : tensor<16x32xf32>, !tile.view<2xf32>
  tile.return
}
