// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/ApproximateMath.h"
#include "support/dtype.h"
#include <cmath>
#include <limits>

namespace tilefold::sim {

static float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

static bool flushesSubnormals(Approximate function) {
  return function != Approximate::Ex2 && function != Approximate::Lg2 && function != Approximate::Tanh;
}

/// The function in fp64. C's functions agree with the ISA's tables on infinities, zeros and negative operands.
static double exactly(Approximate function, double x) {
  switch (function) {
  case Approximate::Ex2:
  case Approximate::Ex2Ftz:
    return std::exp2(x);
  case Approximate::Lg2:
  case Approximate::Lg2Ftz:
    return std::log2(x);
  case Approximate::RcpFtz:
    return 1.0 / x;
  case Approximate::RsqrtFtz: // sqrt(-0) is -0, so -0 gives -inf as it should
    return 1.0 / std::sqrt(x);
  case Approximate::Tanh:
    return std::tanh(x);
  case Approximate::SqrtFtz:
    return std::sqrt(x);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

float approximate(Approximate function, float operand) {
  const bool flush = flushesSubnormals(function);
  const auto result = float(exactly(function, flush ? flushed(operand) : operand));
  if (std::isnan(result))
    return support::bit_copy<float>(0x7fffffffu);
  return flush ? flushed(result) : result;
}

} // namespace tilefold::sim
