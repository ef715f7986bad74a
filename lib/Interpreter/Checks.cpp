// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assertions of the check dialect.
#include "lib/Interpreter/Check/CheckOps.h"
#include "lib/Interpreter/Kernel.h"

#include <cmath>
#include <cstdio>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

template <class T> std::string elementText(T value) {
  if constexpr (std::is_same_v<T, float>) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", double(value));
    return text;
  } else {
    return std::to_string(value);
  }
}

std::string positionText(const Slot &slot, std::size_t element) {
  if (slot.shape.empty())
    return "";
  std::string text;
  for (std::size_t d = slot.shape.size(); d-- > 0; element /= slot.shape[d])
    text = std::to_string(element % slot.shape[d]) + (text.empty() ? "" : ", ") + text;
  return " at [" + text + "]";
}

template <class T> bool sameBits(T a, T b) {
  if constexpr (std::is_same_v<T, float>)
    return (a != a && b != b) || support::bit_copy<std::uint32_t>(a) == support::bit_copy<std::uint32_t>(b);
  else
    return a == b;
}

template <class T> bool close(T a, T e, double tolerance) {
  if (sameBits(a, e))
    return true;
  if constexpr (std::is_same_v<T, float>)
    if (!std::isfinite(a) || !std::isfinite(e))
      return false;
  return std::fabs(double(a) - double(e)) <= tolerance * std::max(1.0, std::fabs(double(e)));
}

/// padding: the tolerance; negative: same bits.
template <class T> struct RunExpect {
  static bool run(const Instruction &i, Frame &frame) {
    const T *actual = frame.at<T>(i.in[0]), *expected = frame.at<T>(i.in[1]);
    std::size_t wrong = 0, first = 0;
    for (std::size_t k = 0; k < i.in[0].count; ++k)
      if (!(i.padding < 0 ? sameBits(actual[k], expected[k]) : close(actual[k], expected[k], i.padding)))
        first = wrong++ ? first : k;
    if (!wrong)
      return true;
    return frame.fail(i.op, "found " + elementText(actual[first]) + positionText(i.in[0], first) + ", expected " +
                                elementText(expected[first]) +
                                (wrong > 1 ? " (and " + std::to_string(wrong - 1) + " more)" : std::string()));
  }
};

} // namespace

Executor checkExecutor(Instruction &i) {
  if (auto almost = dyn_cast<check::ExpectAlmostEqOp>(i.op))
    i.padding = almost.getTolerance().convertToDouble();
  else if (isa<check::ExpectEqOp>(i.op))
    i.padding = -1;
  else
    return nullptr;
  switch (i.in[0].storage) {
  case Storage::Float:
    return &RunExpect<float>::run;
  case Storage::Int32:
    return &RunExpect<std::int32_t>::run;
  case Storage::Int64:
    return &RunExpect<std::int64_t>::run;
  case Storage::Bool:
    return &RunExpect<std::uint8_t>::run;
  default:
    return nullptr;
  }
}

} // namespace tilefold::interpreter
