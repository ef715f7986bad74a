// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move elements within tiles, and reductions.
#include "lib/Interpreter/Elementwise.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

/// Calls Run<T>::run for the storage type of `slot`.
template <template <class> class Run> Executor onStorage(const Slot &slot) {
  switch (slot.storage) {
  case Storage::Float:
    return &Run<float>::run;
  case Storage::Int32:
    return &Run<std::int32_t>::run;
  case Storage::Int64:
    return &Run<std::int64_t>::run;
  case Storage::Bool:
    return &Run<U8>::run;
  default:
    return nullptr;
  }
}

bool runProgramId(const Instruction &i, Frame &frame) {
  *frame.at<std::int32_t>(i.out[0]) = frame.position[i.numbers[0]];
  return true;
}

/// The same elements in the same order: expand, convert_layout.
bool runCopy(const Instruction &i, Frame &frame) {
  std::memcpy(frame.base + i.out[0].offset, frame.base + i.in[0].offset, i.out[0].bytes());
  return true;
}

bool runIota(const Instruction &i, Frame &frame) {
  std::int32_t *result = frame.at<std::int32_t>(i.out[0]);
  for (std::size_t k = 0; k < i.count; ++k)
    result[k] = std::int32_t(k);
  return true;
}

template <class T> struct RunSplat {
  static bool run(const Instruction &i, Frame &frame) {
    std::fill_n(frame.at<T>(i.out[0]), i.count, frame.scalar<T>(i.in[0]));
    return true;
  }
};

template <class T> struct RunTranspose {
  static bool run(const Instruction &i, Frame &frame) {
    const std::int64_t rows = i.in[0].shape[0], columns = i.in[0].shape[1];
    const T *from = frame.at<T>(i.in[0]);
    T *to = frame.at<T>(i.out[0]);
    constexpr std::int64_t block = 16; // keeps both sides in the first-level cache
    for (std::int64_t r0 = 0; r0 < rows; r0 += block)
      for (std::int64_t c0 = 0; c0 < columns; c0 += block)
        for (std::int64_t c = c0; c < std::min(c0 + block, columns); ++c)
          for (std::int64_t r = r0; r < std::min(r0 + block, rows); ++r)
            to[c * rows + r] = from[r * columns + c];
    return true;
  }
};

template <class T> struct RunBroadcast {
  static bool run(const Instruction &i, Frame &frame) {
    const T *from = frame.at<T>(i.in[0]);
    T *to = frame.at<T>(i.out[0]);
    repeat(from, to, i.in[0].shape.begin(), i.out[0].shape.begin(), i.out[0].shape.size());
    return true;
  }
  static void repeat(const T *&from, T *&to, const std::int64_t *small, const std::int64_t *large, std::size_t rank) {
    if (rank == 0) {
      *to++ = *from++;
      return;
    }
    if (rank == 1) {
      if (*small == *large)
        std::copy_n(from, *large, to);
      else
        std::fill_n(to, *large, *from);
      from += *small;
      to += *large;
      return;
    }
    if (*small == *large) {
      for (std::int64_t k = 0; k < *large; ++k)
        repeat(from, to, small + 1, large + 1, rank - 1);
      return;
    }
    T *first = to;
    repeat(from, to, small + 1, large + 1, rank - 1);
    const std::int64_t part = to - first;
    for (std::int64_t k = 1; k < *large; ++k, to += part)
      std::copy_n(first, part, to);
    if (*large == 0)
      to = first;
  }
};

bool runAny(const Instruction &i, Frame &frame) {
  const U8 *source = frame.at<U8>(i.in[0]);
  U8 any = 0;
  for (std::size_t k = 0; k < i.in[0].count; ++k)
    any |= source[k];
  *frame.at<U8>(i.out[0]) = any;
  return true;
}

//===-- reductions ----------------------------------------------------------------------------------------------===//

