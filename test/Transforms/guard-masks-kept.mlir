// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --tile-guard-masks | FileCheck %s
// CHECK-NOT: scf.if

// Products with run-time scalars may wrap around; a mask outside a loop runs once.
tile.kernel @kept(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "inout"},
                  %n: i32 {tile.name = "n", tile.role = "scalar"}) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %fill = arith.constant dense<0.0> : tensor<8xf32>
  %i8 = tile.iota : tensor<8xi32>
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %in = arith.cmpi slt, %i8, %ns : tensor<8xi32>
  %hash = arith.muli %i8, %ns : tensor<8xi32>
  %odd = arith.cmpi slt, %hash, %ns : tensor<8xi32>
  %unsigned = arith.cmpi ult, %i8, %ns : tensor<8xi32>
  %s = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<8xf32>
  %once = arith.select %in, %s, %fill : tensor<8xi1>, tensor<8xf32>
  tile.store %once, %x [%c0] : tensor<8xf32>, !tile.view<1xf32>
  scf.for %j = %c0 to %n step %c8 : i32 {
    %t = tile.load %x [%j] : !tile.view<1xf32> -> tensor<8xf32>
    %u = arith.select %odd, %t, %fill : tensor<8xi1>, tensor<8xf32>
    %v = arith.select %unsigned, %u, %fill : tensor<8xi1>, tensor<8xf32>
    tile.store %v, %x [%j] : tensor<8xf32>, !tile.view<1xf32>
  }
  tile.return
}
