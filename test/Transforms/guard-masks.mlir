// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-guard-masks --canonicalize --cse --loop-invariant-code-motion | FileCheck %s

// Causal and sequence end in one branch: j + 7 <= first, as j < first - 6, and j + 7 < n.
// CHECK-LABEL: tile.kernel @causal
// CHECK-DAG: %[[C6:.*]] = arith.constant -6 : i64
// CHECK-DAG: %[[C7:.*]] = arith.constant -7 : i64
// CHECK-DAG: %[[ROW:.*]] = tile.program_id 0
// CHECK-DAG: %[[FIRST:.*]] = arith.extsi %[[ROW]] : i32 to i64
// CHECK-DAG: %[[LAST:.*]] = arith.addi %[[FIRST]], %[[C6]] : i64
// CHECK-DAG: %[[SIZE:.*]] = tile.size
// CHECK-DAG: %[[N:.*]] = arith.extsi %[[SIZE]] : i32 to i64
// CHECK-DAG: %[[END:.*]] = arith.addi %[[N]], %[[C7]] : i64
// CHECK: scf.for %[[J:.*]] =
// CHECK-NEXT: %[[X:.*]] = tile.load
// CHECK-NEXT: %[[K:.*]] = arith.extsi %[[J]]
// CHECK-NEXT: %[[ABOVE:.*]] = arith.cmpi slt, %[[K]], %[[LAST]] : i64
// CHECK-NEXT: %[[WITHIN:.*]] = arith.cmpi slt, %[[K]], %[[END]] : i64
// CHECK-NEXT: %[[ALL:.*]] = arith.andi %[[ABOVE]], %[[WITHIN]] : i1
// CHECK-NEXT: %[[R:.*]] = scf.if %[[ALL]]
// CHECK-NEXT: scf.yield %[[X]]
// CHECK-NEXT: } else {
// CHECK-COUNT-2: arith.select
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.store %[[R]]
tile.kernel @causal(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"}) {
  %n = tile.size %x, 1 : !tile.view<2xf32> -> i32
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %fill = arith.constant dense<0xFF800000> : tensor<16x8xf32>
  %i16 = tile.iota : tensor<16xi32>
  %first = tile.program_id 0
  %fs = tile.splat %first : i32 -> tensor<16xi32>
  %rows = arith.addi %fs, %i16 : tensor<16xi32>
  %rows1 = tile.expand %rows, 1 : tensor<16xi32> -> tensor<16x1xi32>
  scf.for %j = %c0 to %n step %c8 : i32 {
    %s = tile.load %x [%c0, %j] : !tile.view<2xf32> -> tensor<16x8xf32>
    %i8 = tile.iota : tensor<8xi32>
    %js = tile.splat %j : i32 -> tensor<8xi32>
    %keys = arith.addi %js, %i8 : tensor<8xi32>
    %keys1 = tile.expand %keys, 0 : tensor<8xi32> -> tensor<1x8xi32>
    %q = tile.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x8xi32>
    %k = tile.broadcast %keys1 : tensor<1x8xi32> -> tensor<16x8xi32>
    %below = arith.cmpi sge, %q, %k : tensor<16x8xi32>
    %t = arith.select %below, %s, %fill : tensor<16x8xi1>, tensor<16x8xf32>
    %ns = tile.splat %n : i32 -> tensor<1x8xi32>
    %in = arith.cmpi slt, %keys1, %ns : tensor<1x8xi32>
    %inside = tile.broadcast %in : tensor<1x8xi1> -> tensor<16x8xi1>
    %u = arith.select %inside, %t, %fill : tensor<16x8xi1>, tensor<16x8xf32>
    tile.store %u, %x [%c0, %j] : tensor<16x8xf32>, !tile.view<2xf32>
  }
  tile.return
}

// A window is two comparisons of a difference; true for q - k < 100 as j > first - 85, and for k - q <= 3 as j < first - 3.
// CHECK-LABEL: tile.kernel @window
// CHECK-DAG: arith.constant -85 : i64
// CHECK-DAG: arith.constant -3 : i64
// CHECK: scf.for
// CHECK: arith.cmpi sgt, %{{.*}} : i64
// CHECK: arith.cmpi slt, %{{.*}} : i64
// CHECK: scf.if
tile.kernel @window(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "inout"}) {
  %n = tile.size %x, 1 : !tile.view<2xf32> -> i32
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %fill = arith.constant dense<0xFF800000> : tensor<16x8xf32>
  %i16 = tile.iota : tensor<16xi32>
  %first = tile.program_id 0
  %fs = tile.splat %first : i32 -> tensor<16xi32>
  %rows = arith.addi %fs, %i16 : tensor<16xi32>
  %rows1 = tile.expand %rows, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %left = arith.constant dense<100> : tensor<16x8xi32>
  %right = arith.constant dense<3> : tensor<16x8xi32>
  scf.for %j = %c0 to %n step %c8 : i32 {
    %s = tile.load %x [%c0, %j] : !tile.view<2xf32> -> tensor<16x8xf32>
    %i8 = tile.iota : tensor<8xi32>
    %js = tile.splat %j : i32 -> tensor<8xi32>
    %keys = arith.addi %js, %i8 : tensor<8xi32>
    %keys1 = tile.expand %keys, 0 : tensor<8xi32> -> tensor<1x8xi32>
    %q = tile.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x8xi32>
    %k = tile.broadcast %keys1 : tensor<1x8xi32> -> tensor<16x8xi32>
    %d = arith.subi %q, %k : tensor<16x8xi32>
    %e = arith.subi %k, %q : tensor<16x8xi32>
    %a = arith.cmpi slt, %d, %left : tensor<16x8xi32>
    %b = arith.cmpi sle, %e, %right : tensor<16x8xi32>
    %m = arith.andi %a, %b : tensor<16x8xi1>
    %t = arith.select %m, %s, %fill : tensor<16x8xi1>, tensor<16x8xf32>
    tile.store %t, %x [%c0, %j] : tensor<16x8xf32>, !tile.view<2xf32>
  }
  tile.return
}

