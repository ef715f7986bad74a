// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of global memory: narrowing, loads and stores, with every element checked.
#include "lib/Interpreter/Clones.h"
#include "lib/Interpreter/Kernel.h"
#include "lib/Interpreter/Views.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using tilefold::support::DType;

namespace tilefold::interpreter {

static std::string listText(const std::int64_t *values, std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

bool usable(const View &view, Frame &frame) {
  if (!view.fault)
    return true;
  const std::string where = " of dimension " + std::to_string(view.faultDim) + " of " + view.memory->name;
  if (view.faultFrom == view.faultTo)
    return frame.fail(view.fault, "takes position " + std::to_string(view.faultFrom) + where + ", whose extent is " +
                                      std::to_string(view.faultExtent));
  return frame.fail(view.fault, "takes positions " + std::to_string(view.faultFrom) + " to " + std::to_string(view.faultTo - 1) +
                                    where + ", whose extent is " + std::to_string(view.faultExtent));
}

//===-- one element ---------------------------------------------------------------------------------------------===//

namespace {

/// Conversions between a memory element and what a slot holds.
template <DType Type> struct Element;
template <> struct Element<DType::f16> {
  using Stored = std::uint16_t;
  static float load(Stored bits) { return support::f16_to_f32(bits); }
  static Stored store(float value) { return support::f32_to_f16(value); }
};
template <> struct Element<DType::bf16> {
  using Stored = std::uint16_t;
  static float load(Stored bits) { return support::bf16_to_f32(bits); }
  static Stored store(float value) { return support::f32_to_bf16(value); }
};
template <> struct Element<DType::f32> {
  using Stored = float;
  static float load(Stored value) { return value; }
  static Stored store(float value) { return value; }
};
template <> struct Element<DType::i32> {
  using Stored = std::int32_t;
  static Stored load(Stored value) { return value; }
  static Stored store(Stored value) { return value; }
};
template <> struct Element<DType::i1> {
  using Stored = std::uint8_t;
  static Stored load(Stored value) { return value != 0; }
  static Stored store(Stored value) { return value; }
};

//===-- whole rows ----------------------------------------------------------------------------------------------===//

// Most of what a kernel reads are dense rows of an input, so these loops have vector forms.

TILEFOLD_CLONES void widenF16(const std::uint16_t *from, std::int64_t count, float *to) {
  for (std::int64_t k = 0; k < count; ++k) {
    const std::uint32_t half = from[k], magnitude = (half & 0x7fffu) << 13;
    // As an fp32 number the magnitude is 2^112 too small, subnormals included; infinities and NaNs keep their top exponent.
    const float scaled = support::bit_copy<float>(magnitude) * 0x1p112f;
    const std::uint32_t bits = magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : support::bit_copy<std::uint32_t>(scaled);
    to[k] = support::bit_copy<float>((half & 0x8000u) << 16 | bits);
  }
}

TILEFOLD_CLONES void widenBF16(const std::uint16_t *from, std::int64_t count, float *to) {
  for (std::int64_t k = 0; k < count; ++k)
    to[k] = support::bit_copy<float>(std::uint32_t(from[k]) << 16);
}

template <DType Type, class Stored, class T> void readDense(const Stored *from, std::int64_t count, T *to) {
  if constexpr (Type == DType::f16)
    widenF16(from, count, to);
  else if constexpr (Type == DType::bf16)
    widenBF16(from, count, to);
  else
    for (std::int64_t k = 0; k < count; ++k)
      to[k] = Element<Type>::load(from[k]);
}

/// What is wrong with touching an element; empty if nothing is.
struct Fault {
  const char *text = nullptr;
};

Fault checkRead(const Memory &memory, std::int64_t element, const Frame &frame) {
  if (!memory.writers)
    return {};
  const Stamp writer = memory.writers[element].load(std::memory_order_relaxed);
  if (writer == 0)
    return {memory.initialised ? nullptr : "which nobody has written"};
  if (writer > frame.launchStamp && writer != frame.stamp)
    return {"which another instance of this launch writes"};
  return {};
}

Fault checkWrite(const Memory &memory, std::int64_t element, const Frame &frame) {
  const Stamp writer = memory.writers[element].exchange(frame.stamp, std::memory_order_relaxed);
  if (writer > frame.launchStamp && writer != frame.stamp)
    return {"which another instance of this launch writes too"};
  return {};
}

bool failAt(Operation *op, const char *verb, const View &view, const std::int64_t *position, Fault fault, Frame &frame) {
  return frame.fail(op, std::string(verb) + " element " + listText(position, view.rank) + " of its view of " +
                            view.memory->name + ", " + fault.text);
}

//===-- a tile --------------------------------------------------------------------------------------------------===//

/// Calls row(first, last, position, index) for each row of the last dimension: elements [first, last) of the tile's row lie
/// inside the view (first == last: none). `position` is the view position of the row's element 0 and `index` its number in
/// the tile.
template <class Row>
bool forEachRow(const View &view, const std::int64_t *offsets, llvm::ArrayRef<std::int64_t> shape, Row row) {
  std::int64_t position[kMaxRank] = {}, index[kMaxRank] = {};
  const int rank = view.rank;
  if (rank == 0)
    return row(0, 1, position, std::int64_t(0), std::int64_t(1));
  const std::int64_t width = shape[rank - 1];
  std::int64_t rows = 1;
  for (int d = 0; d + 1 < rank; ++d)
    rows *= shape[d];
  if (width == 0)
    return true;
  for (std::int64_t r = 0; r < rows; ++r) {
    bool inside = true;
    for (int d = 0; d + 1 < rank; ++d) {
      position[d] = offsets[d] + index[d];
      inside &= position[d] >= 0 && position[d] < view.extents[d];
    }
    position[rank - 1] = offsets[rank - 1];
    std::int64_t first = std::max<std::int64_t>(0, -offsets[rank - 1]);
    std::int64_t last = std::min<std::int64_t>(width, view.extents[rank - 1] - offsets[rank - 1]);
    if (!inside || first >= last)
      first = last = 0;
    if (!row(first, last, position, r * width, width))
      return false;
    for (int d = rank - 2; d >= 0 && ++index[d] == shape[d]; --d)
      index[d] = 0;
  }
  return true;
}

std::int64_t elementOf(const View &view, const std::int64_t *position) {
  std::int64_t element = view.offset;
  for (int d = 0; d < view.rank; ++d)
    element += position[d] * view.strides[d];
  return element;
}

template <DType Type, class T>
bool readRows(const View &view, const std::int64_t *offsets, llvm::ArrayRef<std::int64_t> shape, T padding, T *result,
              Operation *op, Frame &frame) {
  using E = Element<Type>;
  const auto *data = reinterpret_cast<const typename E::Stored *>(view.memory->data);
  const std::int64_t stride = view.rank ? view.strides[view.rank - 1] : 1;
  return forEachRow(view, offsets, shape,
                    [&](std::int64_t first, std::int64_t last, std::int64_t *position, std::int64_t index, std::int64_t width) {
    T *row = result + index;
    const std::int64_t base = elementOf(view, position);
    std::fill(row, row + first, padding);
    std::fill(row + last, row + width, padding);
    if (view.memory->writers)
      for (std::int64_t k = first; k < last; ++k)
        if (Fault fault = checkRead(*view.memory, base + k * stride, frame); fault.text) {
          if (view.rank)
            position[view.rank - 1] += k;
          return failAt(op, "reads", view, position, fault, frame);
        }
    if (stride == 1)
      readDense<Type>(data + base + first, last - first, row + first);
    else
      for (std::int64_t k = first; k < last; ++k)
        row[k] = E::load(data[base + k * stride]);
    return true;
  });
}

template <DType Type, class T>
bool writeRows(const View &view, const std::int64_t *offsets, llvm::ArrayRef<std::int64_t> shape, const T *values,
               Operation *op, Frame &frame) {
  using E = Element<Type>;
  auto *data = reinterpret_cast<typename E::Stored *>(view.memory->data);
  const std::int64_t stride = view.rank ? view.strides[view.rank - 1] : 1;
  return forEachRow(view, offsets, shape,
                    [&](std::int64_t first, std::int64_t last, std::int64_t *position, std::int64_t index, std::int64_t) {
    const std::int64_t base = elementOf(view, position);
    for (std::int64_t k = first; k < last; ++k) {
      if (Fault fault = checkWrite(*view.memory, base + k * stride, frame); fault.text) {
        if (view.rank)
          position[view.rank - 1] += k;
        return failAt(op, "writes", view, position, fault, frame);
      }
      data[base + k * stride] = E::store(values[index + k]);
    }
    return true;
  });
}

} // namespace

bool readTile(const View &view, const std::int64_t *offsets, llvm::ArrayRef<std::int64_t> shape, double padding,
              std::byte *result, Operation *op, Frame &frame) {
  if (!usable(view, frame))
    return false;
  switch (view.memory->dtype) {
  case DType::f16:
    return readRows<DType::f16>(view, offsets, shape, float(padding), reinterpret_cast<float *>(result), op, frame);
  case DType::bf16:
    return readRows<DType::bf16>(view, offsets, shape, float(padding), reinterpret_cast<float *>(result), op, frame);
  case DType::f32:
    return readRows<DType::f32>(view, offsets, shape, float(padding), reinterpret_cast<float *>(result), op, frame);
  case DType::i32:
    return readRows<DType::i32>(view, offsets, shape, std::int32_t(padding), reinterpret_cast<std::int32_t *>(result), op, frame);
  case DType::i1:
    return readRows<DType::i1>(view, offsets, shape, std::uint8_t(padding), reinterpret_cast<std::uint8_t *>(result), op, frame);
  default:
    return frame.fail(op, "reads a tensor of " + std::string(support::name(view.memory->dtype)));
  }
}

static bool writeTile(const View &view, const std::int64_t *offsets, llvm::ArrayRef<std::int64_t> shape,
                      const std::byte *values, Operation *op, Frame &frame) {
  if (!usable(view, frame))
    return false;
  if (!view.memory->writable)
    return frame.fail(op, "writes to " + view.memory->name + ", expected an output or a workspace");
  switch (view.memory->dtype) {
  case DType::f16:
    return writeRows<DType::f16>(view, offsets, shape, reinterpret_cast<const float *>(values), op, frame);
  case DType::bf16:
    return writeRows<DType::bf16>(view, offsets, shape, reinterpret_cast<const float *>(values), op, frame);
  case DType::f32:
    return writeRows<DType::f32>(view, offsets, shape, reinterpret_cast<const float *>(values), op, frame);
  case DType::i32:
    return writeRows<DType::i32>(view, offsets, shape, reinterpret_cast<const std::int32_t *>(values), op, frame);
  case DType::i1:
    return writeRows<DType::i1>(view, offsets, shape, reinterpret_cast<const std::uint8_t *>(values), op, frame);
  default:
    return frame.fail(op, "writes a tensor of " + std::string(support::name(view.memory->dtype)));
  }
}

//===-- instructions --------------------------------------------------------------------------------------------===//

namespace {

void readOffsets(const Instruction &i, std::size_t first, std::size_t count, std::int64_t *offsets, Frame &frame) {
  for (std::size_t d = 0; d < count; ++d)
    offsets[d] = frame.scalar<std::int32_t>(i.in[first + d]);
}

bool runLoad(const Instruction &i, Frame &frame) {
  const View view = frame.scalar<View>(i.in[0]);
  std::int64_t offsets[kMaxRank];
  readOffsets(i, 1, view.rank, offsets, frame);
  return readTile(view, offsets, i.out[0].shape, i.padding, frame.base + i.out[0].offset, i.op, frame);
}

bool runStore(const Instruction &i, Frame &frame) {
  const View view = frame.scalar<View>(i.in[1]);
  std::int64_t offsets[kMaxRank];
  readOffsets(i, 2, view.rank, offsets, frame);
  return writeTile(view, offsets, i.in[0].shape, frame.base + i.in[0].offset, i.op, frame);
}

/// numbers: the fixed dimensions.
bool runSlice(const Instruction &i, Frame &frame) {
  View view = frame.scalar<View>(i.in[0]);
  for (std::size_t n = 0; n < i.numbers.size(); ++n) {
    const std::int64_t dim = i.numbers[n], index = frame.scalar<std::int32_t>(i.in[1 + n]);
    if (!view.fault && (index < 0 || index >= view.extents[dim])) {
      view.fault = i.op;
      view.faultDim = std::int32_t(dim);
      view.faultExtent = view.extents[dim];
      view.faultFrom = view.faultTo = index;
    }
    view.offset += index * view.strides[dim];
  }
  std::int32_t kept = 0;
  for (std::int32_t d = 0; d < view.rank; ++d)
    if (!llvm::is_contained(i.numbers, d)) {
      view.extents[kept] = view.extents[d];
      view.strides[kept++] = view.strides[d];
    }
  view.rank = kept;
  *frame.at<View>(i.out[0]) = view;
  return true;
}

/// numbers: the narrowed dimension.
bool runNarrow(const Instruction &i, Frame &frame) {
  View view = frame.scalar<View>(i.in[0]);
  const std::int64_t dim = i.numbers[0];
  const std::int64_t offset = frame.scalar<std::int32_t>(i.in[1]), size = frame.scalar<std::int32_t>(i.in[2]);
  if (!view.fault && (offset < 0 || size < 0 || offset + size > view.extents[dim])) {
    view.fault = i.op;
    view.faultDim = std::int32_t(dim);
    view.faultExtent = view.extents[dim];
    view.faultFrom = offset;
    view.faultTo = size == 0 ? offset + 1 : offset + size;
  }
  view.offset += offset * view.strides[dim];
  view.extents[dim] = std::int32_t(size);
  *frame.at<View>(i.out[0]) = view;
  return true;
}

bool runSize(const Instruction &i, Frame &frame) {
  const View &view = *frame.at<View>(i.in[0]);
  if (!usable(view, frame))
    return false;
  if (i.out[0].storage == Storage::Int32)
    *frame.at<std::int32_t>(i.out[0]) = view.extents[i.numbers[0]];
  else
    *frame.at<std::int64_t>(i.out[0]) = view.extents[i.numbers[0]];
  return true;
}

bool runStride(const Instruction &i, Frame &frame) {
  const View &view = *frame.at<View>(i.in[0]);
  if (!usable(view, frame))
    return false;
  *frame.at<std::int64_t>(i.out[0]) = view.strides[i.numbers[0]];
  return true;
}

} // namespace

Executor memoryExecutor(Instruction &i) {
  return llvm::TypeSwitch<Operation *, Executor>(i.op)
      .Case<tile::LoadOp>([&](tile::LoadOp op) {
        if (auto pad = op.getPad()) {
          if (auto number = dyn_cast<FloatAttr>(*pad))
            i.padding = number.getValueAsDouble();
          else if (auto number = dyn_cast<IntegerAttr>(*pad))
            i.padding = i.out[0].storage == Storage::Bool ? double(!number.getValue().isZero())
                                                          : double(number.getValue().getSExtValue());
          else
            return Executor(nullptr);
        }
        return Executor(&runLoad);
      })
      .Case<tile::StoreOp>([](auto) { return &runStore; })
      .Case<tile::SliceOp>([&](tile::SliceOp op) {
        i.numbers.assign(op.getDims().begin(), op.getDims().end());
        return &runSlice;
      })
      .Case<tile::NarrowOp>([&](tile::NarrowOp op) {
        i.numbers = {std::int64_t(op.getDim())};
        return &runNarrow;
      })
      .Case<tile::SizeOp>([&](tile::SizeOp op) {
        i.numbers = {std::int64_t(op.getDim())};
        return &runSize;
      })
      .Case<tile::StrideOp>([&](tile::StrideOp op) {
        i.numbers = {std::int64_t(op.getDim())};
        return &runStride;
      })
      .Default([](Operation *) { return nullptr; });
}

} // namespace tilefold::interpreter
