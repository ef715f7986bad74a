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
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

struct ConvertBaseToLLVM : tilefold::impl::ConvertBaseToLLVMBase<ConvertBaseToLLVM> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);

    RewritePatternSet patterns(context);
    populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false, kOverLibdevice);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    patterns.add<NumberExtremumLowering<arith::MaxNumFOp, LLVM::MaxNumOp>,
                 NumberExtremumLowering<arith::MinNumFOp, LLVM::MinNumOp>>(converter);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    tilefold::populatePtxToLLVMPatterns(converter, patterns);

    LLVMConversionTarget target(*context);
    configureGpuToNVVMConversionLegality(target);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect, math::MathDialect, vector::VectorDialect,
                             tilefold::ptx::PtxDialect>();
    ConversionConfig config;
    config.allowPatternRollback = false; // one pattern per operation: nothing to undo, and a third of the time
    if (failed(applyPartialConversion(module, target, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
