// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over the elements of tiles, which the elementwise groups share.
#pragma once

#include "lib/Interpreter/Kernel.h"

#include <type_traits>
#include <utility>

namespace tilefold::interpreter {

/// result[k] = F(operand[k]...), each operand of the type that F's parameter names. Floats are rounded to their type.
template <class F, class R, class... A> struct Map {
  static bool run(const Instruction &i, Frame &frame) { return apply(i, frame, std::index_sequence_for<A...>()); }
  template <std::size_t... N> static bool apply(const Instruction &i, Frame &frame, std::index_sequence<N...>) {
    loop(i.count, frame.at<R>(i.out[0]), frame.at<A>(i.in[N])...);
    if constexpr (std::is_same_v<R, float>)
      roundAll(frame.at<float>(i.out[0]), i.count, i.rounding);
    return true;
  }
  // A value never shares memory with its operands.
  static void loop(std::size_t count, R *__restrict result, const A *__restrict... operand) {
    for (std::size_t k = 0; k < count; ++k)
      result[k] = F()(operand[k]...);
  }
};

using U8 = std::uint8_t;
using I32 = std::int32_t;
using I64 = std::int64_t;

inline std::uint32_t bitsOf(float value) { return support::bit_copy<std::uint32_t>(value); }
inline float floatOf(std::uint32_t bits) { return support::bit_copy<float>(bits); }

// NaN wins; of two zeros, +0 is the greater: equal numbers have equal bits, or are zeros whose signs decide.
inline float maximum(float a, float b) { return a != a ? a : b != b ? b : a == b ? floatOf(bitsOf(a) & bitsOf(b)) : a > b ? a : b; }
inline float minimum(float a, float b) { return a != a ? a : b != b ? b : a == b ? floatOf(bitsOf(a) | bitsOf(b)) : a < b ? a : b; }

/// The groups of `elementwiseExecutor`. Null: not an operation of the group, or not on these types.
Executor floatExecutor(const Instruction &instruction);      ///< arithmetic, functions and comparisons of floats
Executor integerExecutor(const Instruction &instruction);    ///< the same of integers and i1
Executor conversionExecutor(const Instruction &instruction); ///< from one type to another

} // namespace tilefold::interpreter
