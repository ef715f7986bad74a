// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s
// Host formulas: each program states a shape by a formula and expects an output of that shape, all of it unwritten.

tile.program @divisions(%a: !tile.view<4xi32> {tile.name = "a", tile.role = "output",
                            check.expected = dense<-1> : tensor<4x3x1x2xi32>}) {
  %c7 = arith.constant 7 : i64
  %c2 = arith.constant 2 : i64
  %cm2 = arith.constant -2 : i64
  %c4 = arith.ceildivsi %c7, %c2 : i64
  %c3 = arith.floordivsi %c7, %c2 : i64
  %r1 = arith.remsi %c7, %cm2 : i64
  %m4 = arith.floordivsi %c7, %cm2 : i64
  %p2 = arith.addi %m4, %c2 : i64
  %q2 = arith.muli %p2, %r1 : i64
  %z = arith.constant 0 : i64
  %two = arith.subi %z, %q2 : i64
  tile.shape %a [%c4, %c3, %r1, %two] : !tile.view<4xi32>
  tile.return
}

tile.program @choices(%k: i32 {tile.name = "k", tile.role = "scalar", check.value = 5 : i32},
                      %s: f32 {tile.name = "s", tile.role = "scalar", check.value = 0.5 : f32},
                      %a: !tile.view<3xi32> {tile.name = "a", tile.role = "output", check.expected = dense<-1> : tensor<5x2x4xi32>}) {
  %n = arith.extsi %k : i32 to i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %zero = arith.constant 0.0 : f32
  %positive = arith.cmpf ogt, %s, %zero : f32
  %max = arith.maxsi %n, %c2 : i64
  %min = arith.minsi %n, %c2 : i64
  %chosen = arith.select %positive, %c4, %n : i64
  tile.shape %a [%max, %min, %chosen] : !tile.view<3xi32>
  tile.return
}

// `or`, `and` and `select` look at their other operands only if they must: nothing here divides by zero.
tile.program @short_circuit(%x: !tile.view<1xf32> {tile.name = "x", tile.role = "input", check.value = dense<> : tensor<0xf32>}) {
  %n = tile.size %x, 0 : !tile.view<1xf32> -> i64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %empty = arith.cmpi eq, %n, %c0 : i64
  %full = arith.cmpi ne, %n, %c0 : i64
  %q = arith.divsi %c1, %n : i64
  %bad = arith.cmpi eq, %q, %c1 : i64
  %or = arith.ori %empty, %bad : i1
  tile.require %or, "x", "nothing, or a divisor"
  %and = arith.andi %full, %bad : i1
  %not = arith.cmpi eq, %and, %full : i1
  tile.require %not, "x", "anything"
  %m = arith.select %empty, %c0, %q : i64
  %same = arith.cmpi eq, %m, %c0 : i64
  tile.require %same, "x", "nothing"
  tile.return
}

// A launch without instances is skipped, even where another extent would overflow.
tile.program @empty_grid() {
  %c0 = arith.constant 0 : i64
  %big = arith.constant 4611686018427387904 : i64
  tile.launch @fails grid(%big, %big, %c0) ()
  tile.return
}
tile.kernel @fails() {
  %a = arith.constant dense<1> : tensor<1xi32>
  %b = arith.constant dense<2> : tensor<1xi32>
  check.expect_eq %a, %b : tensor<1xi32>
  tile.return
}

tile.program @stride_and_device(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input", check.strides = [8, 2],
                                    check.value = dense<1.0> : tensor<2x2xf32>},
                                %y: !tile.view<2xf32> {tile.name = "y", tile.role = "output",
                                    check.expected = dense<0x7FC00000> : tensor<8x1xf32>}) {
  %s = tile.stride %x, 0 : !tile.view<2xf32>
  %sms = tile.device_property "multiprocessor_count"
  tile.shape %y [%s, %sms] : !tile.view<2xf32>
  tile.return
}
