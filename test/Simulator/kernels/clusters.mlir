// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters of two blocks: distributed shared memory, barriers of another block, TMA copies to both blocks.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/clusters.json
// CASE: {"name": "neighbours", "kernel": "neighbours", "grid": 4, "arguments": [
// CASE:   {"in": "i32", "iota": [100, 7], "count": 128}, {"name": "out", "out": "i32", "count": 640, "row": 5}]}
// CASE: {"name": "multicast", "kernel": "multicast", "grid": 4, "arguments": [
// CASE:   {"map": "tensor", "dims": [32, 32], "box": [32, 8], "swizzle": 64},
// CASE:   {"name": "out", "out": "u16", "count": 2048, "row": 32},
// CASE:   {"name": "tensor", "in": "u16", "iota": [1, 1], "count": 1024}]}
gpu.module @clusters {
  // Each block reads the other's number, then writes into the other's memory and arrives at its barrier.
  gpu.func @neighbours(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>, tilefold.shared_bytes =
          512 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %size = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %cluster = nvvm.read.ptx.sreg.clusterid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %c32 = arith.constant 32 : i32
    %peer = arith.xori %rank, %c1 : i32
    %barrier = llvm.getelementptr %shared[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = arith.cmpi eq, %lane, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c32 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    %row = arith.muli %block, %c32 : i32
    %i = arith.addi %row, %lane : i32
    %pi = llvm.getelementptr %in[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %pi : !llvm.ptr<1> -> i32
    %mine = llvm.getelementptr %shared[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %x, %mine : i32, !llvm.ptr<3>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    %there = nvvm.mapa %mine, %peer : !llvm.ptr<3> -> !llvm.ptr<7>
    %y = llvm.load %there : !llvm.ptr<7> -> i32
    %slot = llvm.getelementptr %mine[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %far_slot = nvvm.mapa %slot, %peer : !llvm.ptr<3> -> !llvm.ptr<7>
    %sum = arith.addi %x, %y : i32
    llvm.store %sum, %far_slot : i32, !llvm.ptr<7>
    %far_barrier = nvvm.mapa %barrier, %peer : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.mbarrier.arrive %far_barrier {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
    ptx.mbarrier_wait %barrier, %c0 cluster : !llvm.ptr<3>
    %z = llvm.load %slot : !llvm.ptr<3> -> i32
    %at = arith.muli %i, %c5 : i32
    %results = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %y, %results : i32, !llvm.ptr<1>
    %p1 = llvm.getelementptr %results[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %z, %p1 : i32, !llvm.ptr<1>
    %p2 = llvm.getelementptr %results[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %rank, %p2 : i32, !llvm.ptr<1>
    %p3 = llvm.getelementptr %results[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %size, %p3 : i32, !llvm.ptr<1>
    %p4 = llvm.getelementptr %results[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %cluster, %p4 : i32, !llvm.ptr<1>
    // Nobody leaves while another may still reach into its memory.
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    gpu.return
  }

  // Block 0 of each cluster copies a tile to both, block 1 another one to itself alone.
  gpu.func @multicast(%map: !llvm.ptr {ptx.tensor_map}, %out: !llvm.ptr<1>, %tensor: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>, tilefold.shared_bytes =
          3072 : i64} {
    %dynamic = ptx.dynamic_shared : !llvm.ptr<3>
    %start = llvm.ptrtoint %dynamic : !llvm.ptr<3> to i32
    %c1023 = arith.constant 1023 : i32
    %m1024 = arith.constant -1024 : i32
    %beyond = arith.addi %start, %c1023 : i32
    %base = arith.andi %beyond, %m1024 : i32
    %shared = llvm.inttoptr %base : i32 to !llvm.ptr<3>
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %bytes = arith.constant 1024 : i32
    %bytes_of_one = arith.constant 512 : i32
    %both = arith.constant 3 : i16
    %barrier = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %second = llvm.getelementptr %shared[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %first = arith.cmpi eq, %lane, %c0 : i32
    %is_first_block = arith.cmpi eq, %rank, %c0 : i32
    %expected = arith.select %is_first_block, %bytes_of_one, %bytes : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    // A copy may come only when the other block's barrier is there.
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    scf.if %first {
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %expected : !llvm.ptr<3>, i32 -> i64
      %y = arith.muli %block, %c8 : i32
      scf.if %is_first_block {
        %target = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
        nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %barrier, box[%c0, %y] multicast_mask = %both :
            !llvm.ptr<7>, !llvm.ptr
      } else {
        %target = llvm.addrspacecast %second : !llvm.ptr<3> to !llvm.ptr<7>
        nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %barrier, box[%c0, %y] : !llvm.ptr<7>, !llvm.ptr
      }
    }
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    %row = arith.muli %block, %c64 : i32
    %i = arith.addi %row, %lane : i32
    %p = llvm.getelementptr %shared[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %q = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %x = llvm.load %p : !llvm.ptr<3> -> vector<4xi32>
    llvm.store %x, %q : vector<4xi32>, !llvm.ptr<1>
    %is_second_block = arith.cmpi ne, %rank, %c0 : i32
    scf.if %is_second_block {
      %p2 = llvm.getelementptr %p[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, vector<4xi32>
      %q2 = llvm.getelementptr %q[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xi32>
      %x2 = llvm.load %p2 : !llvm.ptr<3> -> vector<4xi32>
      llvm.store %x2, %q2 : vector<4xi32>, !llvm.ptr<1>
    }
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    gpu.return
  }
}