struct Sum {
  static float combine(float a, float b) { return a + b; }
  static std::int32_t combine(std::int32_t a, std::int32_t b) { return std::int32_t(std::uint32_t(a) + std::uint32_t(b)); }
  static std::int64_t combine(std::int64_t a, std::int64_t b) { return std::int64_t(std::uint64_t(a) + std::uint64_t(b)); }
  static U8 combine(U8 a, U8 b) { return a ^ b; }
};
struct Max {
  static float combine(float a, float b) { return maximum(a, b); }
  template <class T> static T combine(T a, T b) { return a > b ? a : b; }
};
struct Min {
  static float combine(float a, float b) { return minimum(a, b); }
  template <class T> static T combine(T a, T b) { return a < b ? a : b; }
};

/// Views the source as outer x n x inner and folds halves of n onto each other until one is left. The order depends on n
/// alone, and is close to that of a GPU's shuffles.
template <class Kind, class T> struct RunReduce {
  static bool run(const Instruction &i, Frame &frame) {
    const Slot &source = i.in[0];
    const std::size_t dim = i.numbers[0];
    std::int64_t outer = 1, inner = 1;
    for (std::size_t d = 0; d < source.shape.size(); ++d)
      (d < dim ? outer : inner) *= d == dim ? 1 : source.shape[d];
    const std::int64_t extent = source.shape[dim];
    const T *from = frame.at<T>(source);
    T *to = frame.at<T>(i.out[0]);
    const std::int64_t part = extent * inner;
    frame.spare.resize((part * sizeof(T) + sizeof(float) - 1) / sizeof(float));
    T *values = reinterpret_cast<T *>(frame.spare.data());
    for (std::int64_t o = 0; o < outer; ++o, from += part, to += inner) {
      std::copy_n(from, part, values);
      for (std::int64_t n = extent; n > 1;) {
        const std::int64_t half = (n + 1) / 2;
        fold(values, values + half * inner, (n - half) * inner);
        n = half;
      }
      if constexpr (std::is_same_v<T, float>)
        roundAll(values, inner, i.rounding); // once: f16 and bf16 are combined as f32
      std::copy_n(values, inner, to);
    }
    return true;
  }
  static void fold(T *__restrict a, const T *__restrict b, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k)
      a[k] = Kind::combine(a[k], b[k]);
  }
};
template <class T> using RunSum = RunReduce<Sum, T>;
template <class T> using RunMax = RunReduce<Max, T>;
template <class T> using RunMin = RunReduce<Min, T>;

Executor reduceExecutor(tile::ReduceOp op, Instruction &i) {
  i.numbers = {std::int64_t(op.getDim())};
  switch (op.getKind()) {
  case tile::ReduceKind::Sum:
    return onStorage<RunSum>(i.in[0]);
  case tile::ReduceKind::Max:
    return onStorage<RunMax>(i.in[0]);
  case tile::ReduceKind::Min:
    return onStorage<RunMin>(i.in[0]);
  }
  return nullptr;
}

} // namespace

Executor tileExecutor(Instruction &i) {
  return llvm::TypeSwitch<Operation *, Executor>(i.op)
      .Case<tile::ProgramIdOp>([&](tile::ProgramIdOp op) {
        i.numbers = {std::int64_t(op.getDim())};
        return &runProgramId;
      })
      .Case<tile::ExpandOp, tile::ConvertLayoutOp>([](auto) { return &runCopy; })
      .Case<tile::IotaOp>([](auto) { return &runIota; })
      .Case<tile::SplatOp>([&](auto) { return onStorage<RunSplat>(i.out[0]); })
      .Case<tile::TransposeOp>([&](auto) { return onStorage<RunTranspose>(i.in[0]); })
      .Case<tile::BroadcastOp>([&](auto) { return onStorage<RunBroadcast>(i.in[0]); })
      .Case<tile::AnyOp>([](auto) { return &runAny; })
      .Case<tile::ReduceOp>([&](tile::ReduceOp op) { return reduceExecutor(op, i); })
      .Default([](Operation *) { return nullptr; });
}

} // namespace tilefold::interpreter
