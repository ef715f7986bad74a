// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

void tilefold::buildBaseToLLVMPipeline(OpPassManager &manager, bool lines) {
  manager.addPass(createCheckBase());
  manager.addPass(createConvertBaseToLLVM());
  if (lines)
    manager.addPass(createAttachLineInfo());
}

void tilefold::registerBaseDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect, math::MathDialect,
                  NVVM::NVVMDialect, ptx::PtxDialect, scf::SCFDialect, vector::VectorDialect>();
}
