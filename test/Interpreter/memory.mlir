// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s
// RUN: tilefold-interpret %s --threads=1 --seed=7

// Loads beyond the view read as padding, stores beyond it are dropped; inputs may have any strides.
tile.program @copy_blocks(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.strides = [3],
                              check.value = dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>},
                          %y: !tile.view<1xf32> {tile.name = "y", tile.role = "output",
                              check.expected = dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>}) {
  %n = tile.size %x, 0 : !tile.view<1xf32> -> i64
  tile.shape %y [%n] : !tile.view<1xf32>
  %c2 = arith.constant 2 : i64
  %c1 = arith.constant 1 : i64
  %blocks = arith.ceildivsi %n, %c2 : i64
  tile.launch @copy_block grid(%blocks, %c1, %c1) (%x, %y) : !tile.view<1xf32>, !tile.view<1xf32>
  tile.return
}
tile.kernel @copy_block(%x: !tile.view<1xf32>, %y: !tile.view<1xf32>) {
  %i = tile.program_id 0
  %c2 = arith.constant 2 : i32
  %first = arith.muli %i, %c2 : i32
  %t = tile.load %x [%first] : !tile.view<1xf32> -> tensor<2xf32>
  tile.store %t, %y [%first] : tensor<2xf32>, !tile.view<1xf32>
  tile.return
}

tile.program @padding(%x: !tile.view<2xi32> {tile.name = "x", tile.role = "input",
                          check.value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>},
                      %zero: !tile.view<2xi32> {tile.name = "zero", tile.role = "output",
                          check.expected = dense<[[0, 0, 0], [0, 1, 2], [0, 3, 4]]> : tensor<3x3xi32>},
                      %nine: !tile.view<2xi32> {tile.name = "nine", tile.role = "output",
                          check.expected = dense<[[9, 9, 9], [9, 1, 2], [9, 3, 4]]> : tensor<3x3xi32>}) {
  %c3 = arith.constant 3 : i64
  %c1 = arith.constant 1 : i64
  tile.shape %zero [%c3, %c3] : !tile.view<2xi32>
  tile.shape %nine [%c3, %c3] : !tile.view<2xi32>
  tile.launch @pad grid(%c1, %c1, %c1) (%x, %zero, %nine) : !tile.view<2xi32>, !tile.view<2xi32>, !tile.view<2xi32>
  tile.return
}
tile.kernel @pad(%x: !tile.view<2xi32>, %zero: !tile.view<2xi32>, %nine: !tile.view<2xi32>) {
  %m1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %t = tile.load %x [%m1, %m1] : !tile.view<2xi32> -> tensor<3x3xi32>
  tile.store %t, %zero [%c0, %c0] : tensor<3x3xi32>, !tile.view<2xi32>
  %n = tile.load %x [%m1, %m1] pad 9 : i32 : !tile.view<2xi32> -> tensor<3x3xi32>
  tile.store %n, %nine [%c0, %c0] : tensor<3x3xi32>, !tile.view<2xi32>
  tile.return
}

// slice fixes dimensions, narrow moves the origin and the end.
tile.program @slice_and_narrow(%x: !tile.view<2xf16> {tile.name = "x", tile.role = "input",
                                   check.value = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf16>},
                               %y: !tile.view<1xf16> {tile.name = "y", tile.role = "output",
                                   check.expected = dense<[6.0, 7.0, 0.0]> : tensor<3xf16>}) {
  %c3 = arith.constant 3 : i64
  %c1 = arith.constant 1 : i64
  tile.shape %y [%c3] : !tile.view<1xf16>
  tile.launch @part_of_row grid(%c1, %c1, %c1) (%x, %y) : !tile.view<2xf16>, !tile.view<1xf16>
  tile.return
}
tile.kernel @part_of_row(%x: !tile.view<2xf16>, %y: !tile.view<1xf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %row = tile.slice %x [%c1] at [0] : !tile.view<2xf16> -> !tile.view<1xf16>
  %part = tile.narrow %row, 0 [%c1, %c2] : !tile.view<1xf16>
  %n = tile.size %part, 0 : !tile.view<1xf16> -> i32
  check.expect_eq %n, %c2 : i32
  %t = tile.load %part [%c0] : !tile.view<1xf16> -> tensor<3xf16>
  tile.store %t, %y [%c0] : tensor<3xf16>, !tile.view<1xf16>
  tile.return
}

// What an instance stores, it reads back; inouts hold their elements before.
tile.program @inout(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "inout",
                        check.value = dense<[1.0, 2.0]> : tensor<2xf32>,
                        check.expected = dense<[4.0, 8.0]> : tensor<2xf32>}) {
  %c1 = arith.constant 1 : i64
  tile.launch @double_twice grid(%c1, %c1, %c1) (%x) : !tile.view<1xf32>
  tile.return
}
tile.kernel @double_twice(%x: !tile.view<1xf32>) {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<2xf32>
  %b = arith.addf %a, %a : tensor<2xf32>
  tile.store %b, %x [%c0] : tensor<2xf32>, !tile.view<1xf32>
  %c = tile.load %x [%c0] : !tile.view<1xf32> -> tensor<2xf32>
  %d = arith.addf %c, %c : tensor<2xf32>
  tile.store %d, %x [%c0] : tensor<2xf32>, !tile.view<1xf32>
  tile.return
}

