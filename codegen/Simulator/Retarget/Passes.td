// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_SIMULATOR_RETARGET_PASSES_TD
#define TILEFOLD_SIMULATOR_RETARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def RetargetBaseToHost : Pass<"retarget-base-to-host", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Machine operations of the base level to calls of the simulated machine";
  let description = [{
    Every operation that a GPU would execute as an instruction of its own becomes a call of a function of
    `codegen/Simulator/Machine/Abi.h`; arithmetic, control flow and registers stay what they are and become host code later.
    A pointer to shared memory keeps its type, its value is the 32-bit shared address; a global pointer is a host pointer.

    A kernel becomes a function of one pointer, through which it finds its parameters. It carries `tilefold.places`: for
    every site, which is the last operand of every call, the operation's name, file, line and column; and
    `tilefold.static_shared`: the bytes of each static array in shared memory that it uses.

    Requires: `check-base` passed. An operation that is not modelled is an error with its name, on the kernel's line; one
    run tells all of them.

    ```mlir
    // before
    gpu.func @k(%p: !llvm.ptr<1>) kernel {
      nvvm.barrier0
      %x = llvm.load %p : !llvm.ptr<1> -> f32
      ...
    // after
    llvm.func @k(%parameters: !llvm.ptr) attributes {
        tilefold.places = [["nvvm.barrier0", "k.h", 3, 5], ["llvm.load", "k.h", 4, 12]], ...} {
      %first = llvm.load %parameters : !llvm.ptr -> !llvm.ptr
      %p = llvm.load %first : !llvm.ptr -> !llvm.ptr<1>
      llvm.call @tilefold_sim_barrier(%id, %threads, %site0)
      %address = llvm.ptrtoint %p : !llvm.ptr<1> to i64
      %checked = llvm.call @tilefold_sim_read(%global, %address, %four_bytes, %aligned_to_four, %site1)
      %x = llvm.load %checked {alignment = 1} : !llvm.ptr -> f32
      ...
    ```

    Loads and stores on the host claim no alignment: one that the machine found misaligned must not end the process.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

#endif
