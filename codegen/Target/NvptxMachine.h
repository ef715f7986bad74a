// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Target/TranslateToPtx.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace tilefold {

/// LLVM's NVPTX back end for a chip. Errors: a chip that it does not know.
llvm::FailureOr<std::unique_ptr<llvm::TargetMachine>> makeMachine(mlir::Location loc, const TargetOptions &options);

/// LLVM IR -> PTX text. Changes `module`.
llvm::FailureOr<std::string> emitAssembly(llvm::TargetMachine &machine, llvm::Module &module, mlir::Location loc);

} // namespace tilefold
