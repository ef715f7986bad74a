// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/BaseToLLVM/Assembly.h"
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

using namespace mlir;
using namespace tilefold::ptx;

static Value callIntrinsic(OpBuilder &builder, Location loc, StringRef intrinsic, Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(intrinsic), operands).getResults();
}

namespace {

/// An elementwise operation: one intrinsic call per element.
template <class Op> struct UnaryLowering : ConvertOpToLLVMPattern<Op> {
  UnaryLowering(const LLVMTypeConverter &converter, StringRef intrinsic)
      : ConvertOpToLLVMPattern<Op>(converter), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value operand = adaptor.getOperand();
    auto vector = dyn_cast<VectorType>(operand.getType());
    if (!vector) {
      rewriter.replaceOp(op, callIntrinsic(rewriter, loc, intrinsic, operand.getType(), operand));
      return success();
    }
    Value result = LLVM::PoisonOp::create(rewriter, loc, vector);
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value index = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(), i);
      Value element = LLVM::ExtractElementOp::create(rewriter, loc, operand, index);
      element = callIntrinsic(rewriter, loc, intrinsic, vector.getElementType(), element);
      result = LLVM::InsertElementOp::create(rewriter, loc, result, element, index);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  StringRef intrinsic;
};

struct BarrierOrLowering : ConvertOpToLLVMPattern<BarrierOrOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(BarrierOrOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Value barrier = LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), 0);
    rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(), "llvm.nvvm.barrier.cta.red.or.aligned.all",
                                         rewriter.getI1Type(), {barrier, adaptor.getPredicate()}));
    return success();
  }
};

struct OpaqueLowering : ConvertOpToLLVMPattern<OpaqueOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(OpaqueOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::InlineAsmOp>(op, rewriter.getI32Type(), adaptor.getOperand(), "mov.b32 $0, $1;", "=r,r",
                                                   /*has_side_effects=*/true, /*is_align_stack=*/false,
                                                   LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    return success();
  }
};

/// Dynamic shared memory is one external array without a size; all kernels of a module share its name.
struct DynamicSharedLowering : ConvertOpToLLVMPattern<DynamicSharedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  static constexpr StringLiteral kName = "shared_memory";
  static constexpr unsigned kSharedSpace = 3, kAlignment = 128;

  LogicalResult matchAndRewrite(DynamicSharedOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto module = op->getParentOfType<gpu::GPUModuleOp>();
    if (!module)
      return rewriter.notifyMatchFailure(op, "expected to be inside a gpu.module");
    if (!module.lookupSymbol(kName)) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      LLVM::GlobalOp::create(rewriter, module.getLoc(), LLVM::LLVMArrayType::get(rewriter.getI8Type(), 0),
                             /*isConstant=*/false, LLVM::Linkage::External, kName, Attribute(), kAlignment, kSharedSpace);
    }
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, op.getType(), kName);
    return success();
  }
};

struct MbarrierWaitLowering : ConvertOpToLLVMPattern<MbarrierWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(MbarrierWaitOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    tilefold::AssemblyBuilder assembly(rewriter, op.getLoc());
    std::string barrier = assembly.read(adaptor.getBarrier()), parity = assembly.read(adaptor.getParity());
    std::string order = op.getCluster() ? ".acquire.cluster" : "";
    // Labels within braces are the block's own, so that the text may appear many times.
    assembly.build("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity" + order + ".shared::cta.b64 done, [" + barrier +
                   "], " + parity + ";\n@!done bra again;\n}");
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilefold::populatePtxToLLVMPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<UnaryLowering<Ex2Op>>(converter, "llvm.nvvm.ex2.approx.ftz.f32");
  patterns.add<UnaryLowering<Lg2Op>>(converter, "llvm.nvvm.lg2.approx.f");
  patterns.add<UnaryLowering<RcpOp>>(converter, "llvm.nvvm.rcp.approx.ftz.f");
  patterns.add<BarrierOrLowering, DynamicSharedLowering, OpaqueLowering, MbarrierWaitLowering>(converter);
  populateWgmmaToLLVMPatterns(converter, patterns);
}
