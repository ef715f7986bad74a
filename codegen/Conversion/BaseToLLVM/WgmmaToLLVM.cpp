// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of warpgroups. Their accumulators are tied operands, register by register: ptxas runs products one after the
// other ("C75xx") as soon as it sees anything else touch their registers.
#include "codegen/Conversion/BaseToLLVM/Assembly.h"
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilefold::ptx;

namespace {

struct WgmmaLowering : ConvertOpToLLVMPattern<WgmmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(WgmmaOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    tilefold::AssemblyBuilder assembly(rewriter, op.getLoc());
    // A product that overwrites takes no initial value: registers zeroed for it would be zeroed behind the fence.
    std::string d = assembly.write(op.getResult().getType(), adaptor.getAccumulator());
    std::string a = assembly.read(adaptor.getA()), b = assembly.read(adaptor.getB());
    std::string scaleD = op.getAccumulator() ? "1" : "0";
    if (Value scale = adaptor.getScaleD())
      scaleD = assembly.read(scale);

    std::string element = op.getElement().isF16() ? "f16" : "bf16";
    auto flag = [](bool set) { return set ? ", 1" : ", 0"; };
    auto sign = [](bool negative) { return negative ? ", -1" : ", 1"; };
    std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(op.getN()) + "k16.f32." + element + "." + element;
    text += " {" + d + "}, " + (op.isFromRegisters() ? "{" + a + "}" : a) + ", " + b + ", " + scaleD;
    text += sign(op.getNegateA()) + std::string(sign(op.getNegateB()));
    if (!op.isFromRegisters())
      text += flag(op.getTransposeA());
    text += flag(op.getTransposeB());
    rewriter.replaceOp(op, assembly.build(text + ";"));
    return success();
  }
};

struct WgmmaFenceLowering : ConvertOpToLLVMPattern<WgmmaFenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(WgmmaFenceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    tilefold::AssemblyBuilder assembly(rewriter, op.getLoc());
    for (Value value : adaptor.getValues())
      assembly.write(value.getType(), value);
    rewriter.replaceOp(op, assembly.build("wgmma.fence.sync.aligned;"));
    return success();
  }
};

struct WgmmaWaitLowering : ConvertOpToLLVMPattern<WgmmaWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(WgmmaWaitOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    tilefold::AssemblyBuilder assembly(rewriter, op.getLoc());
    for (Value accumulator : adaptor.getAccumulators())
      assembly.write(accumulator.getType(), accumulator);
    for (Value fragment : adaptor.getInFlight())
      assembly.read(fragment);
    rewriter.replaceOp(op, assembly.build("wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";"));
    return success();
  }
};

} // namespace

void tilefold::populateWgmmaToLLVMPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<WgmmaLowering, WgmmaFenceLowering, WgmmaWaitLowering>(converter);
}
