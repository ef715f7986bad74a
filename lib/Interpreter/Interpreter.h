// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the `tile.program` of a module on host tensors: the oracle for what a kernel means, and the executor on machines
// without a GPU. It takes any level of the `tile` dialect, from freshly traced kernels to staged ones.
//
// Beyond computing, it checks what a GPU cannot: positions outside a view, elements that nobody wrote, elements that two
// instances of one launch share, copies that nobody waited for. Each such fault is an error with the operation's location.
//
// Numbers. Values of f16 and bf16 are rounded after every operation. Products of `tile.dot` and `tile.weigh` are exact;
// K ascends in blocks of 16, each block is summed in fp64 and then added to the fp32 accumulator, which rounds. Sums of
// `tile.reduce` are taken in fp32 in a fixed tree. The result does not depend on the number of threads or the order of instances.
#pragma once

#include "lib/Dialect/Tile/TileOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/host_tensor.h"
#include "support/status.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tilefold {

/// The arguments of a program by their public names (`tile.name`).
struct ProgramArguments {
  /// Inputs and inouts must be here. An output that is absent is allocated, dense, in the shape that `tile.shape` states;
  /// one that is here may have any strides that `HostTensor` takes: 0 and overlaps of inputs too, but none below 0. Elements of an output that the program leaves unwritten become NaN (all bits
  /// set).
  std::map<std::string, support::HostTensor> tensors;
  /// f32 and i32 scalars. Those with a default may be absent.
  std::map<std::string, double> scalars;
  /// After a run: how many elements of outputs the program left unwritten, by the output's name.
  std::map<std::string, std::int64_t> unwritten = {};
};

struct InterpreterOptions {
  unsigned threads = 0; ///< 0: one for each hardware thread
  /// Run the instances of each launch in an order drawn from this seed instead of ascending. The numbers must be the same.
  std::optional<std::uint64_t> shuffle;
  /// Called with the instances done so far and those of all launches; never by two threads at once.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

/// Runs the one `tile.program` of `module`. Arguments are checked before anything runs; the error says which argument, what
/// it was and what was expected. A fault inside a kernel says which instance met it and where in the source.
support::Status interpret(mlir::ModuleOp module, ProgramArguments &arguments, const InterpreterOptions &options = {});

/// The same for one of several programs of a module.
support::Status interpret(tile::ProgramOp program, ProgramArguments &arguments, const InterpreterOptions &options = {});

/// Allocates the outputs that are absent, as `interpret` does, and checks all arguments; runs nothing.
support::Status prepareArguments(mlir::ModuleOp module, ProgramArguments &arguments);

} // namespace tilefold
