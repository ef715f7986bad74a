// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace tilefold {

#define GEN_PASS_DECL
#include "codegen/Conversion/BaseToLLVM/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "codegen/Conversion/BaseToLLVM/Passes.h.inc"

/// base -> LLVM dialect with line information; runs on a gpu.module. The passes: check-base,
/// convert-base-to-llvm, attach-line-info.
void buildBaseToLLVMPipeline(mlir::OpPassManager &manager, bool lines = true);

/// ptx -> LLVM intrinsics, or inline assembly where there is none.
void populatePtxToLLVMPatterns(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateWgmmaToLLVMPatterns(const mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// The innermost file position of a location, the helper's own line rather than its caller's; null if there is none.
mlir::FileLineColLoc innermostPosition(mlir::Location loc);

/// The dialects that base IR may hold.
void registerBaseDialects(mlir::DialectRegistry &registry);

} // namespace tilefold
