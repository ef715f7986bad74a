// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global memory as the interpreter sees it: each element of what a program writes remembers who wrote it.
#pragma once

#include "mlir/IR/Operation.h"
#include "support/dtype.h"

#include <atomic>
#include <memory>
#include <string>

namespace tilefold::interpreter {

/// Marks one instance of one launch. Stamps grow from launch to launch, so "written by an earlier launch" is a comparison.
using Stamp = std::uint32_t;

/// A tensor argument or a workspace.
struct Memory {
  std::string name; ///< "input 'q'", "workspace 'partial_o'"
  support::DType dtype = support::DType::f32;
  std::byte *data = nullptr;
  std::int64_t span = 0; ///< elements from `data` to the last that strides reach
  bool writable = false;
  bool initialised = false; ///< readable before anybody wrote
  /// Who wrote each element last; 0: nobody. Only where writable.
  std::unique_ptr<std::atomic<Stamp>[]> writers;
};

inline constexpr int kMaxRank = 8;

/// The value of a `!tile.view`. Trivially copyable, so that it lives in a slot like any other value.
struct View {
  Memory *memory;
  std::int64_t offset; ///< elements from `memory->data`
  std::int32_t rank;
  std::int32_t extents[kMaxRank];
  std::int64_t strides[kMaxRank];
  /// A `slice` or `narrow` outside its dimension makes a view that must not be used; whoever uses it reports this.
  mlir::Operation *fault;
  std::int32_t faultDim, faultExtent;
  std::int64_t faultFrom, faultTo;
};

/// The value of a `!tile.buffer`: `data` has the storage type of tiles (fp32 for f16).
struct Buffer {
  std::byte *data;
  std::int64_t slotStride, rowStride, columnStride; ///< elements
};

} // namespace tilefold::interpreter
