// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One synchronisation changes: list says which there are, index makes one.
// RUN: tilefold-base-opt --mutate-base=list %s -o /dev/null 2>&1 | grep -o "mutant .*" | FileCheck %s --check-prefix=LIST
// RUN: tilefold-base-opt --mutate-base=index=3 %s | FileCheck %s --check-prefix=REMOVE
// RUN: tilefold-base-opt --mutate-base=index=4 %s | FileCheck %s --check-prefix=WEAKEN
// RUN: tilefold-base-opt --mutate-base=index=1 %s | FileCheck %s --check-prefix=UP
// RUN: tilefold-base-opt --mutate-base=index=7 %s | FileCheck %s --check-prefix=DOWN
// RUN: tilefold-base-opt --mutate-base=index=8 %s | FileCheck %s --check-prefix=VALUE
// RUN: tilefold-base-opt --mutate-base=index=11 %s | FileCheck %s --check-prefix=INIT
// RUN: tilefold-base-opt --mutate-base=index=16 %s | FileCheck %s --check-prefix=BYTES
// RUN: tilefold-base-opt --mutate-base=index=19 %s | FileCheck %s --check-prefix=FLIP
// RUN: tilefold-base-opt --mutate-base=index=21 %s | FileCheck %s --check-prefix=PREDICATE

// LIST:      mutant 0: copies remove nvvm.cp.async.commit.group #1
// LIST-NEXT: mutant 1: copies shift-up nvvm.cp.async.commit.group #1
// LIST-NEXT: mutant 2: copies shift-down nvvm.cp.async.commit.group #1
// LIST-NEXT: mutant 3: copies remove nvvm.cp.async.wait.group #1
// LIST-NEXT: mutant 4: copies weaken nvvm.cp.async.wait.group #1
// The wait's way up is the commit's way down.
// LIST-NEXT: mutant 5: copies shift-down nvvm.cp.async.wait.group #1
// LIST-NEXT: mutant 6: copies remove nvvm.barrier0 #1
// Over the load of shared memory, not that of an input.
// LIST-NEXT: mutant 7: copies shift-down nvvm.barrier0 #1
// The loads give what it depends on, and it gives what the store depends on.
// LIST-NEXT: mutant 8: copies remove ptx.barrier_or #1
// LIST-NEXT: mutant 9: copies remove nvvm.barrier0 #2
// LIST-NEXT: mutant 10: copies shift-up nvvm.barrier0 #2
// LIST-NEXT: mutant 11: phases change nvvm.mbarrier.init #1
// LIST-NEXT: mutant 12: phases remove nvvm.fence.mbarrier.init #1
// LIST-NEXT: mutant 13: phases shift-up nvvm.fence.mbarrier.init #1
// LIST-NEXT: mutant 14: phases shift-down nvvm.fence.mbarrier.init #1
// LIST-NEXT: mutant 15: phases remove nvvm.mbarrier.arrive.expect_tx #1
// LIST-NEXT: mutant 16: phases change nvvm.mbarrier.arrive.expect_tx #1
// LIST-NEXT: mutant 17: phases shift-down nvvm.mbarrier.arrive.expect_tx #1
// LIST-NEXT: mutant 18: phases remove ptx.mbarrier_wait #1
// LIST-NEXT: mutant 19: phases flip ptx.mbarrier_wait #1
// LIST-NEXT: mutant 20: phases shift-up ptx.mbarrier_wait #1
// LIST-NEXT: mutant 21: phases shift-down ptx.mbarrier_wait #1
// LIST-NEXT: mutant 22: phases remove nvvm.mbarrier.arrive #1
// Its way up is the wait's way down.
// LIST-NOT:  mutant

gpu.module @m {
  // REMOVE-LABEL: gpu.func @copies
  // REMOVE:       nvvm.cp.async.commit.group
  // REMOVE-NEXT:  nvvm.barrier0

  // WEAKEN-LABEL: gpu.func @copies
  // WEAKEN:       nvvm.cp.async.wait.group 1

  // UP-LABEL: gpu.func @copies
  // UP:       nvvm.cp.async.commit.group
  // UP-NEXT:  nvvm.cp.async.shared.global
  // UP-NEXT:  nvvm.cp.async.wait.group 0

  // DOWN-LABEL: gpu.func @copies
  // DOWN:       nvvm.cp.async.wait.group 0
  // DOWN-NEXT:  llvm.load {{.*}} !llvm.ptr<1>
  // DOWN-NEXT:  llvm.load {{.*}} !llvm.ptr<3>
  // DOWN-NEXT:  nvvm.barrier0

  // VALUE-LABEL: gpu.func @copies
  // VALUE:       %[[P:.*]] = arith.cmpf
  // VALUE-NOT:   ptx.barrier_or
  // VALUE:       arith.select %[[P]]
  gpu.func @copies(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) kernel {
    %shared = ptx.dynamic_shared : !llvm.ptr<3>
    nvvm.cp.async.shared.global %shared, %in, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    nvvm.barrier0
    %x = llvm.load %in : !llvm.ptr<1> -> f32
    %y = llvm.load %shared : !llvm.ptr<3> -> f32
    %less = arith.cmpf olt, %x, %y : f32
    %any = ptx.barrier_or %less
    %z = arith.select %any, %x, %y : f32
    llvm.store %z, %out : f32, !llvm.ptr<1>
    nvvm.barrier0
    gpu.return
  }

  // INIT-LABEL: gpu.func @phases
  // INIT:       %[[COUNT:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
  // INIT-NEXT:  nvvm.mbarrier.init %{{.*}}, %[[COUNT]]

  // BYTES-LABEL: gpu.func @phases
  // BYTES:       %[[HALF:.*]] = arith.shrui
  // BYTES-NEXT:  nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[HALF]]

  // FLIP-LABEL: gpu.func @phases
  // FLIP:       %[[OTHER:.*]] = arith.xori %{{.*}}, %{{.*}} : i32
  // FLIP-NEXT:  ptx.mbarrier_wait %{{.*}}, %[[OTHER]]

  // PREDICATE-LABEL: gpu.func @phases
  // PREDICATE:       nvvm.cp.async.bulk.tensor
  // PREDICATE-NEXT:  }
  // PREDICATE-NEXT:  scf.if
  // PREDICATE-NEXT:    nvvm.mbarrier.arrive
  // PREDICATE-NEXT:  }
  // PREDICATE-NEXT:  ptx.mbarrier_wait
  gpu.func @phases(%map: !llvm.ptr {ptx.tensor_map}) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %barrier = ptx.dynamic_shared : !llvm.ptr<3>
    %data = llvm.getelementptr %barrier[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %target = llvm.addrspacecast %data : !llvm.ptr<3> to !llvm.ptr<7>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    scf.if %first {
      nvvm.mbarrier.arrive.expect_tx %barrier, %c128 : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.tensor.shared.cluster.global %target, %map, %barrier, box[%c0] : !llvm.ptr<7>, !llvm.ptr
    }
    ptx.mbarrier_wait %barrier, %c0 : !llvm.ptr<3>
    scf.if %first {
      %state = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64
    }
    gpu.return
  }
}
