// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutants: copies of a kernel with one synchronisation changed. Who checks kernels should find every one of them.
#pragma once
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <functional>
#include <string>
#include <vector>

namespace tilefold::sim {

struct Mutant {
  mlir::Operation *op; ///< what changes
  std::string kernel;
  std::string kind;      ///< "remove", "weaken", "flip", "change", "shift-up", "shift-down"
  std::string operation; ///< "nvvm.barrier0"
  unsigned ordinal;      ///< from 1, among the operations of that name in the kernel
  std::string file;      ///< the kernel's C++ line; empty if there is none
  unsigned line;

  /// Changes the module that was searched, once.
  std::function<void()> apply;

  /// "fa2_kernel_fast remove nvvm.barrier0 #3": unique in a module. The line is not part of it, so that a list of names
  /// outlives an edit elsewhere in the kernel's file.
  std::string name() const;
};

/// All mutants of the kernels of a base module, in the order of the program:
///  - remove: a wait, barrier, fence, arrival, commit or setmaxnreg; values go through, a test of a barrier says yes
///  - weaken: a wait that leaves one group more pending
///  - flip: a wait for the other phase
///  - change: half the bytes that an mbarrier expects, one arrival more than it should
///  - shift-up, shift-down: a synchronisation on the other side of the nearest operation of its block that it may order.
///    What it needs, or what needs it, goes along; if it is all that an scf.if does, so does that. None where it depends on
///    the operation, or is the same.
/// A shift of two neighbours over each other is one mutant, that of the first.
std::vector<Mutant> findMutants(mlir::gpu::GPUModuleOp module);

} // namespace tilefold::sim
