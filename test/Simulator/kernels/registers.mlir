// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special registers that say the same in every run, and which lane elect.sync elects.
// REQUIRES: tilefold-simulate
// RUN: tilefold-simulate %s --recorded %S/../recorded/registers.json
// CASE: {"name": "two blocks", "grid": 2, "arguments": [
// CASE:   {"name": "out", "out": "u32", "count": 2560, "row": 20, "show": false}]}
gpu.module @registers {
  gpu.func @registers(%out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %c64 = arith.constant 64 : i32
    %width = arith.constant 20 : i32
    %row = arith.muli %block, %c64 : i32
    %i = arith.addi %row, %thread : i32
    %at = arith.muli %i, %width : i32
    %results = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %r0 = nvvm.read.ptx.sreg.tid.x : i32
    %p0 = llvm.getelementptr %results[0] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r0, %p0 : i32, !llvm.ptr<1>
    %r1 = nvvm.read.ptx.sreg.ntid.x : i32
    %p1 = llvm.getelementptr %results[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r1, %p1 : i32, !llvm.ptr<1>
    %r2 = nvvm.read.ptx.sreg.ctaid.x : i32
    %p2 = llvm.getelementptr %results[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r2, %p2 : i32, !llvm.ptr<1>
    %r3 = nvvm.read.ptx.sreg.nctaid.x : i32
    %p3 = llvm.getelementptr %results[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r3, %p3 : i32, !llvm.ptr<1>
    %r4 = nvvm.read.ptx.sreg.laneid : i32
    %p4 = llvm.getelementptr %results[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r4, %p4 : i32, !llvm.ptr<1>
    %r5 = nvvm.read.ptx.sreg.lanemask.eq : i32
    %p5 = llvm.getelementptr %results[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r5, %p5 : i32, !llvm.ptr<1>
    %r6 = nvvm.read.ptx.sreg.lanemask.lt : i32
    %p6 = llvm.getelementptr %results[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r6, %p6 : i32, !llvm.ptr<1>
    %r7 = nvvm.read.ptx.sreg.lanemask.le : i32
    %p7 = llvm.getelementptr %results[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r7, %p7 : i32, !llvm.ptr<1>
    %r8 = nvvm.read.ptx.sreg.lanemask.gt : i32
    %p8 = llvm.getelementptr %results[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r8, %p8 : i32, !llvm.ptr<1>
    %r9 = nvvm.read.ptx.sreg.lanemask.ge : i32
    %p9 = llvm.getelementptr %results[9] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r9, %p9 : i32, !llvm.ptr<1>
    %r10 = nvvm.read.ptx.sreg.tid.y : i32
    %p10 = llvm.getelementptr %results[10] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r10, %p10 : i32, !llvm.ptr<1>
    %r11 = nvvm.read.ptx.sreg.ntid.y : i32
    %p11 = llvm.getelementptr %results[11] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r11, %p11 : i32, !llvm.ptr<1>
    %r12 = nvvm.read.ptx.sreg.ctaid.y : i32
    %p12 = llvm.getelementptr %results[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r12, %p12 : i32, !llvm.ptr<1>
    %r13 = nvvm.read.ptx.sreg.nctaid.y : i32
    %p13 = llvm.getelementptr %results[13] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r13, %p13 : i32, !llvm.ptr<1>
    %r14 = nvvm.read.ptx.sreg.tid.z : i32
    %p14 = llvm.getelementptr %results[14] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r14, %p14 : i32, !llvm.ptr<1>
    %r15 = nvvm.read.ptx.sreg.ntid.z : i32
    %p15 = llvm.getelementptr %results[15] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r15, %p15 : i32, !llvm.ptr<1>
    %r16 = nvvm.read.ptx.sreg.ctaid.z : i32
    %p16 = llvm.getelementptr %results[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r16, %p16 : i32, !llvm.ptr<1>
    %r17 = nvvm.read.ptx.sreg.nctaid.z : i32
    %p17 = llvm.getelementptr %results[17] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r17, %p17 : i32, !llvm.ptr<1>
    %elected = nvvm.elect.sync -> i1
    %e = arith.extui %elected : i1 to i32
    %p18 = llvm.getelementptr %results[18] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %e, %p18 : i32, !llvm.ptr<1>
    // Among the odd lanes alone.
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %bit = arith.andi %thread, %c1 : i32
    %is_odd = arith.cmpi ne, %bit, %c0 : i32
    %odd = arith.constant 0xaaaaaaaa : i32
    %o = scf.if %is_odd -> i32 {
      %one = nvvm.elect.sync %odd -> i1
      %w = arith.extui %one : i1 to i32
      scf.yield %w : i32
    } else {
      scf.yield %c0 : i32
    }
    %p19 = llvm.getelementptr %results[19] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %o, %p19 : i32, !llvm.ptr<1>
    gpu.return
  }
}
