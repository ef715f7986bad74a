// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The correct neighbours of findings.mlir: nothing is found, in whatever order and on one thread of the host.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --seeds 4
// RUN: tilefold-simulate %s --seeds 4 --completion random
// RUN: tilefold-simulate %s --threads 1
// CASE: {"name": "fence_of_another_block", "kernel": "fence_of_another_block", "grid": 2, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "store_and_load", "kernel": "store_and_load", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "fence_before_flag", "kernel": "fence_before_flag", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "source_of_copy", "kernel": "source_of_copy", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "two_flags", "kernel": "two_flags", "grid": 2, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "rescaled_in_between", "kernel": "rescaled_in_between", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "two_arrivals", "kernel": "two_arrivals", "arguments": []}
gpu.module @no_findings {
  // A block copies what another one stored and fenced.
  gpu.func @fence_of_another_block(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %shared7 = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %is_first_block = arith.cmpi eq, %block, %c0 : i32
    %result = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %far = llvm.getelementptr %out[100] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %barrier = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    scf.if %is_first_block {
      llvm.store %thread, %result : i32, !llvm.ptr<1>
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
      nvvm.barrier0
      scf.if %first {
        llvm.store %c1, %far atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
      }
    } else {
      scf.if %first {
        scf.while : () -> () {
          %v0 = llvm.load %far atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
          %is_zero = arith.cmpi eq, %v0, %c0 : i32
          scf.condition(%is_zero)
        } do {
          scf.yield
        }
      }
      scf.if %first {
        %state = nvvm.mbarrier.arrive.expect_tx %barrier, %c128 : !llvm.ptr<3>, i32 -> i64
        nvvm.cp.async.bulk.shared.cluster.global %shared7, %out, %barrier, %c128 : !llvm.ptr<7>, !llvm.ptr<1>
      }
      ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    }
    gpu.return
  }

  // What a copy wrote another one reads: no fence, both are of the async proxy.
  gpu.func @store_and_load(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %shared7 = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %mine = llvm.getelementptr %shared[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %barrier = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.store %thread, %mine : i32, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    scf.if %first {
      nvvm.cp.async.bulk.global.shared.cta %out, %shared, %c128 : !llvm.ptr<1>, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %c128 : !llvm.ptr<3>, i32 -> i64
      %target = llvm.getelementptr %shared7[512] : (!llvm.ptr<7>) -> !llvm.ptr<7>, i8
      nvvm.cp.async.bulk.shared.cluster.global %target, %out, %barrier, %c128 : !llvm.ptr<7>, !llvm.ptr<1>
    }
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    gpu.return
  }

  // A proxy fence goes with a release in shared memory.
  gpu.func @fence_before_flag(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %flag = llvm.getelementptr %shared[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %is_reader = arith.cmpi eq, %thread, %c32 : i32
    scf.if %first {
      llvm.store %c0, %flag : i32, !llvm.ptr<3>
    }
    nvvm.barrier0
    scf.if %first {
      %zero = arith.constant dense<0> : vector<4xi32>
      llvm.store %zero, %shared : vector<4xi32>, !llvm.ptr<3>
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      llvm.store %c1, %flag atomic syncscope("block") release {alignment = 4 : i64} : i32, !llvm.ptr<3>
    }
    scf.if %is_reader {
      scf.while : () -> () {
        %v0 = llvm.load %flag atomic syncscope("block") acquire {alignment = 4 : i64} : !llvm.ptr<3> -> i32
        %is_zero = arith.cmpi eq, %v0, %c0 : i32
        scf.condition(%is_zero)
      } do {
        scf.yield
      }
      nvvm.cp.async.bulk.global.shared.cta %out, %shared, %c16 : !llvm.ptr<1>, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    gpu.return
  }

  // The source of a copy is written when the copy is complete.
  gpu.func @source_of_copy(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %shared7 = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %result = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %barrier = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    scf.if %first {
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %c128 : !llvm.ptr<3>, i32 -> i64
      nvvm.cp.async.bulk.shared.cluster.global %shared7, %out, %barrier, %c128 : !llvm.ptr<7>, !llvm.ptr<1>
    }
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    llvm.store %thread, %result : i32, !llvm.ptr<1>
    gpu.return
  }

  // A block waits for two places at once.
  gpu.func @two_flags(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %is_first_block = arith.cmpi eq, %block, %c0 : i32
    %far = llvm.getelementptr %out[100] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %second = llvm.getelementptr %out[101] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    scf.if %first {
      scf.if %is_first_block {
        scf.while : () -> () {
          %v0 = llvm.load %far atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
          %v1 = llvm.load %second atomic syncscope("device") acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
          %both = arith.andi %v0, %v1 : i32
          %is_zero = arith.cmpi eq, %both, %c0 : i32
          scf.condition(%is_zero)
        } do {
          scf.yield
        }
      } else {
        llvm.store %c1, %far atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
        llvm.store %c1, %second atomic syncscope("device") release {alignment = 4 : i64} : i32, !llvm.ptr<1>
      }
    }
    gpu.return
  }

  // Accumulators are computed and fenced while a product is under way.
  gpu.func @rescaled_in_between(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 4096 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %zero = arith.constant dense<0> : vector<4xi32>
    %operand = llvm.getelementptr %shared[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    llvm.store %zero, %operand : vector<4xi32>, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.barrier0
    %c4 = arith.constant 4 : i32
    %address = llvm.ptrtoint %shared : !llvm.ptr<3> to i32
    %units = arith.shrui %address, %c4 : i32
    %origin = arith.extui %units : i32 to i64
    %strides = arith.constant 34360000512 : i64
    %descriptor = arith.addi %strides, %origin : i64
    %place = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %factor = arith.constant dense<0.5> : vector<4xf32>
    %x = llvm.load %place : !llvm.ptr<1> -> vector<4xf32>
    nvvm.wgmma.fence.aligned
    %s = ptx.wgmma f16 %descriptor, %descriptor : i64 -> vector<4xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %y = arith.mulf %x, %factor : vector<4xf32>
    nvvm.wgmma.fence.aligned
    %o = ptx.wgmma f16 %descriptor, %descriptor, %y : i64 -> vector<4xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %r0, %r1 = ptx.wgmma_wait 0 %s, %o : vector<4xf32>, vector<4xf32>
    llvm.store %r1, %place : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }

  // A warp may come to a barrier twice, with two operations.
  gpu.func @two_arrivals() kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c96 = arith.constant 96 : i32
    %is_first = arith.cmpi ult, %thread, %c32 : i32
    %is_last = arith.cmpi uge, %thread, %c64 : i32
    scf.if %is_first {
      nvvm.barrier.arrive id = %c1 number_of_threads = %c96
      nvvm.barrier.arrive id = %c1 number_of_threads = %c96
    }
    scf.if %is_last {
      nvvm.barrier id = %c1 number_of_threads = %c96
    }
    gpu.return
  }
}