// A mask that is always true is removed; of the rest, what is understood is guarded.
// CHECK-LABEL: tile.kernel @always
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.load {{.*}} -> tensor<8xf32>
// CHECK: %[[KEEP:.*]] = tile.load {{.*}} -> tensor<8xi1>
// CHECK: %[[T:.*]] = arith.select %[[KEEP]], %[[S]],
// CHECK: %[[ALL:.*]] = arith.cmpi slt, %{{.*}} : i64
// CHECK: scf.if %[[ALL]]
// CHECK-NEXT: scf.yield %[[T]]
// CHECK: arith.select
// CHECK-NOT: arith.select
tile.kernel @always(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "inout"},
                    %keep: !tile.view<1xi1> {tile.name = "keep", tile.role = "input"}) {
  %n = tile.size %x, 0 : !tile.view<1xf32> -> i32
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %fill = arith.constant dense<0.0> : tensor<8xf32>
  %eight = arith.constant dense<8> : tensor<8xi32>
  scf.for %j = %c0 to %n step %c8 : i32 {
    %s = tile.load %x [%j] : !tile.view<1xf32> -> tensor<8xf32>
    %k = tile.load %keep [%j] : !tile.view<1xi1> -> tensor<8xi1>
    %i8 = tile.iota : tensor<8xi32>
    %js = tile.splat %j : i32 -> tensor<8xi32>
    %keys = arith.addi %js, %i8 : tensor<8xi32>
    %ns = tile.splat %n : i32 -> tensor<8xi32>
    %in = arith.cmpi slt, %keys, %ns : tensor<8xi32>
    %true = arith.cmpi slt, %i8, %eight : tensor<8xi32>
    %t = arith.select %in, %s, %fill : tensor<8xi1>, tensor<8xf32>
    %u = arith.select %k, %t, %fill : tensor<8xi1>, tensor<8xf32>
    %v = arith.select %true, %u, %fill : tensor<8xi1>, tensor<8xf32>
    tile.store %v, %x [%j] : tensor<8xf32>, !tile.view<1xf32>
  }
  tile.return
}

// A scalar argument may be anything, INT_MAX for no limit too: j + 7 + right must also stay in the range of i32, in which the mask
// wraps around. So must the sum of two positions. (What a branch decides in i64 is what the mask in i32 comes to.)
// CHECK-LABEL: tile.kernel @wraps
// CHECK-DAG: arith.constant 2147483641 : i64
// CHECK: scf.for
// CHECK: %[[LESS:.*]] = arith.cmpi {{.*}} : i64
// CHECK: arith.cmpi {{.*}} : i64
// CHECK: arith.cmpi {{.*}} : i64
// CHECK: scf.if
tile.kernel @wraps(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "inout"},
                   %n: i32 {tile.name = "n", tile.role = "scalar"},
                   %right: i32 {tile.name = "right", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %fill = arith.constant dense<0.0> : tensor<8xf32>
  %q = tile.program_id 0
  %qs = tile.splat %q : i32 -> tensor<8xi32>
  scf.for %j = %c0 to %n step %c8 : i32 {
    %s = tile.load %x [%j] : !tile.view<1xf32> -> tensor<8xf32>
    %i8 = tile.iota : tensor<8xi32>
    %js = tile.splat %j : i32 -> tensor<8xi32>
    %keys = arith.addi %js, %i8 : tensor<8xi32>
    %rs = tile.splat %right : i32 -> tensor<8xi32>
    %end = arith.addi %keys, %rs : tensor<8xi32>
    %in = arith.cmpi slt, %qs, %end : tensor<8xi32>
    %t = arith.select %in, %s, %fill : tensor<8xi1>, tensor<8xf32>
    tile.store %t, %x [%j] : tensor<8xf32>, !tile.view<1xf32>
  }
  tile.return
}

// A position of the grid times a number that is no block's extent may be anything too.
// CHECK-LABEL: tile.kernel @far
// CHECK-DAG: arith.constant -2147483641 : i64
// CHECK-COUNT-3: arith.cmpi slt, {{.*}} : i64
// CHECK: scf.for
tile.kernel @far(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "inout"}) {
  %n = tile.size %x, 0 : !tile.view<1xf32> -> i32
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %block = arith.constant 2147483600 : i32
  %fill = arith.constant dense<0.0> : tensor<8xf32>
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %q = tile.program_id 0
  %first = arith.muli %q, %block : i32
  scf.for %j = %c0 to %n step %c8 : i32 {
    %s = tile.load %x [%j] : !tile.view<1xf32> -> tensor<8xf32>
    %i8 = tile.iota : tensor<8xi32>
    %fs = tile.splat %first : i32 -> tensor<8xi32>
    %keys = arith.addi %fs, %i8 : tensor<8xi32>
    %in = arith.cmpi sge, %keys, %zeros : tensor<8xi32>
    %t = arith.select %in, %s, %fill : tensor<8xi1>, tensor<8xf32>
    tile.store %t, %x [%j] : tensor<8xf32>, !tile.view<1xf32>
  }
  tile.return
}
