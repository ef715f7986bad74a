// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Simulator/Mutate/Ordering.h"
#include <optional>

namespace tilefold::sim {

enum class Direction { Up, Down };

/// A synchronisation on its way over another operation of its block.
struct Shift {
  mlir::Operation *target;
  llvm::SmallVector<mlir::Operation *> moved; ///< in order; the synchronisation, or an scf.if around it, among them
  Direction direction;
  void apply() const;
};

/// Over the nearest operation that `sync` may order. None if there is none, if one depends on the other, or if both are the
/// same.
std::optional<Shift> findShift(mlir::Operation *sync, Direction direction, const Ordering &ordering);

} // namespace tilefold::sim