// A workspace carries values from one launch to the next. zero_once may be read before anybody wrote.
tile.program @workspace(%y: !tile.view<1xf32> {tile.name = "y", tile.role = "output",
                            check.expected = dense<[0.0, 1.0, 2.0]> : tensor<3xf32>}) {
  %c3 = arith.constant 3 : i64
  %c1 = arith.constant 1 : i64
  tile.shape %y [%c3] : !tile.view<1xf32>
  %w = tile.workspace "numbers" any [%c3] : !tile.view<1xf32>
  %z = tile.workspace "zeros" zero_once [%c3] : !tile.view<1xf32>
  tile.launch @number grid(%c1, %c3, %c1) (%w) : !tile.view<1xf32>
  tile.launch @add grid(%c1, %c1, %c1) (%w, %z, %y) : !tile.view<1xf32>, !tile.view<1xf32>, !tile.view<1xf32>
  tile.return
}
tile.kernel @number(%w: !tile.view<1xf32>) {
  %i = tile.program_id 1
  %f = arith.sitofp %i : i32 to f32
  %t = tile.splat %f : f32 -> tensor<1xf32>
  tile.store %t, %w [%i] : tensor<1xf32>, !tile.view<1xf32>
  tile.return
}
tile.kernel @add(%w: !tile.view<1xf32>, %z: !tile.view<1xf32>, %y: !tile.view<1xf32>) {
  %c0 = arith.constant 0 : i32
  %a = tile.load %w [%c0] : !tile.view<1xf32> -> tensor<3xf32>
  %b = tile.load %z [%c0] : !tile.view<1xf32> -> tensor<3xf32>
  %s = arith.addf %a, %b : tensor<3xf32>
  tile.store %s, %y [%c0] : tensor<3xf32>, !tile.view<1xf32>
  tile.return
}

// Elements that nobody writes become NaN.
tile.program @unwritten(%y: !tile.view<1xf32> {tile.name = "y", tile.role = "output",
                            check.expected = dense<[0x7FC00000, 0x7FC00000]> : tensor<2xf32>}) {
  %c2 = arith.constant 2 : i64
  %c0 = arith.constant 0 : i64
  tile.shape %y [%c2] : !tile.view<1xf32>
  tile.launch @number grid(%c0, %c2, %c2) (%y) : !tile.view<1xf32>
  tile.return
}

// A view of rank 0 is one element; i1 tensors hold bytes.
tile.program @scalars(%x: !tile.view<1xi1> {tile.name = "x", tile.role = "input", check.value = dense<[false, true]> : tensor<2xi1>},
                      %s: f32 {tile.name = "s", tile.role = "scalar", tile.default = 3.0 : f32},
                      %k: i32 {tile.name = "k", tile.role = "scalar", check.value = 1 : i32},
                      %y: !tile.view<1xf32> {tile.name = "y", tile.role = "output",
                          check.expected = dense<[3.0]> : tensor<1xf32>}) {
  %c1 = arith.constant 1 : i64
  tile.shape %y [%c1] : !tile.view<1xf32>
  tile.launch @pick grid(%c1, %c1, %c1) (%x, %s, %k, %y) : !tile.view<1xi1>, f32, i32, !tile.view<1xf32>
  tile.return
}
tile.kernel @pick(%x: !tile.view<1xi1>, %s: f32, %k: i32, %y: !tile.view<1xf32>) {
  %c0 = arith.constant 0 : i32
  %one = tile.slice %x [%k] at [0] : !tile.view<1xi1> -> !tile.view<0xi1>
  %c = tile.load %one [] : !tile.view<0xi1> -> tensor<i1>
  %bit = tile.expand %c, 0 : tensor<i1> -> tensor<1xi1>
  %yes = tile.splat %s : f32 -> tensor<1xf32>
  %no = arith.constant dense<0.0> : tensor<1xf32>
  %r = arith.select %bit, %yes, %no : tensor<1xi1>, tensor<1xf32>
  tile.store %r, %y [%c0] : tensor<1xf32>, !tile.view<1xf32>
  tile.return
}

// A slice outside its dimension is no fault until somebody uses it: passes may move it out of the branch that guards it.
tile.program @unused_slice(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.value = dense<[1.0]> : tensor<1xf32>}) {
  %c1 = arith.constant 1 : i64
  tile.launch @slice_only grid(%c1, %c1, %c1) (%x) : !tile.view<1xf32>
  tile.return
}
tile.kernel @slice_only(%x: !tile.view<1xf32>) {
  %c5 = arith.constant 5 : i32
  %s = tile.slice %x [%c5] at [0] : !tile.view<1xf32> -> !tile.view<0xf32>
  tile.return
}
