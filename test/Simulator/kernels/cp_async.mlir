// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async of 16, 8 and 4 bytes in three groups; the first reads fewer bytes and fills with zeros. Lanes read what others
// copied. And copies that arrive at an mbarrier.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/cp_async.json
// CASE: {"name": "sizes", "kernel": "cp_async", "arguments": [{"in": "u32", "iota": [1000, 1], "count": 256},
// CASE:   {"in": "i32", "integers": [0, 16], "seed": 5, "count": 32},
// CASE:   {"name": "out", "out": "u32", "count": 256, "row": 8}]}
// CASE: {"name": "arrive", "kernel": "arrive", "arguments": [{"in": "u32", "iota": [5, 1], "count": 256},
// CASE:   {"name": "out", "out": "u32", "count": 256, "row": 8}]}
gpu.module @cp_async {
  gpu.func @cp_async(%in: !llvm.ptr<1>, %sizes: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tilefold.shared_bytes = 1024 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %c8 = arith.constant 8 : i32
    %c31 = arith.constant 31 : i32
    %psize = llvm.getelementptr %sizes[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %size = llvm.load %psize : !llvm.ptr<1> -> i32
    %at = arith.muli %lane, %c8 : i32
    %from = llvm.getelementptr %in[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %to = llvm.getelementptr %shared[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    // Words 0 to 3 with zero fill, 4 and 5 in a group of their own, 6 and 7 one by one.
    nvvm.cp.async.shared.global %to, %from, 16, cache = cg, %size : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.commit.group
    %from4 = llvm.getelementptr %from[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %to4 = llvm.getelementptr %to[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    nvvm.cp.async.shared.global %to4, %from4, 8, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    %from6 = llvm.getelementptr %from[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %to6 = llvm.getelementptr %to[6] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    nvvm.cp.async.shared.global %to6, %from6, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    %from7 = llvm.getelementptr %from[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %to7 = llvm.getelementptr %to[7] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    nvvm.cp.async.shared.global %to7, %from7, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    // The other end of the warp's words, as soon as they are there.
    %other = arith.subi %c31, %lane : i32
    %place = arith.muli %other, %c8 : i32
    %read = llvm.getelementptr %shared[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %write = llvm.getelementptr %out[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    nvvm.cp.async.wait.group 2
    nvvm.barrier0
    %x0 = llvm.load %read : !llvm.ptr<3> -> vector<4xi32>
    llvm.store %x0, %write : vector<4xi32>, !llvm.ptr<1>
    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    %read4 = llvm.getelementptr %read[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %write4 = llvm.getelementptr %write[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %x4 = llvm.load %read4 : !llvm.ptr<3> -> vector<2xi32>
    llvm.store %x4, %write4 : vector<2xi32>, !llvm.ptr<1>
    nvvm.cp.async.wait.group 0
    nvvm.barrier0
    %read6 = llvm.getelementptr %read[6] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %write6 = llvm.getelementptr %write[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %x6 = llvm.load %read6 : !llvm.ptr<3> -> vector<2xi32>
    llvm.store %x6, %write6 : vector<2xi32>, !llvm.ptr<1>
    gpu.return
  }

  // Copies arrive at an mbarrier: without `noinc` the arrival adds itself to what the phase waits for.
  gpu.func @arrive(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tilefold.shared_bytes = 1040 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    %barrier = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %again = llvm.getelementptr %shared[1032] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = arith.cmpi eq, %lane, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c32 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init %again, %c32 : !llvm.ptr<3>, i32
    }
    nvvm.barrier0
    %other = arith.subi %c31, %lane : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %to = llvm.getelementptr %shared[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %read = llvm.getelementptr %shared[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %write = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.mbarrier.arrive %barrier {noinc = true} : !llvm.ptr<3>
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    %x = llvm.load %read : !llvm.ptr<3> -> vector<4xi32>
    llvm.store %x, %write : vector<4xi32>, !llvm.ptr<1>

    %from2 = llvm.getelementptr %from[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xi32>
    %to2 = llvm.getelementptr %to[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, vector<4xi32>
    %read2 = llvm.getelementptr %read[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, vector<4xi32>
    %write2 = llvm.getelementptr %write[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xi32>
    nvvm.cp.async.shared.global %to2, %from2, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.mbarrier.arrive %again : !llvm.ptr<3>
    %state = nvvm.mbarrier.arrive %again : !llvm.ptr<3> -> i64
    ptx.mbarrier_wait %again, %c0 : !llvm.ptr<3>
    %x2 = llvm.load %read2 : !llvm.ptr<3> -> vector<4xi32>
    llvm.store %x2, %write2 : vector<4xi32>, !llvm.ptr<1>
    gpu.return
  }
}
