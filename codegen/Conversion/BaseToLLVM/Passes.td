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

def ParkCarried : Pass<"park-carried", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Keeps what an outer loop carries past its inner loops in local memory";
  let description = [{
    The sum of a long row's stretches has as many registers as the accumulator of the stretch that is being computed, and no
    thread has both. It is wanted once a stretch. So a vector that a loop carries, and that the body reads only in the second
    arm of one branch that the first step does not take, lies in the thread's own memory in between: it is written at the end
    of a step that another one follows, and read in that arm. A loop of one step, the usual case, touches no memory.

    ```mlir
    // before
    %r = scf.for %i = %lo to %hi step %s iter_args(%sum = %init) -> (vector<128xf32>) {
      %part = scf.for ...
      %first = arith.cmpi eq, %i, %lo
      %next = scf.if %first { yield %part } else { %a = arith.addf %sum, %part  yield %a }
      scf.yield %next
    }
    // after
    %slot = llvm.alloca ... x !llvm.array<128 x f32>
    %r = scf.for %i = %lo to %hi step %s iter_args(%sum = %init) -> (vector<128xf32>) {   // nothing reads %sum
      %part = scf.for ...
      %first = arith.cmpi eq, %i, %lo
      %next = scf.if %first { yield %part } else { %old = llvm.load volatile %slot ...  %a = arith.addf %old, %part  yield %a }
      %more = arith.cmpi slt, %i + %s, %hi
      scf.if %more { llvm.store volatile %next, %slot ... }
      scf.yield %next
    }
    ```

    Left alone, ptxas spills the sum to the same place, but as a spill, which hides those that cost something.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
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
