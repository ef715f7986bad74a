// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not tilefold-interpret %s | FileCheck %s
// Faults of memory that a GPU would pass over in silence.

// CHECK: error @unwritten: kernel 'read_workspace', instance (0, 0, 0): {{.*}}memory-errors.mlir:[[#@LINE + 11]]:8: tile.load reads element [0] of its view of workspace 'w', which nobody has written
tile.program @unwritten(%y: !tile.view<1xf32> {tile.name = "y", tile.role = "output"}) {
  %c2 = arith.constant 2 : i64
  %c1 = arith.constant 1 : i64
  tile.shape %y [%c2] : !tile.view<1xf32>
  %w = tile.workspace "w" any [%c2] : !tile.view<1xf32>
  tile.launch @read_workspace grid(%c1, %c1, %c1) (%w) : !tile.view<1xf32>
  tile.return
}
tile.kernel @read_workspace(%w: !tile.view<1xf32>) {
  %c0 = arith.constant 0 : i32
  %t = tile.load %w [%c0] : !tile.view<1xf32> -> tensor<2xf32>
  tile.return
}

// Instances of one launch see each other's stores in no order.
// CHECK: error @race: kernel 'write_all', instance (1, 0, 0): {{.*}} tile.store writes element [1] of its view of output 'y', which another instance of this launch writes too
tile.program @race(%y: !tile.view<1xf32> {tile.name = "y", tile.role = "output"}) {
  %c3 = arith.constant 3 : i64
  %c2 = arith.constant 2 : i64
  %c1 = arith.constant 1 : i64
  tile.shape %y [%c3] : !tile.view<1xf32>
  tile.launch @write_all grid(%c2, %c1, %c1) (%y) : !tile.view<1xf32>
  tile.return
}
tile.kernel @write_all(%y: !tile.view<1xf32>) {
  %i = tile.program_id 0
  %t = arith.constant dense<1.0> : tensor<2xf32>
  tile.store %t, %y [%i] : tensor<2xf32>, !tile.view<1xf32>
  tile.return
}

// CHECK: error @slice: kernel 'slice_outside', instance (0, 0, 0): {{.*}}memory-errors.mlir:[[#@LINE + 8]]:8: tile.slice takes position 3 of dimension 0 of input 'x', whose extent is 3
tile.program @slice(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.value = dense<1.0> : tensor<3xf32>}) {
  %c1 = arith.constant 1 : i64
  tile.launch @slice_outside grid(%c1, %c1, %c1) (%x) : !tile.view<1xf32>
  tile.return
}
tile.kernel @slice_outside(%x: !tile.view<1xf32>) {
  %n = tile.size %x, 0 : !tile.view<1xf32> -> i32
  %s = tile.slice %x [%n] at [0] : !tile.view<1xf32> -> !tile.view<0xf32>
  %t = tile.load %s [] : !tile.view<0xf32> -> tensor<f32>
  tile.return
}

// CHECK: error @narrow: kernel 'narrow_outside', instance (0, 0, 0): {{.*}} tile.narrow takes positions 2 to 4 of dimension 0 of input 'x', whose extent is 3
tile.program @narrow(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.value = dense<1.0> : tensor<3xf32>}) {
  %c1 = arith.constant 1 : i64
  tile.launch @narrow_outside grid(%c1, %c1, %c1) (%x) : !tile.view<1xf32>
  tile.return
}
tile.kernel @narrow_outside(%x: !tile.view<1xf32>) {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %s = tile.narrow %x, 0 [%c2, %c3] : !tile.view<1xf32>
  %t = tile.load %s [%c0] : !tile.view<1xf32> -> tensor<1xf32>
  tile.return
}

// CHECK: error @stride: kernel 'copy_strided', instance (0, 0, 0): {{.*}} tile.copy_async copies from input 'x' with stride 2 in its last dimension, expected 1
tile.program @stride(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input", check.strides = [8, 2],
                                            check.value = dense<1.0> : tensor<2x4xf32>}) {
  %c1 = arith.constant 1 : i64
  tile.launch @copy_strided grid(%c1, %c1, %c1) (%x) : !tile.view<2xf32>
  tile.return
}
tile.kernel @copy_strided(%x: !tile.view<2xf32>) {
  %c0 = arith.constant 0 : i32
  %b = tile.alloc : !tile.buffer<2x4xf32, <0, 3>>
  tile.copy_async %x [%c0, %c0] to %b : !tile.view<2xf32>, !tile.buffer<2x4xf32, <0, 3>>
  tile.return
}

// What is zero once is zero for the next run as well.
// CHECK: error @left: workspace 'z' is not zero after the run, at element 1; it is zero_once, expected zeros for the next run
tile.program @left() {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %z = tile.workspace "z" zero_once [%c2] : !tile.view<1xi32>
  tile.launch @leave grid(%c1, %c1, %c1) (%z) : !tile.view<1xi32>
  tile.return
}
tile.kernel @leave(%z: !tile.view<1xi32>) {
  %c0 = arith.constant 0 : i32
  %t = arith.constant dense<[0, 3]> : tensor<2xi32>
  tile.store %t, %z [%c0] : tensor<2xi32>, !tile.view<1xi32>
  tile.return
}
