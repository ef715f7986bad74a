// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s

#rows = #tile.layout<registers = [2:1:1], lanes = [2:0:1, 16:0:0], warps = []>

tile.kernel @convert_layout() {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32, #rows>
  %r = tile.convert_layout %a : tensor<2x2xf32, #rows> -> tensor<2x2xf32>
  %e = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  check.expect_eq %r, %e : tensor<2x2xf32>
  tile.return
}

tile.kernel @write_read_transposed() {
  %b = tile.alloc : !tile.buffer<2x8xf16, <0, 3>>
  %a = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0]]> : tensor<2x8xf16>
  tile.write %a, %b : tensor<2x8xf16>, !tile.buffer<2x8xf16, <0, 3>>
  tile.barrier
  %r = tile.read %b : !tile.buffer<2x8xf16, <0, 3>> -> tensor<2x8xf16>
  check.expect_eq %r, %a : tensor<2x8xf16>
  %t = tile.transpose %b : !tile.buffer<2x8xf16, <0, 3>> -> !tile.buffer<8x2xf16, <0, 3>, transposed>
  %c = tile.read %t : !tile.buffer<8x2xf16, <0, 3>, transposed> -> tensor<8x2xf16>
  %e = tile.transpose %a : tensor<2x8xf16> -> tensor<8x2xf16>
  check.expect_eq %c, %e : tensor<8x2xf16>
  tile.return
}

// What nobody wrote is NaN.
tile.kernel @unwritten_buffer() {
  %b = tile.alloc : !tile.buffer<1x2xf32, <0, 3>>
  %r = tile.read %b : !tile.buffer<1x2xf32, <0, 3>> -> tensor<1x2xf32>
  %e = arith.constant dense<0x7FC00000> : tensor<1x2xf32>
  check.expect_eq %r, %e : tensor<1x2xf32>
  tile.return
}

// A ring of two: the second copy may still be in flight while the first is used; it is NaN until waited for.
tile.program @ring(%x: !tile.view<2xf32> {tile.name = "x", tile.role = "input",
                       check.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}) {
  %c1 = arith.constant 1 : i64
  tile.launch @ring_kernel grid(%c1, %c1, %c1) (%x) : !tile.view<2xf32>
  tile.return
}
tile.kernel @ring_kernel(%x: !tile.view<2xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %ring = tile.alloc : !tile.buffer<2x2x2xf32, <0, 3>>
  %s0 = tile.slot %ring [%c0] : !tile.buffer<2x2x2xf32, <0, 3>> -> !tile.buffer<2x2xf32, <0, 3>>
  %s1 = tile.slot %ring [%c1] : !tile.buffer<2x2x2xf32, <0, 3>> -> !tile.buffer<2x2xf32, <0, 3>>
  tile.copy_async %x [%c0, %c0] to %s0 : !tile.view<2xf32>, !tile.buffer<2x2xf32, <0, 3>>
  tile.commit_copies
  tile.copy_async %x [%c2, %c0] to %s1 : !tile.view<2xf32>, !tile.buffer<2x2xf32, <0, 3>>
  tile.commit_copies
  tile.wait_copies 1
  tile.barrier
  %first = tile.read %s0 : !tile.buffer<2x2xf32, <0, 3>> -> tensor<2x2xf32>
  %early = tile.read %s1 : !tile.buffer<2x2xf32, <0, 3>> -> tensor<2x2xf32>
  tile.wait_copies 0
  tile.barrier
  %second = tile.read %s1 : !tile.buffer<2x2xf32, <0, 3>> -> tensor<2x2xf32>
  %firste = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %earlye = arith.constant dense<0x7FC00000> : tensor<2x2xf32>
  %seconde = arith.constant dense<[[5.0, 6.0], [0.0, 0.0]]> : tensor<2x2xf32>
  check.expect_eq %first, %firste : tensor<2x2xf32>
  check.expect_eq %early, %earlye : tensor<2x2xf32>
  check.expect_eq %second, %seconde : tensor<2x2xf32>
  tile.return
}

tile.kernel @dot_of_buffers() {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  %ba = tile.alloc : !tile.buffer<2x2xf16, <0, 3>>
  %bb = tile.alloc : !tile.buffer<2x2xf16, <0, 3>>
  tile.write %a, %ba : tensor<2x2xf16>, !tile.buffer<2x2xf16, <0, 3>>
  tile.write %a, %bb : tensor<2x2xf16>, !tile.buffer<2x2xf16, <0, 3>>
  tile.barrier
  %bt = tile.transpose %bb : !tile.buffer<2x2xf16, <0, 3>> -> !tile.buffer<2x2xf16, <0, 3>, transposed>
  %zero = arith.constant dense<0.0> : tensor<2x2xf32>
  %r = tile.dot %ba, %bt, %zero : !tile.buffer<2x2xf16, <0, 3>>, !tile.buffer<2x2xf16, <0, 3>, transposed>, tensor<2x2xf32>
  %e = arith.constant dense<[[5.0, 11.0], [11.0, 25.0]]> : tensor<2x2xf32>
  check.expect_eq %r, %e : tensor<2x2xf32>
  tile.return
}

// Through registers, from any strides; the body sees the zeros outside the view too.
tile.program @copy_through(%x: !tile.view<2xf16> {tile.name = "x", tile.role = "input", check.strides = [6, 2],
                               check.value = dense<[[1.0, 0x7E00], [3.0, 4.0]]> : tensor<2x2xf16>}) {
  %c1 = arith.constant 1 : i64
  tile.launch @copy_through_kernel grid(%c1, %c1, %c1) (%x) : !tile.view<2xf16>
  tile.return
}
tile.kernel @copy_through_kernel(%x: !tile.view<2xf16>) {
  %c0 = arith.constant 0 : i32
  %b = tile.alloc : !tile.buffer<3x2xf32, <0, 3>>
  %p = tile.alloc : !tile.buffer<3x2xf16, <0, 3>>
  %one = arith.constant 1.0 : f32
  tile.copy %x [%c0, %c0] to %b : !tile.view<2xf16>, !tile.buffer<3x2xf32, <0, 3>> {
  ^bb0(%e: f16):
    %w = arith.extf %e : f16 to f32
    %nan = arith.cmpf uno, %w, %w : f32
    %n = arith.select %nan, %one, %w : f32
    %r = arith.addf %n, %one : f32
    tile.yield %r : f32
  }
  tile.copy %x [%c0, %c0] to %p : !tile.view<2xf16>, !tile.buffer<3x2xf16, <0, 3>>
  tile.barrier
  %t = tile.read %b : !tile.buffer<3x2xf32, <0, 3>> -> tensor<3x2xf32>
  %e = arith.constant dense<[[2.0, 2.0], [4.0, 5.0], [1.0, 1.0]]> : tensor<3x2xf32>
  check.expect_eq %t, %e : tensor<3x2xf32>
  %pt = tile.read %p : !tile.buffer<3x2xf16, <0, 3>> -> tensor<3x2xf16>
  %pe = arith.constant dense<[[1.0, 0x7E00], [3.0, 4.0], [0.0, 0.0]]> : tensor<3x2xf16>
  check.expect_eq %pt, %pe : tensor<3x2xf16>
  tile.return
}
