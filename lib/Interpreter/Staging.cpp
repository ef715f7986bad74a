// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared-memory buffers and asynchronous copies. One thread stands for all of an instance, so barriers do nothing; a copy
// completes only when it is waited for, and until then its buffer holds NaN, so that a missing wait shows in the numbers.
#include "lib/Interpreter/Kernel.h"
#include "lib/Interpreter/Views.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

/// numbers: where in the shared region; then whether the buffer is stored transposed.
bool runAlloc(const Instruction &i, Frame &frame) {
  llvm::ArrayRef<std::int64_t> shape = i.out[0].shape;
  const std::int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
  const bool transposed = i.numbers[1];
  *frame.at<Buffer>(i.out[0]) = {frame.base + frame.sharedBegin + i.numbers[0], rows * columns, transposed ? 1 : columns,
                                 transposed ? rows : 1};
  return true;
}

/// numbers: element bytes.
bool runSlot(const Instruction &i, Frame &frame) {
  Buffer buffer = frame.scalar<Buffer>(i.in[0]);
  const std::int64_t index = frame.scalar<std::int32_t>(i.in[1]), slots = i.in[0].shape[0];
  if (index < 0 || index >= slots)
    return frame.fail(i.op, "takes slot " + std::to_string(index) + " of a ring of " + std::to_string(slots));
  buffer.data += index * buffer.slotStride * i.numbers[0];
  *frame.at<Buffer>(i.out[0]) = buffer;
  return true;
}

bool runTransposeBuffer(const Instruction &i, Frame &frame) {
  Buffer buffer = frame.scalar<Buffer>(i.in[0]);
  std::swap(buffer.rowStride, buffer.columnStride);
  *frame.at<Buffer>(i.out[0]) = buffer;
  return true;
}

template <class T, bool Write>
void move(const Buffer &buffer, llvm::ArrayRef<std::int64_t> shape, std::byte *tile) {
  T *data = reinterpret_cast<T *>(buffer.data), *dense = reinterpret_cast<T *>(tile);
  const std::size_t rank = shape.size();
  const std::int64_t slots = rank == 3 ? shape[0] : 1, rows = shape[rank - 2], columns = shape[rank - 1];
  for (std::int64_t s = 0; s < slots; ++s)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c, ++dense) {
        T &element = data[s * buffer.slotStride + r * buffer.rowStride + c * buffer.columnStride];
        if constexpr (Write)
          element = *dense;
        else
          *dense = element;
      }
}

template <bool Write> bool moveTile(const Buffer &buffer, llvm::ArrayRef<std::int64_t> shape, Storage storage, std::byte *tile) {
  switch (storage) {
  case Storage::Float:
  case Storage::Int32:
    move<std::uint32_t, Write>(buffer, shape, tile);
    return true;
  case Storage::Bool:
    move<std::uint8_t, Write>(buffer, shape, tile);
    return true;
  default:
    return false;
  }
}

bool runRead(const Instruction &i, Frame &frame) {
  return moveTile<false>(frame.scalar<Buffer>(i.in[0]), i.out[0].shape, i.out[0].storage, frame.base + i.out[0].offset);
}

bool runWrite(const Instruction &i, Frame &frame) {
  return moveTile<true>(frame.scalar<Buffer>(i.in[1]), i.in[0].shape, i.in[0].storage, frame.base + i.in[0].offset);
}

Storage storageOf(const Memory &memory) {
  return memory.dtype == support::DType::i1    ? Storage::Bool
         : memory.dtype == support::DType::i32 ? Storage::Int32
                                               : Storage::Float;
}

std::vector<std::byte> spaceFor(llvm::ArrayRef<std::int64_t> shape) {
  std::size_t count = 4;
  for (std::int64_t extent : shape)
    count *= extent;
  return std::vector<std::byte>(count, std::byte(0xff));
}

