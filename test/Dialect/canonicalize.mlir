// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: tile.kernel @transpose_twice
// CHECK-NOT:     tile.transpose
// CHECK:         tile.store %[[T:.*]], %{{.*}}
tile.kernel @transpose_twice(%x: !tile.view<2xf16>, %i: i32) {
  %t = tile.load %x [%i, %i] : !tile.view<2xf16> -> tensor<8x16xf16>
  %a = tile.transpose %t : tensor<8x16xf16> -> tensor<16x8xf16>
  %b = tile.transpose %a : tensor<16x8xf16> -> tensor<8x16xf16>
  tile.store %b, %x [%i, %i] : tensor<8x16xf16>, !tile.view<2xf16>
  tile.return
}

// CHECK-LABEL: tile.kernel @broadcasts
// CHECK:         %[[T:.*]] = tile.load
// CHECK-NEXT:    %[[B:.*]] = tile.broadcast %[[T]] : tensor<1x1xf16> -> tensor<8x16xf16>
// CHECK-NEXT:    tile.store %[[B]]
tile.kernel @broadcasts(%x: !tile.view<2xf16>, %i: i32) {
  %t = tile.load %x [%i, %i] : !tile.view<2xf16> -> tensor<1x1xf16>
  %a = tile.broadcast %t : tensor<1x1xf16> -> tensor<8x1xf16>
  %b = tile.broadcast %a : tensor<8x1xf16> -> tensor<8x16xf16>
  %c = tile.broadcast %b : tensor<8x16xf16> -> tensor<8x16xf16>
  tile.store %c, %x [%i, %i] : tensor<8x16xf16>, !tile.view<2xf16>
  tile.return
}

