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
    `convert-base-to-llvm` turns them into LLVM intrinsics, or inline assembly, as the last step before LLVM IR.

    The approximate functions exist because `math.exp2`, `math.log2` and division reach PTX through calls of NVIDIA's
    `libdevice`, which is not there without a CUDA installation.

    The attribute `ptx.tensor_map` on an argument of a kernel, a `!llvm.ptr`, says that the argument is a tensor map of TMA:
    128 bytes passed by value. It is what upstream calls `llvm.byval` with `nvvm.grid_constant`, which `gpu.func` cannot bear.
  }];
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral getTensorMapAttrName() { return "ptx.tensor_map"; }
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

def Ptx_Accumulator : AnyTypeOf<[FixedVectorOfRankAndType<[1], [F32]>], "a 1-D vector of f32", "::mlir::VectorType">;
def Ptx_Fragment : AnyTypeOf<[VectorOfLengthAndType<[4], [I32]>], "vector<4xi32>", "::mlir::VectorType">;
def Ptx_Registers : AnyTypeOf<[Ptx_Accumulator, Ptx_Fragment], "a 1-D vector of f32 or vector<4xi32>", "::mlir::VectorType">;

def WgmmaOp : PtxOp<"wgmma", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments,
    OptionalTypesMatchWith<"the accumulator has the result's type", "result", "accumulator", "$_self">]> {
  let summary = "One asynchronous product of a warpgroup, D = A B + C: wgmma.mma_async.m64nNk16.f32";
  let description = [{
    A is 64 x 16 and B is 16 x N in f16 or bf16, the accumulator 64 x N in f32; N is twice the length of the accumulator's
    vector. A is a descriptor of shared memory (i64) or the thread's fragment in registers (`vector<4xi32>`, two elements in
    each, as for `mma.sync`); B is a descriptor. Without an accumulator D = A B, and so it is where `scale_d` is false. An
    operand is K-major (its k is contiguous) unless its `transpose` flag says that m or n is; a fragment is never transposed.

    NVVM's operation takes A only from shared memory, and its accumulators are a struct.

    Preconditions: every thread of the warpgroup reaches the same operation, after a `ptx.wgmma_fence` that follows the last
    access of the registers and a proxy fence that follows generic writes of the shared memory. The target is sm_90a.

    Postconditions: the product is part of the warpgroup's open group, until `nvvm.wgmma.commit.group.sync.aligned`. Until a
    `ptx.wgmma_wait` that covers the group gives the accumulator back, the result is only good as accumulator of another
    product of the same shape, and neither the fragment of A nor the shared memory may be written.

    Example:
    ```mlir
    %s0 = ptx.wgmma f16 %q0, %k0 : i64 -> vector<64xf32>
    %s1 = ptx.wgmma f16 %q1, %k1, %s0 : i64 -> vector<64xf32>
    %o1 = ptx.wgmma bf16 %p0, %v0, %o0 scale_d %later transpose_b : vector<4xi32> -> vector<32xf32>
    ```

    Errors: an element type other than f16 and bf16; N that is not a multiple of 8 up to 256; a transposed fragment;
    `scale_d` without an accumulator.
  }];
  let arguments = (ins TypeAttr:$element, AnyTypeOf<[I64, Ptx_Fragment]>:$a, I64:$b,
                   Optional<Ptx_Accumulator>:$accumulator, Optional<I1>:$scaleD, UnitAttr:$transposeA, UnitAttr:$transposeB,
                   UnitAttr:$negateA, UnitAttr:$negateB);
  let results = (outs Ptx_Accumulator:$result);
  let assemblyFormat = [{
    $element $a `,` $b (`,` $accumulator^)? (`scale_d` $scaleD^)? (`transpose_a` $transposeA^)? (`transpose_b` $transposeB^)?
    (`negate_a` $negateA^)? (`negate_b` $negateB^)? attr-dict
    `:` type($a) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Columns of the accumulator.
    int64_t getN() { return 2 * getResult().getType().getNumElements(); }
    bool isFromRegisters() { return ::llvm::isa<::mlir::VectorType>(getA().getType()); }
  }];
}

def WgmmaFenceOp : PtxOp<"wgmma_fence", [MemoryEffects<[MemRead, MemWrite]>,
    RangedTypesMatchWith<"results have the types of the values", "values", "results", "$_self">]> {
  let summary = "Orders what a thread did to registers before the products that use them: wgmma.fence.sync.aligned";
  let description = [{
    The values are accumulators and fragments of the products that follow; those take the results. This ties them to the
    fence: a plain fence does not know them, and optimisers put what computes them behind it, where ptxas then waits for every
    product.

    Preconditions: every thread of the warpgroup reaches the same operation. The target is sm_90a.

    Postconditions: the results equal the values; the products after the fence see them.

    Example: `%o1, %p1 = ptx.wgmma_fence %o0, %p0 : vector<32xf32>, vector<4xi32>`

    Errors: no value (`nvvm.wgmma.fence.aligned` is for that); a value that is neither a 1-D vector of f32 nor
    `vector<4xi32>`; results of other types.
  }];
  let arguments = (ins Variadic<Ptx_Registers>:$values);
  let results = (outs Variadic<Ptx_Registers>:$results);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def WgmmaWaitOp : PtxOp<"wgmma_wait", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments,
    RangedTypesMatchWith<"results have the types of the accumulators", "accumulators", "results", "$_self">]> {
  let summary = "Waits until at most so many groups of products are pending: wgmma.wait_group.sync.aligned";
  let description = [{
    NVVM's operation has no operands, so nothing keeps a use of the accumulators behind it. Here the accumulators that become
    valid go through the wait, and the fragments that pending products may still read are held until then.

    Preconditions: every thread of the warpgroup reaches the same operation; the accumulators belong to groups that are
    complete when `pending` groups are left. The target is sm_90a.

    Postconditions: the results are the finished accumulators; registers and shared memory of finished products are free.

    Example: `%o1 = ptx.wgmma_wait 0 %o0 in_flight(%p0, %p1 : vector<4xi32>, vector<4xi32>) : vector<32xf32>`

    Errors: a negative number of groups; no accumulator (`nvvm.wgmma.wait.group.sync.aligned` is for that); one that is not a
    1-D vector of f32; results of other types.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending, Variadic<Ptx_Accumulator>:$accumulators,
                   Variadic<Ptx_Fragment>:$inFlight);
  let results = (outs Variadic<Ptx_Accumulator>:$results);
  let assemblyFormat = [{
    $pending $accumulators (`in_flight` `(` $inFlight^ `:` type($inFlight) `)`)? attr-dict `:` type($accumulators)
  }];
  let hasVerifier = 1;
}

def MbarrierWaitOp : PtxOp<"mbarrier_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Blocks until the phase of this parity of an mbarrier is complete: a loop of mbarrier.try_wait.parity";
  let description = [{
    NVVM's operation of this meaning wants a time limit, and orders only what threads of the same block did. With `cluster`
    what other blocks of the cluster did before they arrived is ordered too.

    Preconditions: the barrier is initialised; the phase of this parity is the current or the previous one. The target is
    sm_90.

    Postconditions: the phase is complete; what its arrivals released and its transactions wrote can be read.

    Example: `ptx.mbarrier_wait %full, %parity` and `ptx.mbarrier_wait %empty, %parity cluster`

    Errors: a barrier other than `!llvm.ptr<3>`; a parity other than i32.
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<3>:$barrier, I32:$parity, UnitAttr:$cluster);
  let assemblyFormat = "$barrier `,` $parity (`cluster` $cluster^)? attr-dict `:` qualified(type($barrier))";
}

#endif
