// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations of a kernel order: which of them synchronise, and which others one of those can matter to.
#pragma once
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace tilefold::sim {

enum class Role {
  None,
  Wait,
  Barrier,
  Fence,
  Arrive,
  CopyCommit, ///< of cp.async
  BulkCommit,
  ProductCommit, ///< of wgmma
  ProductFence,
  Init,     ///< of an mbarrier
  Registers ///< setmaxnreg
};

Role roleOf(mlir::Operation *op);

/// Whether the operation reads or writes memory, now or later, or synchronises; registers do not count. Operations of other
/// dialects by their stated effects; those of nvvm and ptx unless they are known to keep to registers.
bool touchesMemory(mlir::Operation *op);

/// Questions about one kernel, which must not change meanwhile.
class Ordering {
public:
  explicit Ordering(mlir::gpu::GPUFuncOp kernel);

  /// Whether a program can mean something else when `sync` and `other` (or something inside `other`) change places. Not so
  /// for what only numbers the operations of another engine, and for loads from arguments that the kernel never writes to.
  bool mayOrder(mlir::Operation *sync, mlir::Operation *other) const;

private:
  bool isLoadOfInput(mlir::Operation *op) const;

  llvm::DenseSet<mlir::Value> written; ///< arguments
  bool writesUnknown = false;
};

} // namespace tilefold::sim
