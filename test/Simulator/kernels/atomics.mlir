// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations on global and shared memory: all threads of a block on one number, and what each gives back. The ninth
// number is a float; the last two of the first half are one of 64 bits.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/atomics.json
// RUN: tilefold-simulate %s --recorded %S/../recorded/atomics.json --seeds 5
// CASE: {"name": "global", "kernel": "global", "arguments": [
// CASE:   {"in": "i32", "integers": [-1000, 1000], "seed": 5, "count": 128},
// CASE:   {"name": "memory", "inout": "i32", "values": [1000, -1, 0, 1431655765, -2000, 2000, 5, 1000000, 0, 0, 0, 0, 10,
// CASE:    3855, 3855, 3855, -50, 50, 7, 9, 11, 13, 0, 0]}, {"name": "out", "out": "i32", "count": 11}]}
// CASE: {"name": "shared", "kernel": "shared", "arguments": [
// CASE:   {"in": "i32", "integers": [-1000, 1000], "seed": 6, "count": 128},
// CASE:   {"name": "memory", "inout": "i32", "values": [1000, -1, 0, 1431655765, -2000, 2000, 5, 1000000, 0, 0, 0, 0, 10,
// CASE:    3855, 3855, 3855, -50, 50, 7, 9, 11, 13, 0, 0]}, {"name": "out", "out": "i32", "count": 11}]}
gpu.module @atomics {
  gpu.func @global(%in: !llvm.ptr<1>, %memory: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 4096 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c12 = arith.constant 12 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %pi = llvm.getelementptr %in[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %pi : !llvm.ptr<1> -> i32
    %f = arith.sitofp %x : i32 to f32
    // All threads on the same numbers.
    %g0 = llvm.getelementptr %memory[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h0 = llvm.atomicrmw add %g0, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
    %g1 = llvm.getelementptr %memory[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h1 = llvm.atomicrmw _and %g1, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
    %g2 = llvm.getelementptr %memory[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h2 = llvm.atomicrmw _or %g2, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
    %g3 = llvm.getelementptr %memory[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h3 = llvm.atomicrmw _xor %g3, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
    %g4 = llvm.getelementptr %memory[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h4 = llvm.atomicrmw max %g4, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
    %g5 = llvm.getelementptr %memory[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h5 = llvm.atomicrmw min %g5, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
    %g6 = llvm.getelementptr %memory[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h6 = llvm.atomicrmw umax %g6, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
    %g7 = llvm.getelementptr %memory[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h7 = llvm.atomicrmw umin %g7, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
    %g8 = llvm.getelementptr %memory[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h8 = llvm.atomicrmw fadd %g8, %f syncscope("device") monotonic : !llvm.ptr<1>, f32
    %wide = arith.extui %x : i32 to i64
    %g10 = llvm.getelementptr %memory[10] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %h10 = llvm.atomicrmw add %g10, %wide syncscope("device") monotonic : !llvm.ptr<1>, i64
    nvvm.barrier0
    // One thread alone: what each gives back.
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      %k0 = llvm.getelementptr %memory[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o0 = llvm.atomicrmw add %k0, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
      %w0 = llvm.getelementptr %out[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o0, %w0 : i32, !llvm.ptr<1>
      %k1 = llvm.getelementptr %memory[13] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o1 = llvm.atomicrmw _and %k1, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
      %w1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o1, %w1 : i32, !llvm.ptr<1>
      %k2 = llvm.getelementptr %memory[14] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o2 = llvm.atomicrmw _or %k2, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
      %w2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o2, %w2 : i32, !llvm.ptr<1>
      %k3 = llvm.getelementptr %memory[15] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o3 = llvm.atomicrmw _xor %k3, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
      %w3 = llvm.getelementptr %out[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o3, %w3 : i32, !llvm.ptr<1>
      %k4 = llvm.getelementptr %memory[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o4 = llvm.atomicrmw max %k4, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
      %w4 = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o4, %w4 : i32, !llvm.ptr<1>
      %k5 = llvm.getelementptr %memory[17] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o5 = llvm.atomicrmw min %k5, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
      %w5 = llvm.getelementptr %out[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o5, %w5 : i32, !llvm.ptr<1>
      %k6 = llvm.getelementptr %memory[18] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o6 = llvm.atomicrmw umax %k6, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
      %w6 = llvm.getelementptr %out[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o6, %w6 : i32, !llvm.ptr<1>
      %k7 = llvm.getelementptr %memory[19] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o7 = llvm.atomicrmw umin %k7, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
      %w7 = llvm.getelementptr %out[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o7, %w7 : i32, !llvm.ptr<1>
      %k8 = llvm.getelementptr %memory[20] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %o8 = llvm.atomicrmw xchg %k8, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
      %w8 = llvm.getelementptr %out[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o8, %w8 : i32, !llvm.ptr<1>
      // The second exchange finds another number than it expects.
      %k9 = llvm.getelementptr %memory[21] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      %before = llvm.load %k9 : !llvm.ptr<1> -> i32
      %e0 = llvm.cmpxchg %k9, %before, %x syncscope("device") monotonic monotonic : !llvm.ptr<1>, i32
      %e1 = llvm.cmpxchg %k9, %before, %c1 syncscope("device") monotonic monotonic : !llvm.ptr<1>, i32
      %o9 = llvm.extractvalue %e0[0] : !llvm.struct<(i32, i1)>
      %o10 = llvm.extractvalue %e1[0] : !llvm.struct<(i32, i1)>
      %w9 = llvm.getelementptr %out[9] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o9, %w9 : i32, !llvm.ptr<1>
      %w10 = llvm.getelementptr %out[10] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o10, %w10 : i32, !llvm.ptr<1>
    }
    gpu.return
  }
  gpu.func @shared(%in: !llvm.ptr<1>, %memory: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tilefold.shared_bytes = 4096 : i64} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %c12 = arith.constant 12 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %pi = llvm.getelementptr %in[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %pi : !llvm.ptr<1> -> i32
    %f = arith.sitofp %x : i32 to f32
    %cells = ptx.dynamic_shared : !llvm.ptr<3>
    %c24 = arith.constant 24 : i32
    %copies = arith.cmpi ult, %thread, %c24 : i32
    scf.if %copies {
      %from = llvm.getelementptr %memory[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %to = llvm.getelementptr %cells[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %y = llvm.load %from : !llvm.ptr<1> -> i32
      llvm.store %y, %to : i32, !llvm.ptr<3>
    }
    nvvm.barrier0
    // All threads on the same numbers.
    %g0 = llvm.getelementptr %cells[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h0 = llvm.atomicrmw add %g0, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
    %g1 = llvm.getelementptr %cells[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h1 = llvm.atomicrmw _and %g1, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
    %g2 = llvm.getelementptr %cells[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h2 = llvm.atomicrmw _or %g2, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
    %g3 = llvm.getelementptr %cells[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h3 = llvm.atomicrmw _xor %g3, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
    %g4 = llvm.getelementptr %cells[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h4 = llvm.atomicrmw max %g4, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
    %g5 = llvm.getelementptr %cells[5] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h5 = llvm.atomicrmw min %g5, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
    %g6 = llvm.getelementptr %cells[6] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h6 = llvm.atomicrmw umax %g6, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
    %g7 = llvm.getelementptr %cells[7] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h7 = llvm.atomicrmw umin %g7, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
    %g8 = llvm.getelementptr %cells[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h8 = llvm.atomicrmw fadd %g8, %f syncscope("device") monotonic : !llvm.ptr<3>, f32
    %wide = arith.extui %x : i32 to i64
    %g10 = llvm.getelementptr %cells[10] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %h10 = llvm.atomicrmw add %g10, %wide syncscope("device") monotonic : !llvm.ptr<3>, i64
    nvvm.barrier0
    // One thread alone: what each gives back.
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      %k0 = llvm.getelementptr %cells[12] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %o0 = llvm.atomicrmw add %k0, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
      %w0 = llvm.getelementptr %out[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o0, %w0 : i32, !llvm.ptr<1>
      %k1 = llvm.getelementptr %cells[13] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %o1 = llvm.atomicrmw _and %k1, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
      %w1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o1, %w1 : i32, !llvm.ptr<1>
      %k2 = llvm.getelementptr %cells[14] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %o2 = llvm.atomicrmw _or %k2, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
      %w2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o2, %w2 : i32, !llvm.ptr<1>
      %k3 = llvm.getelementptr %cells[15] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %o3 = llvm.atomicrmw _xor %k3, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
      %w3 = llvm.getelementptr %out[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o3, %w3 : i32, !llvm.ptr<1>
      %k4 = llvm.getelementptr %cells[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %o4 = llvm.atomicrmw max %k4, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
      %w4 = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o4, %w4 : i32, !llvm.ptr<1>
      %k5 = llvm.getelementptr %cells[17] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %o5 = llvm.atomicrmw min %k5, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
      %w5 = llvm.getelementptr %out[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o5, %w5 : i32, !llvm.ptr<1>
      %k6 = llvm.getelementptr %cells[18] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %o6 = llvm.atomicrmw umax %k6, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
      %w6 = llvm.getelementptr %out[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o6, %w6 : i32, !llvm.ptr<1>
      %k7 = llvm.getelementptr %cells[19] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %o7 = llvm.atomicrmw umin %k7, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
      %w7 = llvm.getelementptr %out[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o7, %w7 : i32, !llvm.ptr<1>
      %k8 = llvm.getelementptr %cells[20] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %o8 = llvm.atomicrmw xchg %k8, %x syncscope("device") monotonic : !llvm.ptr<3>, i32
      %w8 = llvm.getelementptr %out[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o8, %w8 : i32, !llvm.ptr<1>
      // The second exchange finds another number than it expects.
      %k9 = llvm.getelementptr %cells[21] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %before = llvm.load %k9 : !llvm.ptr<3> -> i32
      %e0 = llvm.cmpxchg %k9, %before, %x syncscope("device") monotonic monotonic : !llvm.ptr<3>, i32
      %e1 = llvm.cmpxchg %k9, %before, %c1 syncscope("device") monotonic monotonic : !llvm.ptr<3>, i32
      %o9 = llvm.extractvalue %e0[0] : !llvm.struct<(i32, i1)>
      %o10 = llvm.extractvalue %e1[0] : !llvm.struct<(i32, i1)>
      %w9 = llvm.getelementptr %out[9] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o9, %w9 : i32, !llvm.ptr<1>
      %w10 = llvm.getelementptr %out[10] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %o10, %w10 : i32, !llvm.ptr<1>
    }
    nvvm.barrier0
    scf.if %copies {
      %from = llvm.getelementptr %cells[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %to = llvm.getelementptr %memory[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %y = llvm.load %from : !llvm.ptr<3> -> i32
      llvm.store %y, %to : i32, !llvm.ptr<1>
    }
    gpu.return
  }
}
