// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly text with its operands, for the machine operations that LLVM has no intrinsic for. Base IR holds none of it: it
// appears in the last conversion.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tilefold {

/// Builds one llvm.inline_asm that may do anything to memory. Values are i1, i32, i64, f32, pointers, or vectors of those,
/// which take a register for each element.
class AssemblyBuilder {
public:
  AssemblyBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// Registers that the text writes; with `initial` they hold it before. Returns their names in the text, "$0,$1,...".
  std::string write(mlir::Type type, mlir::Value initial = nullptr);
  /// Registers that the text reads; after all calls of `write`, since registers are numbered in this order.
  std::string read(mlir::Value value);
  /// The written values, in the order of `write`.
  llvm::SmallVector<mlir::Value> build(llvm::StringRef text);

private:
  std::string name(unsigned count);
  void addElements(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &list);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<mlir::Type> written;    // as given
  llvm::SmallVector<mlir::Type> outputs;    // of registers
  llvm::SmallVector<mlir::Value> inputs;    // of registers
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> tied; // an output's number, what it holds before
  unsigned registers = 0;
};

} // namespace tilefold
