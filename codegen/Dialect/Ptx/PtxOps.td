// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEFOLD_PTX_OPS_TD
#define TILEFOLD_PTX_OPS_TD

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def PtxDialect : Dialect {
  let name = "ptx";
  let cppNamespace = "::tilefold::ptx";
  let summary = "Machine operations that NVVM lacks, or that upstream lowers badly";
  let description = [{
    Part of the `base` level, beside `gpu`, `nvvm`, `vector`, `arith`, `scf`, `cf` and `llvm`. One operation stands for one
    machine instruction (per vector element), so that tests and executors see operations, never assembly strings;
    `convert-base-to-llvm` turns them into LLVM intrinsics as the last step before LLVM IR.

    The approximate functions exist because `math.exp2`, `math.log2` and division reach PTX through calls of NVIDIA's
    `libdevice`, which is not there without a CUDA installation.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

class PtxOp<string opMnemonic, list<Trait> traits = []> : Op<PtxDialect, opMnemonic, traits>;

def Ptx_F32OrVector : AnyTypeOf<[F32, FixedVectorOfRankAndType<[1], [F32]>], "f32 or a 1-D vector of f32">;

class PtxUnaryF32Op<string opMnemonic> : PtxOp<opMnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Ptx_F32OrVector:$operand);
  let results = (outs Ptx_F32OrVector:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Ex2Op : PtxUnaryF32Op<"ex2"> {
  let summary = "Two to the power of x: ex2.approx.ftz.f32";
  let description = [{
    Preconditions: none.

    Postconditions: relative error at most 2^-22; subnormal operands count as zero and subnormal results are zero;
    -inf gives +0, +inf gives +inf, NaN gives NaN.

    Example: `%p = ptx.ex2 %x : vector<64xf32>`

    Errors: a type that is neither f32 nor a 1-D vector of f32.
  }];
}

def Lg2Op : PtxUnaryF32Op<"lg2"> {
  let summary = "Logarithm to base two: lg2.approx.f32";
  let description = [{
    Preconditions: none.

    Postconditions: absolute error at most 2^-22 for 0.5 < x < 2, otherwise relative error at most 2^-22; subnormal
    operands are taken as they are; 0 gives -inf, +inf gives +inf, a negative number or NaN gives NaN.

    Example: `%y = ptx.lg2 %x : f32`

    Errors: a type that is neither f32 nor a 1-D vector of f32.
  }];
}

def RcpOp : PtxUnaryF32Op<"rcp"> {
  let summary = "Reciprocal: rcp.approx.ftz.f32";
  let description = [{
    Preconditions: none.

    Postconditions: error at most 1 ulp; subnormal operands count as zero and subnormal results are zero, with their
    sign; +-0 gives +-inf, +-inf gives +-0, NaN gives NaN.

    Example: `%r = ptx.rcp %l : vector<2xf32>`

    Errors: a type that is neither f32 nor a 1-D vector of f32.
  }];
}

def BarrierOrOp : PtxOp<"barrier_or", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "A block barrier that also tells every thread whether the operand was true in any: bar.red.or.pred";
  let description = [{
    Preconditions: every thread of the block reaches the same operation (barrier 0, as `nvvm.barrier0`).

    Postconditions: the result is true in every thread if and only if the operand was true in at least one; shared and
    global memory are ordered as by a plain barrier.

    Example: `%any = ptx.barrier_or %nonfinite`

    Errors: an operand other than i1.
  }];
  let arguments = (ins I1:$predicate);
  let results = (outs I1:$result);
  let assemblyFormat = "$predicate attr-dict";
}

def DynamicSharedOp : PtxOp<"dynamic_shared", [Pure]> {
  let summary = "The address of the block's dynamic shared memory";
  let description = [{
    Preconditions: the kernel's `tilefold.shared_bytes` says how many bytes a launch must give.

    Postconditions: a pointer aligned to 128 bytes; the same in every thread of the block.

    Example: `%base = ptx.dynamic_shared : !llvm.ptr<3>`

    Errors: a result other than `!llvm.ptr<3>`.
  }];
  let results = (outs LLVM_PointerInAddressSpace<3>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def OpaqueOp : PtxOp<"opaque", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The same value, about which optimisers know nothing: a volatile mov.b32";
  let description = [{
    What is computed from the result stays behind this operation. On a path that is rarely taken it keeps address and
    position arithmetic from being hoisted to where it would occupy registers all the time.

    Preconditions: none.

    Postconditions: the result equals the operand.

    Example: `%t = ptx.opaque %thread`

    Errors: an operand other than i32.
  }];
  let arguments = (ins I32:$operand);
  let results = (outs I32:$result);
  let assemblyFormat = "$operand attr-dict";
}

#endif
