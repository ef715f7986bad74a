// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilefold-interpret %s
// RUN: tilefold-interpret %s --threads=3 --seed=12345

// Every instance runs once, whatever the order and the number of threads.
tile.program @grid(%y: !tile.view<3xi32> {tile.name = "y", tile.role = "output",
                       check.expected = dense<[[[0, 1, 2], [10, 11, 12]], [[100, 101, 102], [110, 111, 112]]]> : tensor<2x2x3xi32>}) {
  %x = arith.constant 3 : i64
  %yz = arith.constant 2 : i64
  tile.shape %y [%yz, %yz, %x] : !tile.view<3xi32>
  tile.launch @place grid(%x, %yz, %yz) (%y) : !tile.view<3xi32>
  tile.return
}
tile.kernel @place(%y: !tile.view<3xi32>) {
  %i = tile.program_id 0
  %j = tile.program_id 1
  %k = tile.program_id 2
  %c10 = arith.constant 10 : i32
  %kk = arith.muli %k, %c10 : i32
  %jk = arith.addi %kk, %j : i32
  %jjk = arith.muli %jk, %c10 : i32
  %value = arith.addi %jjk, %i : i32
  %t = tile.splat %value : i32 -> tensor<1x1x1xi32>
  tile.store %t, %y [%k, %j, %i] : tensor<1x1x1xi32>, !tile.view<3xi32>
  tile.return
}

// Checks may run in many instances.
tile.kernel @grid_of_a_check() attributes {check.grid = [5, 1, 1]} {
  %i = tile.program_id 0
  %c5 = arith.constant 5 : i32
  %inside = arith.cmpi slt, %i, %c5 : i32
  %t = arith.constant true
  check.expect_eq %inside, %t : i1
  tile.return
}
