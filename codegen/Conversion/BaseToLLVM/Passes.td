// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_BASE_TO_LLVM_PASSES_TD
#define TILEFOLD_BASE_TO_LLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckBase : Pass<"check-base", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Refuses what is not part of the base level";
  let description = [{
    The base level is `gpu`, `nvvm`, `ptx`, `vector`, `arith`, `scf`, `cf`, `llvm`, and the few `math` operations that have
    an instruction of their own. Upstream lowers the other ones to calls of NVIDIA's libdevice, which would surface as
    unresolved `.extern .func` when the driver loads the PTX; here they are errors on the line of the kernel. Calls and
    assembly strings are refused too: machine operations belong in `ptx`, where tests and executors see them. So is an
    `llvm.atomicrmw` with an order: LLVM's back end drops the order without a word.

    ```mlir
    %0 = math.exp2 %x : f32   // error: 'math.exp2' is not part of the base level; use ptx.ex2
    %0 = ptx.ex2 %x : f32     // fine
    ```
  }];
}

def ConvertBaseToLLVM : Pass<"convert-base-to-llvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "base to the LLVM dialect: gpu, scf, vector, arith, math, cf and ptx";
  let description = [{
    Requires: `check-base` passed. `gpu.known_block_size` becomes `nvvm.maxntid`; `nvvm.minctasm` and `nvvm.cluster_dim` stay.
    An argument with `ptx.tensor_map` becomes a grid constant of 128 bytes. A `ptx` operation on a vector becomes one call of
    an LLVM intrinsic per element. What has no intrinsic becomes inline assembly, here and nowhere before.

    ```mlir
    // before
    %1 = ptx.ex2 %0 : f32
    // after
    %1 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%0) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def AttachLineInfo : Pass<"attach-line-info", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Debug scopes on functions, so that PTX gets .loc lines";
  let description = [{
    Every `llvm.func` with a file location gets a subprogram, and every operation's location is reduced to the innermost
    file position, in a scope that knows its file: a kernel that uses helpers of another header keeps both files' lines.

    The emission kind is DebugDirectivesOnly: LineTablesOnly would make the target `debug`, which costs registers and
    turns optimisations of ptxas off.

    ```mlir
    // before
    llvm.func @k() { llvm.return loc("fa2.h":12:3) } loc("fa2.h":10:1)
    // after
    llvm.func @k() { llvm.return loc("fa2.h":12:3) } loc(fused<#llvm.di_subprogram<...>>["fa2.h":10:1])
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
