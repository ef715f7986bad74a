// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bar.red over a block, and bar.sync with bar.arrive between a producer and a consumer.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/barriers.json
// CASE: {"name": "all", "kernel": "reduce", "arguments": [{"in": "i32", "fill": 1, "count": 128},
// CASE:   {"name": "out", "out": "i32", "count": 512, "row": 4, "show": false}]}
// CASE: {"name": "none", "kernel": "reduce", "arguments": [{"in": "i32", "fill": 0, "count": 128},
// CASE:   {"name": "out", "out": "i32", "count": 512, "row": 4, "show": false}]}
// CASE: {"name": "some", "kernel": "reduce", "arguments": [{"in": "i32", "integers": [0, 1], "seed": 9, "count": 128},
// CASE:   {"name": "out", "out": "i32", "count": 512, "row": 4, "show": false}]}
// CASE: {"name": "pass on", "kernel": "pass_on", "arguments": [{"in": "i32", "iota": [7, 3], "count": 128},
// CASE:   {"name": "out", "out": "i32", "count": 128, "row": 32}]}
gpu.module @barriers {
  gpu.func @reduce(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %pi = llvm.getelementptr %in[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %pi : !llvm.ptr<1> -> i32
    %bit = arith.cmpi ne, %x, %c0 : i32
    %popc = nvvm.barrier #nvvm.reduction<popc> %x -> i32
    %and = nvvm.barrier #nvvm.reduction<and> %x -> i32
    %or = nvvm.barrier #nvvm.reduction<or> %x -> i32
    %any = ptx.barrier_or %bit
    %any_ = arith.extui %any : i1 to i32
    %at = arith.muli %thread, %c4 : i32
    %results = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %p1 = llvm.getelementptr %results[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %popc, %p1 : i32, !llvm.ptr<1>
    %p2 = llvm.getelementptr %results[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %and, %p2 : i32, !llvm.ptr<1>
    %p3 = llvm.getelementptr %results[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %or, %p3 : i32, !llvm.ptr<1>
    %p4 = llvm.getelementptr %results[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %any_, %p4 : i32, !llvm.ptr<1>
    gpu.return
  }

  // Warp 0 writes and warp 1 reads, four times, with a barrier for "full" and one for "free"; the producer waits for none
  // but these.
  gpu.func @pass_on(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      tilefold.shared_bytes = 128 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %lane = arith.andi %thread, %c31 : i32
    %is_producer = arith.cmpi ult, %thread, %c32 : i32
    scf.if %is_producer {
      %mine = llvm.getelementptr %shared[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %row = arith.muli %i, %c32 : i32
        %at = arith.addi %row, %lane : i32
        %p = llvm.getelementptr %in[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %x = llvm.load %p : !llvm.ptr<1> -> i32
        nvvm.barrier id = %c2 number_of_threads = %c64
        llvm.store %x, %mine : i32, !llvm.ptr<3>
        nvvm.barrier.arrive id = %c1 number_of_threads = %c64
      }
    } else {
      %other = arith.subi %c31, %lane : i32
      %mine = llvm.getelementptr %shared[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      nvvm.barrier.arrive id = %c2 number_of_threads = %c64
      scf.for %i = %c0 to %c4 step %c1 : i32 {
        %row = arith.muli %i, %c32 : i32
        %at = arith.addi %row, %lane : i32
        nvvm.barrier id = %c1 number_of_threads = %c64
        %x = llvm.load %mine : !llvm.ptr<3> -> i32
        %p = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        llvm.store %x, %p : i32, !llvm.ptr<1>
        %next = arith.addi %i, %c1 : i32
        %more = arith.cmpi ult, %next, %c4 : i32
        scf.if %more {
          nvvm.barrier.arrive id = %c2 number_of_threads = %c64
        }
      }
    }
    gpu.return
  }
}
