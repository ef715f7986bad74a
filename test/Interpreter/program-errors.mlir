// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not tilefold-interpret %s | FileCheck %s
// What is wrong with a call is found before anything is launched: which argument, what it was, what was expected.

// CHECK: error @missing_input: argument 'x' is missing, expected a tensor of type f32 and rank 1
tile.program @missing_input(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input"}) {
  tile.return
}

// CHECK: error @wrong_type: argument 'x' has element type i32, expected f32
tile.program @wrong_type(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.value = dense<1> : tensor<4xi32>}) {
  tile.return
}

// CHECK: error @wrong_rank: argument 'x' has rank 2, expected 1
tile.program @wrong_rank(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.value = dense<1.0> : tensor<4x1xf32>}) {
  tile.return
}

// CHECK: error @scalar_for_tensor: argument 'x' is a scalar, expected a tensor of type f32 and rank 1
tile.program @scalar_for_tensor(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.value = 1.0 : f32}) {
  tile.return
}

// CHECK: error @tensor_for_scalar: argument 's' is a tensor, expected a scalar
tile.program @tensor_for_scalar(%s: f32 {tile.name = "s", tile.role = "scalar", check.value = dense<1.0> : tensor<1xf32>}) {
  tile.return
}

// CHECK: error @missing_scalar: argument 's' is missing, expected a scalar of type f32 (it has no default)
tile.program @missing_scalar(%s: f32 {tile.name = "s", tile.role = "scalar"}) {
  tile.return
}

// CHECK: error @infinite_scalar: argument 's' is inf, expected a finite f32
tile.program @infinite_scalar(%s: f32 {tile.name = "s", tile.role = "scalar", check.value = 0x7F800000 : f32}) {
  tile.return
}

// CHECK: error @broadcast_output: argument 'y' has stride 0 and extent 2 in dimension 0, expected an output whose elements do not share memory
tile.program @broadcast_output(%y: !tile.view<1xf32> {tile.name = "y", tile.role = "output", check.strides = [0], check.value = dense<1.0> : tensor<2xf32>}) {
  tile.return
}

// CHECK: error @no_shape: argument 'y' is missing, expected a tensor of type f32 and rank 1 (program 'no_shape' does not say which shape it has)
tile.program @no_shape(%y: !tile.view<1xf32> {tile.name = "y", tile.role = "output"}) {
  tile.return
}

// CHECK: error @wrong_shape: argument 'y' has shape [3], expected [4]
tile.program @wrong_shape(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.value = dense<1.0> : tensor<4xf32>},
    %y: !tile.view<1xf32> {tile.name = "y", tile.role = "output", check.value = dense<1.0> : tensor<3xf32>}) {
  %n = tile.size %x, 0 : !tile.view<1xf32> -> i64
  tile.shape %y [%n] : !tile.view<1xf32>
  tile.return
}

// CHECK: error @requirement: argument 'x' has shape [4] and strides [1], expected a multiple of 3, got 4
tile.program @requirement(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.value = dense<1.0> : tensor<4xf32>}) {
  %n = tile.size %x, 0 : !tile.view<1xf32> -> i64
  %c3 = arith.constant 3 : i64
  %r = arith.remsi %n, %c3 : i64
  %c0 = arith.constant 0 : i64
  %ok = arith.cmpi eq, %r, %c0 : i64
  tile.require %ok, "x", "a multiple of {0}, got {1}" (%c3, %n)
  tile.return
}

// CHECK: error @scalar_requirement: argument 'k' is -1, expected 0 or more
tile.program @scalar_requirement(%k: i32 {tile.name = "k", tile.role = "scalar", check.value = -1 : i32}) {
  %n = arith.extsi %k : i32 to i64
  %c0 = arith.constant 0 : i64
  %ok = arith.cmpi sge, %n, %c0 : i64
  tile.require %ok, "k", "0 or more"
  tile.return
}

// CHECK: error @overflow_in_shape: {{.*}}shape of argument 'y': arith.muli of 4611686018427387904 and 4611686018427387904 leaves 64 bits
tile.program @overflow_in_shape(%y: !tile.view<1xf32> {tile.name = "y", tile.role = "output"}) {
  %big = arith.constant 4611686018427387904 : i64
  %n = arith.muli %big, %big : i64
  %c1 = arith.constant 1 : i64
  tile.shape %y [%n] : !tile.view<1xf32>
  tile.return
}

// CHECK: error @overflow_in_grid: {{.*}}launch of 'nothing', grid extent 1: arith.muli of 4611686018427387904 and 4611686018427387904 leaves 64 bits
tile.program @overflow_in_grid() {
  %big = arith.constant 4611686018427387904 : i64
  %n = arith.muli %big, %big : i64
  %c1 = arith.constant 1 : i64
  tile.launch @nothing grid(%c1, %n, %c1) ()
  tile.return
}
tile.kernel @nothing() {
  tile.return
}

// CHECK: error @division_by_zero: {{.*}}launch of 'nothing', grid extent 2: divides 1 by 0
tile.program @division_by_zero() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.floordivsi %c1, %c0 : i64
  tile.launch @nothing grid(%c1, %c1, %n) ()
  tile.return
}

// CHECK: error @negative_grid: launch of 'nothing': grid extent 2 is -3, expected 0 or more
tile.program @negative_grid() {
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %n = arith.subi %c1, %c4 : i64
  tile.launch @nothing grid(%c1, %c1, %n) ()
  tile.return
}

// CHECK: error @huge_grid: launch of 'nothing': grid [65536, 65536, 1] has too many blocks, expected at most 2^31 - 1
tile.program @huge_grid() {
  %c1 = arith.constant 1 : i64
  %n = arith.constant 65536 : i64
  tile.launch @nothing grid(%n, %n, %c1) ()
  tile.return
}

// CHECK: error @negative_workspace: workspace 'w' has shape [-3], expected extents of 0 or more and less than 2^31 - 65536
tile.program @negative_workspace() {
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %n = arith.subi %c1, %c4 : i64
  %w = tile.workspace "w" any [%n] : !tile.view<1xf32>
  tile.return
}

// CHECK: error @wide_argument: launch of 'takes_i32': argument 0 is 4294967296, expected a value that fits i32
tile.program @wide_argument() {
  %n = arith.constant 4294967296 : i64
  %c1 = arith.constant 1 : i64
  tile.launch @takes_i32 grid(%c1, %c1, %c1) (%n) : i64
  tile.return
}
tile.kernel @takes_i32(%n: i32) {
  tile.return
}

// CHECK: error @circular_shape: argument 'y' is missing, and its stated shape depends on its own sizes
tile.program @circular_shape(%y: !tile.view<1xf32> {tile.name = "y", tile.role = "output"}) {
  %n = tile.size %y, 0 : !tile.view<1xf32> -> i64
  tile.shape %y [%n] : !tile.view<1xf32>
  tile.return
}

// CHECK: error @kernel_op: {{.*}}program-errors.mlir:[[#@LINE + 2]]:8: tile.iota has no meaning in a program
tile.program @kernel_op() {
  %i = tile.iota : tensor<4xi32>
  tile.return
}

// CHECK: error @no_number: 'x' holds nan at element 1, expected 3.000000
tile.program @no_number(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "inout", check.value = dense<[2.0, 0xFFC00000]> : tensor<2xf32>, check.expected = dense<[2.0, 3.0]> : tensor<2xf32>}) {
  tile.return
}