// What moves elements moves a constant.
// CHECK-LABEL: tile.kernel @constants
// CHECK:         %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<16x8xf32>
// CHECK-NEXT:    tile.store %[[C]]
tile.kernel @constants(%x: !tile.view<2xf32>, %i: i32) {
  %s = arith.constant 2.0 : f32
  %v = tile.splat %s : f32 -> tensor<8xf32>
  %c = tile.expand %v, 1 : tensor<8xf32> -> tensor<8x1xf32>
  %b = tile.broadcast %c : tensor<8x1xf32> -> tensor<8x16xf32>
  %t = tile.transpose %b : tensor<8x16xf32> -> tensor<16x8xf32>
  tile.store %t, %x [%i, %i] : tensor<16x8xf32>, !tile.view<2xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @splats
// CHECK-SAME:    (%{{.*}}: !tile.view<2xf32>, %[[S:.*]]: f32, %{{.*}}: i32)
// CHECK:         %[[T:.*]] = tile.splat %[[S]] : f32 -> tensor<16x8xf32>
// CHECK-NEXT:    tile.store %[[T]]
tile.kernel @splats(%x: !tile.view<2xf32>, %s: f32, %i: i32) {
  %v = tile.splat %s : f32 -> tensor<8xf32>
  %c = tile.expand %v, 1 : tensor<8xf32> -> tensor<8x1xf32>
  %b = tile.broadcast %c : tensor<8x1xf32> -> tensor<8x16xf32>
  %t = tile.transpose %b : tensor<8x16xf32> -> tensor<16x8xf32>
  tile.store %t, %x [%i, %i] : tensor<16x8xf32>, !tile.view<2xf32>
  tile.return
}

// The maximum of equal elements is known; a sum depends on how it is rounded.
// CHECK-LABEL: tile.kernel @reductions
// CHECK-DAG:     %[[M:.*]] = arith.constant 3.000000e+00 : f32
// CHECK-DAG:     %[[C:.*]] = arith.constant dense<3.000000e+00> : tensor<8xf32>
// CHECK:         %[[S:.*]] = tile.reduce sum %[[C]]
// CHECK:         arith.addf %[[S]], %[[M]]
tile.kernel @reductions(%x: !tile.view<1xf32>, %i: i32) {
  %c = arith.constant dense<3.0> : tensor<8xf32>
  %m = tile.reduce max %c, 0 : tensor<8xf32> -> f32
  %s = tile.reduce sum %c, 0 : tensor<8xf32> -> f32
  %r = arith.addf %s, %m : f32
  %t = tile.splat %r : f32 -> tensor<1xf32>
  tile.store %t, %x [%i] : tensor<1xf32>, !tile.view<1xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @any_of_a_constant
// CHECK-NOT:     scf.if
// CHECK:         tile.return
tile.kernel @any_of_a_constant(%x: !tile.view<1xi1>, %i: i32) {
  %c = arith.constant dense<false> : tensor<8xi1>
  %any = tile.any %c : tensor<8xi1>
  scf.if %any {
    tile.store %c, %x [%i] : tensor<8xi1>, !tile.view<1xi1>
  }
  tile.return
}

// Sizes and strides are asked of the argument.
// CHECK-LABEL: tile.kernel @sizes
// CHECK-SAME:    (%[[X:.*]]: !tile.view<4xf16>, %{{.*}}: !tile.view<1xi32>, %[[I:.*]]: i32, %[[N:.*]]: i32)
// CHECK-DAG:     %[[D1:.*]] = tile.size %[[X]], 1 : !tile.view<4xf16> -> i32
// CHECK-DAG:     tile.stride %[[X]], 3
// CHECK:         arith.addi %[[D1]], %[[N]]
tile.kernel @sizes(%x: !tile.view<4xf16>, %y: !tile.view<1xi32>, %i: i32, %n: i32) {
  %s = tile.slice %x [%i, %i] at [0, 2] : !tile.view<4xf16> -> !tile.view<2xf16>
  %v = tile.narrow %s, 1 [%i, %n] : !tile.view<2xf16>
  %d0 = tile.size %v, 0 : !tile.view<2xf16> -> i32
  %d1 = tile.size %v, 1 : !tile.view<2xf16> -> i32
  %step = tile.stride %v, 1 : !tile.view<2xf16>
  %narrow = arith.trunci %step : i64 to i32
  %a = arith.addi %d0, %d1 : i32
  %b = arith.addi %a, %narrow : i32
  %t = tile.splat %b : i32 -> tensor<1xi32>
  tile.store %t, %y [%i] : tensor<1xi32>, !tile.view<1xi32>
  tile.return
}

// CHECK-LABEL: tile.kernel @slices
// CHECK-SAME:    (%[[X:.*]]: !tile.view<4xf16>, %[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i32)
// CHECK:         %[[S:.*]] = tile.slice %[[X]][%[[B]], %[[A]], %[[C]]] at [0, 1, 3] : !tile.view<4xf16> -> !tile.view<1xf16>
// CHECK-NEXT:    tile.load %[[S]]
tile.kernel @slices(%x: !tile.view<4xf16>, %a: i32, %b: i32, %c: i32) {
  %all = tile.slice %x [] at [] : !tile.view<4xf16> -> !tile.view<4xf16>
  %s = tile.slice %all [%a] at [1] : !tile.view<4xf16> -> !tile.view<3xf16>
  %t = tile.slice %s [%b, %c] at [0, 2] : !tile.view<3xf16> -> !tile.view<1xf16>
  %v = tile.load %t [%a] : !tile.view<1xf16> -> tensor<8xf16>
  tile.store %v, %t [%b] : tensor<8xf16>, !tile.view<1xf16>
  tile.return
}

#a = #tile.layout<registers = [8:0:1], lanes = [32:0:0], warps = []>
#b = #tile.layout<registers = [], lanes = [8:0:1, 4:0:0], warps = []>
// CHECK-LABEL: tile.kernel @layouts
// CHECK:         %[[R:.*]] = tile.load
// CHECK-NEXT:    tile.convert_layout %[[R]] : tensor<8xf32> -> tensor<8xf32, #layout>
// CHECK-NEXT:    tile.store
tile.kernel @layouts(%x: !tile.view<1xf32>, %i: i32) {
  %t = tile.load %x [%i] : !tile.view<1xf32> -> tensor<8xf32>
  %a = tile.convert_layout %t : tensor<8xf32> -> tensor<8xf32, #a>
  %same = tile.convert_layout %a : tensor<8xf32, #a> -> tensor<8xf32, #a>
  %b = tile.convert_layout %same : tensor<8xf32, #a> -> tensor<8xf32, #b>
  tile.store %b, %x [%i] : tensor<8xf32, #b>, !tile.view<1xf32>
  tile.return
}

// CHECK-LABEL: tile.program @requirements
// CHECK-NEXT:    tile.return
tile.program @requirements(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"}) {
  %c1 = arith.constant 1 : i64
  %ok = arith.cmpi eq, %c1, %c1 : i64
  tile.require %ok, "x", "something that always holds"
  tile.return
}