/// Through registers: at once, each element through the body.
bool runCopyThrough(const Instruction &i, Frame &frame) {
  const View view = frame.scalar<View>(i.in[0]);
  llvm::ArrayRef<std::int64_t> shape = i.in.back().shape;
  std::int64_t offsets[3];
  for (std::size_t d = 0; d + 2 < i.in.size(); ++d)
    offsets[d] = frame.scalar<std::int32_t>(i.in[1 + d]);
  std::vector<std::byte> tile = spaceFor(shape);
  if (!readTile(view, offsets, shape, 0, tile.data(), i.op, frame))
    return false;
  Storage storage = storageOf(*view.memory);
  if (!i.regionArguments[0].empty()) {
    const Slot &element = i.regionArguments[0][0], &changed = i.yields[0][0];
    std::vector<std::byte> result = spaceFor(shape);
    const std::size_t count = tile.size() / 4, from = element.bytes(), to = changed.bytes();
    for (std::size_t k = 0; k < count; ++k) {
      std::memcpy(frame.base + element.offset, tile.data() + k * from, from);
      if (!runBlock(i.regions[0], frame))
        return false;
      std::memcpy(result.data() + k * to, frame.base + changed.offset, to);
    }
    tile = std::move(result);
    storage = changed.storage;
  }
  moveTile<true>(frame.scalar<Buffer>(i.in.back()), shape, storage, tile.data());
  return true;
}

bool runCopy(const Instruction &i, Frame &frame) {
  PendingCopy copy{&i, frame.scalar<View>(i.in[0]), frame.scalar<Buffer>(i.in.back()), {}, -1};
  if (!usable(copy.view, frame))
    return false;
  const std::size_t rank = i.in.size() - 2;
  for (std::size_t d = 0; d < rank; ++d)
    copy.offsets[d] = frame.scalar<std::int32_t>(i.in[1 + d]);
  if (rank && copy.view.strides[rank - 1] != 1)
    return frame.fail(i.op, "copies from " + copy.view.memory->name + " with stride " +
                                std::to_string(copy.view.strides[rank - 1]) + " in its last dimension, expected 1");
  moveTile<true>(copy.buffer, i.in.back().shape, storageOf(*copy.view.memory), spaceFor(i.in.back().shape).data());
  frame.copies.push_back(copy);
  return true;
}

bool runCommit(const Instruction &, Frame &frame) {
  for (PendingCopy &copy : frame.copies)
    if (copy.group < 0)
      copy.group = frame.groups;
  ++frame.groups;
  return true;
}

/// numbers: the groups that may stay in flight.
bool runWait(const Instruction &i, Frame &frame) {
  const std::int64_t done = frame.groups - i.numbers[0];
  std::size_t kept = 0;
  for (const PendingCopy &copy : frame.copies) {
    if (copy.group < 0 || copy.group >= done) {
      frame.copies[kept++] = copy;
      continue;
    }
    llvm::ArrayRef<std::int64_t> shape = copy.instruction->in.back().shape;
    std::vector<std::byte> tile = spaceFor(shape);
    if (!readTile(copy.view, copy.offsets, shape, 0, tile.data(), copy.instruction->op, frame))
      return false;
    moveTile<true>(copy.buffer, shape, storageOf(*copy.view.memory), tile.data());
  }
  frame.copies.resize(kept);
  return true;
}

bool runNothing(const Instruction &, Frame &) { return true; }

} // namespace

Executor stagingExecutor(Instruction &i) {
  return llvm::TypeSwitch<Operation *, Executor>(i.op)
      .Case<tile::AllocOp>([&](tile::AllocOp op) {
        i.numbers.push_back(cast<tile::BufferType>(op.getBuffer().getType()).getTransposed());
        return &runAlloc;
      })
      .Case<tile::SlotOp>([&](tile::SlotOp op) {
        i.numbers = {cast<tile::BufferType>(op.getSlot().getType()).getElementType().isInteger(1) ? 1 : 4};
        return &runSlot;
      })
      .Case<tile::TransposeOp>([](auto) { return &runTransposeBuffer; })
      .Case<tile::ReadOp>([](auto) { return &runRead; })
      .Case<tile::WriteOp>([](auto) { return &runWrite; })
      .Case<tile::CopyAsyncOp>([](auto) { return &runCopy; })
      .Case<tile::CopyOp>([](auto) { return &runCopyThrough; })
      .Case<tile::CommitCopiesOp>([](auto) { return &runCommit; })
      .Case<tile::WaitCopiesOp>([&](tile::WaitCopiesOp op) {
        i.numbers = {std::int64_t(op.getPending())};
        return &runWait;
      })
      .Case<tile::BarrierOp>([](auto) { return &runNothing; })
      .Default([](Operation *) { return nullptr; });
}

} // namespace tilefold::interpreter
