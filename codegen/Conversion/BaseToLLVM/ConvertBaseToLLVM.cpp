// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace tilefold {
#define GEN_PASS_DEF_CONVERTBASETOLLVM
#include "codegen/Conversion/BaseToLLVM/Passes.h.inc"
} // namespace tilefold

/// Upstream's gpu patterns bring libdevice calls for math and for some arith; ours must win over them.
static constexpr unsigned kOverLibdevice = 10;

namespace {
template <class Source, class Target> struct NumberExtremumLowering : ConvertOpToLLVMPattern<Source> {
  explicit NumberExtremumLowering(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<Source>(converter, kOverLibdevice) {}
  LogicalResult matchAndRewrite(Source op, typename Source::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<Target>(op, adaptor.getLhs(), adaptor.getRhs());
    return success();
  }
};

/// LLVM's own reduction intrinsics on predicates become a packed integer, bit by bit; as single steps they stay predicates.
struct LogicalReductionLowering : ConvertOpToLLVMPattern<vector::ReductionOp> {
  explicit LogicalReductionLowering(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, kOverLibdevice) {}
  LogicalResult matchAndRewrite(vector::ReductionOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    bool isOr = op.getKind() == vector::CombiningKind::OR;
    if ((!isOr && op.getKind() != vector::CombiningKind::AND) || op.getAcc())
      return rewriter.notifyMatchFailure(op, "expected `or` or `and` without an accumulator");
    Location loc = op.getLoc();
    Value result;
    for (int64_t i = 0; i < op.getSourceVectorType().getNumElements(); ++i) {
      Value index = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(), i);
      Value element = LLVM::ExtractElementOp::create(rewriter, loc, adaptor.getVector(), index);
      if (!result)
        result = element;
      else
        result = isOr ? LLVM::OrOp::create(rewriter, loc, result, element).getResult()
                      : LLVM::AndOp::create(rewriter, loc, result, element).getResult();
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// One pattern per operation and nothing to undo: what the driver would record in order to roll back takes most of its time.
ConversionConfig withoutRollback() {
  ConversionConfig config;
  config.allowPatternRollback = false;
  return config;
}

struct ConvertBaseToLLVM : tilefold::impl::ConvertBaseToLLVMBase<ConvertBaseToLLVM> {
  void runOnOperation() override {
    SmallVector<std::pair<std::string, unsigned>> maps = tensorMaps(); // upstream's conversion drops the mark
    if (failed(lowerStructuredControlFlow()) || failed(lowerToLLVM()))
      return signalPassFailure();
    for (auto &[kernel, argument] : maps)
      passTensorMapByValue(cast<LLVM::LLVMFuncOp>(getOperation().lookupSymbol(kernel)), argument);
  }

  LogicalResult lowerStructuredControlFlow() {
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.addIllegalDialect<scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(getOperation(), target, std::move(patterns), withoutRollback());
  }

  LogicalResult lowerToLLVM() {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);

    RewritePatternSet patterns(context);
    populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false, kOverLibdevice);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    patterns.add<NumberExtremumLowering<arith::MaxNumFOp, LLVM::MaxNumOp>,
                 NumberExtremumLowering<arith::MinNumFOp, LLVM::MinNumOp>, LogicalReductionLowering>(converter);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    populateNVVMToLLVMConversionPatterns(patterns);
    tilefold::populatePtxToLLVMPatterns(converter, patterns);

    LLVMConversionTarget target(*context);
    // Most of NVVM has intrinsics; for the rest upstream writes the assembly.
    target.addDynamicallyLegalDialect<NVVM::NVVMDialect>([](Operation *op) {
      auto assembly = dyn_cast<NVVM::BasicPtxBuilderInterface>(op);
      return !assembly || assembly.hasIntrinsic();
    });
    target.addLegalOp<gpu::GPUModuleOp>();
    target.addIllegalDialect<gpu::GPUDialect>();
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect, math::MathDialect, vector::VectorDialect,
                             tilefold::ptx::PtxDialect>();
    return applyPartialConversion(getOperation(), target, std::move(patterns), withoutRollback());
  }

  /// Kernel and number of each argument that is a tensor map.
  SmallVector<std::pair<std::string, unsigned>> tensorMaps() {
    SmallVector<std::pair<std::string, unsigned>> maps;
    for (auto function : getOperation().getOps<gpu::GPUFuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (function.getArgAttr(i, tilefold::ptx::PtxDialect::getTensorMapAttrName()))
          maps.push_back({function.getName().str(), i});
    return maps;
  }

  /// A grid constant: otherwise each thread would get a copy, whose address is not what TMA wants.
  void passTensorMapByValue(LLVM::LLVMFuncOp kernel, unsigned argument) {
    MLIRContext *context = &getContext();
    auto bytes = LLVM::LLVMArrayType::get(IntegerType::get(context, 8), tilefold::ptx::kTensorMapBytes);
    auto alignment = IntegerAttr::get(IntegerType::get(context, 64), tilefold::ptx::kTensorMapAlignment);
    kernel.setArgAttr(argument, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
    kernel.setArgAttr(argument, LLVM::LLVMDialect::getAlignAttrName(), alignment);
    kernel.setArgAttr(argument, NVVM::NVVMDialect::getGridConstantAttrName(), UnitAttr::get(context));
  }
};
} // namespace
