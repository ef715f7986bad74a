// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as the interpreter runs it: operations resolved once into a list of instructions with fixed places for their
// values, so that the inner loop neither hashes nor compares names.
#pragma once

#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Interpreter/Memory.h"
#include "support/status.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilefold::interpreter {

/// How elements are held. f16, bf16 and f32 are all fp32 numbers, the first two rounded to their type after each operation;
/// i1 is one byte, 0 or 1; i64 and index are 64 bits.
enum class Storage : std::uint8_t { Float, Int32, Int64, Bool, View, Buffer };

/// What an fp32 number is rounded to.
enum class Rounding : std::uint8_t { None, F16, BF16 };

/// The place of an SSA value in a frame. A scalar is a tile of one element.
struct Slot {
  std::size_t offset = 0; ///< bytes
  std::size_t count = 1;  ///< elements
  Storage storage = Storage::Float;
  Rounding rounding = Rounding::None;
  llvm::SmallVector<std::int64_t, 3> shape;
  std::size_t bytes() const;
};

struct Instruction;
struct Frame;

/// Runs one instruction; false after `Frame::fail`.
using Executor = bool (*)(const Instruction &, Frame &);

struct Instruction {
  Executor run = nullptr;
  mlir::Operation *op = nullptr;
  std::size_t count = 0; ///< elements of the first result
  Rounding rounding = Rounding::None;
  llvm::SmallVector<Slot, 4> in;
  llvm::SmallVector<Slot, 1> out;
  llvm::SmallVector<std::int64_t, 2> numbers; ///< attributes, as each executor wants them
  double padding = 0; ///< of a load; the tolerance of a check
  std::vector<std::vector<Instruction>> regions;
  /// For each region, its block arguments and what its terminator passes on.
  std::vector<llvm::SmallVector<Slot, 4>> regionArguments, yields;
};

/// Constant data, copied into a frame before its first instance.
struct Constant {
  std::size_t offset;
  std::vector<std::byte> bytes;
};

struct KernelCode {
  std::string name;
  std::vector<Slot> arguments;
  std::vector<Instruction> body;
  std::vector<Constant> constants;
  std::size_t frameBytes = 0;
  /// The storage of shared-memory buffers within a frame: undefined (NaN) at the start of each instance.
  std::size_t sharedBegin = 0, sharedEnd = 0;
};

/// Translates a kernel. Errors: an operation or a type that the interpreter does not know, with its location.
support::Result<KernelCode> translateKernel(tile::KernelOp kernel);

/// The copies that an instance has started and not yet waited for. They complete as late as is allowed: when waited for.
struct PendingCopy {
  const Instruction *instruction;
  View view;
  Buffer buffer;
  std::int64_t offsets[3];
  std::int64_t group; ///< -1: not committed
};

/// What one thread needs to run instances of a kernel, one after the other.
struct Frame {
  explicit Frame(const KernelCode &code);
  std::byte *base = nullptr;
  std::size_t sharedBegin = 0;
  std::int32_t position[3] = {};
  Stamp stamp = 0, launchStamp = 0; ///< this instance; everything up to launchStamp is of earlier launches
  std::vector<PendingCopy> copies;
  std::int64_t groups = 0;
  std::vector<double> wide;       ///< scratch of the products
  std::vector<float> a, b, spare; ///< dense copies of operands, scratch of reductions
  std::string error;

  template <class T> T *at(const Slot &slot) const { return reinterpret_cast<T *>(base + slot.offset); }
  template <class T> T scalar(const Slot &slot) const { return *at<T>(slot); }

  /// Records "LOCATION: OP MESSAGE"; returns false.
  bool fail(mlir::Operation *op, const std::string &message);
  void beginInstance(const KernelCode &code);

private:
  std::unique_ptr<std::byte[]> storage;
};

bool runBlock(const std::vector<Instruction> &block, Frame &frame);

/// "file.cpp:12:3: " for the innermost file location, or empty.
std::string locationText(mlir::Location location);

/// Rounds in place.
void roundAll(float *values, std::size_t count, Rounding rounding);

/// Each group of operations chooses the executor of `instruction.op` and sets what it needs in `numbers`; operand and result
/// slots are there already. Null: not an operation of the group, or not on these types.
Executor elementwiseExecutor(Instruction &instruction); ///< arith and math
Executor tileExecutor(Instruction &instruction);        ///< shapes, reductions, products
Executor memoryExecutor(Instruction &instruction);      ///< views, loads and stores
Executor stagingExecutor(Instruction &instruction);     ///< buffers and asynchronous copies
Executor dotExecutor(Instruction &instruction);         ///< tile.dot and tile.weigh
Executor checkExecutor(Instruction &instruction);       ///< assertions

} // namespace tilefold::interpreter
