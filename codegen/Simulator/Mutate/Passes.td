// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_SIMULATOR_MUTATE_PASSES_TD
#define TILEFOLD_SIMULATOR_MUTATE_PASSES_TD

include "mlir/Pass/PassBase.td"

def MutateBase : Pass<"mutate-base", "::mlir::gpu::GPUModuleOp"> {
  let summary = "One synchronisation of a kernel removed, weakened or shifted";
  let description = [{
    Makes one of the module's mutants, so that it can be read and run. A checker of kernels (the simulator) should find every
    mutant that means something else than the program; `tilefold-mutate` asks it to.

    ```mlir
    // before
    nvvm.cp.async.wait.group 0
    nvvm.barrier0
    %x = llvm.load %p : !llvm.ptr<3> -> f32
    // remarks of `list`
    remark: mutant 0: k remove nvvm.cp.async.wait.group #1
    remark: mutant 1: k weaken nvvm.cp.async.wait.group #1
    remark: mutant 2: k shift-down nvvm.cp.async.wait.group #1
    remark: mutant 3: k remove nvvm.barrier0 #1
    remark: mutant 4: k shift-down nvvm.barrier0 #1
    // after `index=1`
    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    %x = llvm.load %p : !llvm.ptr<3> -> f32
    // after `index=4`
    nvvm.cp.async.wait.group 0
    %x = llvm.load %p : !llvm.ptr<3> -> f32
    nvvm.barrier0
    ```

    Kinds: `remove`, `weaken` (one group more may be pending), `flip` (the parity of a phase), `change` (the bytes or
    arrivals that an mbarrier expects), `shift-up` and `shift-down` (over the nearest operation of the block that it may
    order).

    Requires: a module that passes `check-base`. Errors: an index that no mutant has; neither an index nor `list`.
  }];
  let options = [
    Option<"index", "index", "int64_t", "-1", "The mutant to make, from 0">,
    Option<"list", "list", "bool", "false", "Tell all mutants in remarks and change nothing">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
