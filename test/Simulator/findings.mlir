// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with one mistake each, and what is said about it.
// REQUIRES: tilefold-simulate
// RUN: not tilefold-simulate %s --only narrow_scope 2>&1 | FileCheck %s --check-prefix=NARROW-SCOPE
// RUN: not tilefold-simulate %s --only two_sizes 2>&1 | FileCheck %s --check-prefix=TWO-SIZES
// RUN: not tilefold-simulate %s --only store_after_atomic_load 2>&1 | FileCheck %s --check-prefix=STORE-AFTER-ATOMIC-LOAD
// RUN: not tilefold-simulate %s --only two_barriers 2>&1 | FileCheck %s --check-prefix=TWO-BARRIERS
// RUN: not tilefold-simulate %s --only half_warps 2>&1 | FileCheck %s --check-prefix=HALF-WARPS
// RUN: not tilefold-simulate %s --only fence_of_global 2>&1 | FileCheck %s --check-prefix=FENCE-OF-GLOBAL
// RUN: not tilefold-simulate %s --only fence_of_shared 2>&1 | FileCheck %s --check-prefix=FENCE-OF-SHARED
// RUN: not tilefold-simulate %s --only fence_of_another_block 2>&1 | FileCheck %s --check-prefix=FENCE-OF-ANOTHER-BLOCK
// RUN: not tilefold-simulate %s --only copy_over_store 2>&1 | FileCheck %s --check-prefix=COPY-OVER-STORE
// RUN: not tilefold-simulate %s --only source_of_copy 2>&1 | FileCheck %s --check-prefix=SOURCE-OF-COPY
// RUN: not tilefold-simulate %s --only arrival_of_copies 2>&1 | FileCheck %s --check-prefix=ARRIVAL-OF-COPIES
// RUN: not tilefold-simulate %s --only no_end 2>&1 | FileCheck %s --check-prefix=NO-END
// RUN: not tilefold-simulate %s --only rescaled_in_between 2>&1 | FileCheck %s --check-prefix=RESCALED-IN-BETWEEN
// RUN: not tilefold-simulate %s --only wait_elsewhere 2>&1 | FileCheck %s --check-prefix=WAIT-ELSEWHERE
// CASE: {"name": "narrow_scope", "kernel": "narrow_scope", "grid": 2, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "two_sizes", "kernel": "two_sizes", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "store_after_atomic_load", "kernel": "store_after_atomic_load", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "two_barriers", "kernel": "two_barriers", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "half_warps", "kernel": "half_warps", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "fence_of_global", "kernel": "fence_of_global", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "fence_of_shared", "kernel": "fence_of_shared", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "fence_of_another_block", "kernel": "fence_of_another_block", "grid": 2, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "copy_over_store", "kernel": "copy_over_store", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "source_of_copy", "kernel": "source_of_copy", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "arrival_of_copies", "kernel": "arrival_of_copies", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "no_end", "kernel": "no_end", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "rescaled_in_between", "kernel": "rescaled_in_between", "grid": 1, "arguments": [
// CASE:   {"in": "i32", "fill": 1, "count": 512}, {"name": "out", "inout": "i32", "fill": 0, "count": 512, "show": false}]}
// CASE: {"name": "wait_elsewhere", "kernel": "wait_elsewhere", "grid": 2, "cluster": 2, "arguments": []}
gpu.module @findings {
  // Two blocks count in one place, each atomically to itself alone.
  // NARROW-SCOPE: race: reads 4 bytes
  gpu.func @narrow_scope(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %c1 = arith.constant 1 : i32
    %far = llvm.getelementptr %out[100] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %count = llvm.atomicrmw add %far, %c1 syncscope("block") monotonic : !llvm.ptr<1>, i32
    gpu.return
  }

  // Atomic operations of two sizes on one place.
  // TWO-SIZES: race: reads 4 bytes
  gpu.func @two_sizes(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c31 = arith.constant 31 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %last = arith.cmpi eq, %thread, %c31 : i32
    %far = llvm.getelementptr %out[100] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %wide = arith.extui %thread : i32 to i64
    scf.if %first {
      %old = llvm.atomicrmw add %far, %wide syncscope("device") monotonic : !llvm.ptr<1>, i64
    }
    scf.if %last {
      %old = llvm.atomicrmw add %far, %thread syncscope("device") monotonic : !llvm.ptr<1>, i32
    }
    gpu.return
  }

  // An ordinary store is not ordered after an atomic load.
  // STORE-AFTER-ATOMIC-LOAD: race: {{(writes|reads)}} 4 bytes
  gpu.func @store_after_atomic_load(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c31 = arith.constant 31 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %last = arith.cmpi eq, %thread, %c31 : i32
    %far = llvm.getelementptr %out[100] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    scf.if %first {
      %x = llvm.load %far atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    }
    scf.if %last {
      llvm.store %thread, %far : i32, !llvm.ptr<1>
    }
    gpu.return
  }

  // Halves of a warp at two operations, which are one barrier only if one counts threads.
  // TWO-BARRIERS: divergence: barrier 0 is complete, and 16 threads of this thread's warp have not come
  gpu.func @two_barriers(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c16 = arith.constant 16 : i32
    %c31 = arith.constant 31 : i32
    %lane = arith.andi %thread, %c31 : i32
    %low = arith.cmpi ult, %lane, %c16 : i32
    %result = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    scf.if %low {
      nvvm.barrier0
      llvm.store %thread, %result : i32, !llvm.ptr<1>
    } else {
      nvvm.barrier0
    }
    gpu.return
  }

  // Halves of two warps, 32 threads together.
  // HALF-WARPS: divergence: barrier 1 is complete, and 16 threads of this thread's warp have not come
  gpu.func @half_warps(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %c31 = arith.constant 31 : i32
    %c32 = arith.constant 32 : i32
    %lane = arith.andi %thread, %c31 : i32
    %low = arith.cmpi ult, %lane, %c16 : i32
    scf.if %low {
      nvvm.barrier id = %c1 number_of_threads = %c32
    }
    gpu.return
  }

  // A fence for global memory behind stores to shared memory.
  // FENCE-OF-GLOBAL: missing-proxy-fence: reads 16 bytes at shared
  gpu.func @fence_of_global(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %mine = llvm.getelementptr %shared[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %thread, %mine : i32, !llvm.ptr<3>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
    nvvm.barrier0
    scf.if %first {
      nvvm.cp.async.bulk.global.shared.cta %out, %shared, %c128 : !llvm.ptr<1>, !llvm.ptr<3>
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    gpu.return
  }

  // A fence for shared memory behind stores to global memory.
  // FENCE-OF-SHARED: missing-proxy-fence: reads 16 bytes at byte {{[0-9]+}} of 'out'
  gpu.func @fence_of_shared(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
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
    llvm.store %thread, %result : i32, !llvm.ptr<1>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
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
    gpu.return
  }

  // A block copies what another one stored, with a release but no proxy fence between.
  // FENCE-OF-ANOTHER-BLOCK: missing-proxy-fence: reads 16 bytes at byte {{[0-9]+}} of 'out'
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

  // A copy writes where an ordinary store may still be on its way.
  // COPY-OVER-STORE: missing-proxy-fence: writes 16 bytes at shared
  gpu.func @copy_over_store(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
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
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    scf.if %first {
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %c128 : !llvm.ptr<3>, i32 -> i64
      nvvm.cp.async.bulk.shared.cluster.global %shared7, %in, %barrier, %c128 : !llvm.ptr<7>, !llvm.ptr<1>
    }
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    gpu.return
  }

  // The source of a copy is written before the copy is complete.
  // SOURCE-OF-COPY: in-flight: writes 4 bytes at byte 0 of 'out'
  gpu.func @source_of_copy(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %shared7 = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %barrier = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.barrier0
    scf.if %first {
      %state = nvvm.mbarrier.arrive.expect_tx %barrier, %c128 : !llvm.ptr<3>, i32 -> i64
      nvvm.cp.async.bulk.shared.cluster.global %shared7, %out, %barrier, %c128 : !llvm.ptr<7>, !llvm.ptr<1>
      llvm.store %thread, %out : i32, !llvm.ptr<1>
    }
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    gpu.return
  }

  // Copies arrive at an mbarrier that another thread may not have made yet.
  // ARRIVAL-OF-COPIES: race: uses the mbarrier at shared address
  gpu.func @arrival_of_copies(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    %barrier = llvm.getelementptr %shared[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c64 : !llvm.ptr<3>, i32
    }
    nvvm.cp.async.mbarrier.arrive %barrier {noinc = true} : !llvm.ptr<3>
    nvvm.barrier0
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    gpu.return
  }

  // A loop that waits for what nobody does.
  // NO-END: waits at scf.while {{.*}} for a change that does not come, in a loop of very many rounds
  gpu.func @no_end(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %c0 = arith.constant 0 : i32
    %far = llvm.getelementptr %out[100] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    scf.while : () -> () {
      %x = llvm.load %far : !llvm.ptr<1> -> i32
      %is_zero = arith.cmpi eq, %x, %c0 : i32
      scf.condition(%is_zero)
    } do {
      scf.yield
    }
    gpu.return
  }

  // Accumulators are computed behind the fence of an earlier product.
  // RESCALED-IN-BETWEEN: accumulator: wgmma without wgmma.fence after the last use of its registers
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
    %o = ptx.wgmma f16 %descriptor, %descriptor, %y : i64 -> vector<4xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %r0, %r1 = ptx.wgmma_wait 0 %s, %o : vector<4xf32>, vector<4xf32>
    llvm.store %r1, %place : vector<4xf32>, !llvm.ptr<1>
    gpu.return
  }

  // A wait at an mbarrier of another block, which only arrivals may reach.
  // WAIT-ELSEWHERE: illegal-operand: waits at, or invalidates, the mbarrier of another block
  gpu.func @wait_elsewhere() kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tilefold.shared_bytes = 2048 : i64} {
    %barrier = ptx.dynamic_shared : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    scf.if %first {
      %state = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64
    }
    %there = nvvm.mapa %barrier, %c0 : !llvm.ptr<3> -> !llvm.ptr<7>
    %address = llvm.ptrtoint %there : !llvm.ptr<7> to i32
    %far = llvm.inttoptr %address : i32 to !llvm.ptr<3>
    ptx.mbarrier_wait %far, %c0 : !llvm.ptr<3>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    gpu.return
  }
}
