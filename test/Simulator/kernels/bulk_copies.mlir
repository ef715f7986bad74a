// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async.bulk in one dimension, to shared memory and back.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/bulk_copies.json
// CASE: {"name": "reverse", "arguments": [{"in": "u32", "iota": [1, 1], "count": 128},
// CASE:   {"name": "out", "inout": "u32", "fill": 7, "count": 128, "row": 4}]}
gpu.module @bulk_copies {
  gpu.func @bulk_copies(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tilefold.shared_bytes = 1040 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c512 = arith.constant 512 : i32
    %c496 = arith.constant 496 : i32
    %barrier = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = arith.cmpi eq, %lane, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %c512 : !llvm.ptr<3>, i32 -> i64
      %target = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.shared.cluster.global %target, %in, %barrier, %c512 : !llvm.ptr<7>, !llvm.ptr<1>
    }
    nvvm.barrier0
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    // Back in reverse, 16 bytes fewer.
    %c31 = arith.constant 31 : i32
    %other = arith.subi %c31, %lane : i32
    %p = llvm.getelementptr %shared[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %x = llvm.load %p : !llvm.ptr<3> -> vector<4xi32>
    %second = llvm.getelementptr %shared[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %q = llvm.getelementptr %second[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    llvm.store %x, %q : vector<4xi32>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    scf.if %first {
      nvvm.cp.async.bulk.global.shared.cta %out, %second, %c496 : !llvm.ptr<1>, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    gpu.return
  }
}
