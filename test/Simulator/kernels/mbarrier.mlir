// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarrier: what tests of both parities and of states say after each step of one thread; and rounds of a block.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/mbarrier.json
// CASE: {"name": "phases", "kernel": "phases", "block": 1, "arguments": [
// CASE:   {"name": "out", "out": "i32", "count": 29, "row": 32}]}
// CASE: {"name": "rounds", "kernel": "rounds", "arguments": [{"in": "i32", "integers": [0, 1000], "seed": 4, "count": 128},
// CASE:   {"name": "out", "out": "i32", "count": 128, "row": 16}]}
gpu.module @mbarrier {
  gpu.func @phases(%out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tilefold.shared_bytes = 8
      : i64} {
    %barrier = ptx.dynamic_shared : !llvm.ptr<3>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c64 = arith.constant 64 : i32
    nvvm.mbarrier.init %barrier, %c2 : !llvm.ptr<3>, i32
    %d0 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w0 = arith.extui %d0 : i1 to i32
    %p0 = llvm.getelementptr %out[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w0, %p0 : i32, !llvm.ptr<1>
    %d1 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w1 = arith.extui %d1 : i1 to i32
    %p1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w1, %p1 : i32, !llvm.ptr<1>
    // Two arrivals end a phase.
    %s0 = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64
    %d2 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w2 = arith.extui %d2 : i1 to i32
    %p2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w2, %p2 : i32, !llvm.ptr<1>
    %d3 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w3 = arith.extui %d3 : i1 to i32
    %p3 = llvm.getelementptr %out[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w3, %p3 : i32, !llvm.ptr<1>
    %d4 = nvvm.mbarrier.test.wait %barrier, %s0 : !llvm.ptr<3>, i64 -> i1
    %w4 = arith.extui %d4 : i1 to i32
    %p4 = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w4, %p4 : i32, !llvm.ptr<1>
    %s1 = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64
    %d5 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w5 = arith.extui %d5 : i1 to i32
    %p5 = llvm.getelementptr %out[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w5, %p5 : i32, !llvm.ptr<1>
    %d6 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w6 = arith.extui %d6 : i1 to i32
    %p6 = llvm.getelementptr %out[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w6, %p6 : i32, !llvm.ptr<1>
    %d7 = nvvm.mbarrier.test.wait %barrier, %s0 : !llvm.ptr<3>, i64 -> i1
    %w7 = arith.extui %d7 : i1 to i32
    %p7 = llvm.getelementptr %out[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w7, %p7 : i32, !llvm.ptr<1>
    %d8 = nvvm.mbarrier.test.wait %barrier, %s1 : !llvm.ptr<3>, i64 -> i1
    %w8 = arith.extui %d8 : i1 to i32
    %p8 = llvm.getelementptr %out[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w8, %p8 : i32, !llvm.ptr<1>
    // Both at once.
    %s2 = nvvm.mbarrier.arrive %barrier, %c2 : !llvm.ptr<3> -> i64
    %d9 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w9 = arith.extui %d9 : i1 to i32
    %p9 = llvm.getelementptr %out[9] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w9, %p9 : i32, !llvm.ptr<1>
    %d10 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w10 = arith.extui %d10 : i1 to i32
    %p10 = llvm.getelementptr %out[10] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w10, %p10 : i32, !llvm.ptr<1>
    %d11 = nvvm.mbarrier.test.wait %barrier, %s2 : !llvm.ptr<3>, i64 -> i1
    %w11 = arith.extui %d11 : i1 to i32
    %p11 = llvm.getelementptr %out[11] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w11, %p11 : i32, !llvm.ptr<1>
    // Bytes hold a phase open after the last arrival.
    %s3 = nvvm.mbarrier.arrive.expect_tx %barrier, %c64 : !llvm.ptr<3>, i32 -> i64
    %d12 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w12 = arith.extui %d12 : i1 to i32
    %p12 = llvm.getelementptr %out[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w12, %p12 : i32, !llvm.ptr<1>
    %d13 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w13 = arith.extui %d13 : i1 to i32
    %p13 = llvm.getelementptr %out[13] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w13, %p13 : i32, !llvm.ptr<1>
    %s4 = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64
    %d14 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w14 = arith.extui %d14 : i1 to i32
    %p14 = llvm.getelementptr %out[14] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w14, %p14 : i32, !llvm.ptr<1>
    %d15 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w15 = arith.extui %d15 : i1 to i32
    %p15 = llvm.getelementptr %out[15] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w15, %p15 : i32, !llvm.ptr<1>
    nvvm.mbarrier.complete_tx %barrier, %c64 : !llvm.ptr<3>, i32
    %d16 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w16 = arith.extui %d16 : i1 to i32
    %p16 = llvm.getelementptr %out[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w16, %p16 : i32, !llvm.ptr<1>
    %d17 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w17 = arith.extui %d17 : i1 to i32
    %p17 = llvm.getelementptr %out[17] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w17, %p17 : i32, !llvm.ptr<1>
    %d18 = nvvm.mbarrier.test.wait %barrier, %s4 : !llvm.ptr<3>, i64 -> i1
    %w18 = arith.extui %d18 : i1 to i32
    %p18 = llvm.getelementptr %out[18] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w18, %p18 : i32, !llvm.ptr<1>
    // An arrival for bytes that are there already.
    nvvm.mbarrier.expect_tx %barrier, %c64 : !llvm.ptr<3>, i32
    nvvm.mbarrier.complete_tx %barrier, %c64 : !llvm.ptr<3>, i32
    %d19 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w19 = arith.extui %d19 : i1 to i32
    %p19 = llvm.getelementptr %out[19] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w19, %p19 : i32, !llvm.ptr<1>
    %d20 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w20 = arith.extui %d20 : i1 to i32
    %p20 = llvm.getelementptr %out[20] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w20, %p20 : i32, !llvm.ptr<1>
    // One of the two leaves: from then on one arrival ends a phase.
    %s5 = nvvm.mbarrier.arrive_drop %barrier : !llvm.ptr<3> -> i64
    %d21 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w21 = arith.extui %d21 : i1 to i32
    %p21 = llvm.getelementptr %out[21] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w21, %p21 : i32, !llvm.ptr<1>
    %d22 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w22 = arith.extui %d22 : i1 to i32
    %p22 = llvm.getelementptr %out[22] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w22, %p22 : i32, !llvm.ptr<1>
    %s6 = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64
    %d23 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w23 = arith.extui %d23 : i1 to i32
    %p23 = llvm.getelementptr %out[23] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w23, %p23 : i32, !llvm.ptr<1>
    %d24 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w24 = arith.extui %d24 : i1 to i32
    %p24 = llvm.getelementptr %out[24] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w24, %p24 : i32, !llvm.ptr<1>
    %s7 = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64
    %d25 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w25 = arith.extui %d25 : i1 to i32
    %p25 = llvm.getelementptr %out[25] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w25, %p25 : i32, !llvm.ptr<1>
    %d26 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w26 = arith.extui %d26 : i1 to i32
    %p26 = llvm.getelementptr %out[26] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w26, %p26 : i32, !llvm.ptr<1>
    // As new.
    nvvm.mbarrier.inval %barrier : !llvm.ptr<3>
    nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
    %d27 = nvvm.mbarrier.test.wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
    %w27 = arith.extui %d27 : i1 to i32
    %p27 = llvm.getelementptr %out[27] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w27, %p27 : i32, !llvm.ptr<1>
    %d28 = nvvm.mbarrier.test.wait %barrier, %c1 : !llvm.ptr<3>, i32 -> i1
    %w28 = arith.extui %d28 : i1 to i32
    %p28 = llvm.getelementptr %out[28] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w28, %p28 : i32, !llvm.ptr<1>
    gpu.return
  }

  // Three rounds: each thread writes, arrives, waits, and reads its neighbour's number; a second barrier keeps rounds apart.
  gpu.func @rounds(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>,
      tilefold.shared_bytes = 1024 : i64} {
    %barrier = ptx.dynamic_shared : !llvm.ptr<3>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c64 = arith.constant 64 : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c3 = arith.constant 3 : i32
    %c127 = arith.constant 127 : i32
    %c128 = arith.constant 128 : i32
    %again = llvm.getelementptr %barrier[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %numbers = llvm.getelementptr %barrier[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c128 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %again, %c128 : !llvm.ptr<3>, i32
    }
    nvvm.barrier0
    %after = arith.addi %thread, %c1 : i32
    %neighbour = arith.andi %after, %c127 : i32
    %mine = llvm.getelementptr %numbers[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %other = llvm.getelementptr %numbers[%neighbour] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %pi = llvm.getelementptr %in[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %po = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %start = llvm.load %pi : !llvm.ptr<1> -> i32
    %end = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %start) -> (i32) : i32 {
      llvm.store %x, %mine : i32, !llvm.ptr<3>
      %s0 = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64
      %parity = arith.andi %i, %c1 : i32
      ptx.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
      %y = llvm.load %other : !llvm.ptr<3> -> i32
      %s1 = nvvm.mbarrier.arrive %again : !llvm.ptr<3> -> i64
      ptx.mbarrier_wait %again, %parity : !llvm.ptr<3>
      %twice = arith.muli %y, %c2 : i32
      %z = arith.addi %twice, %x : i32
      scf.yield %z : i32
    }
    llvm.store %end, %po : i32, !llvm.ptr<1>
    gpu.return
  }
}
