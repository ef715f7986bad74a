// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point arithmetic, functions and comparisons, element by element.
#include "lib/Interpreter/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <functional>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

/// What a function without state makes of one element, or of two.
template <class F> Executor floats1(F) { return &Map<F, float, float>::run; }
template <class F> Executor floats2(F) { return &Map<F, float, float, float>::run; }
struct Fma {
  float operator()(float a, float b, float c) const { return std::fma(a, b, c); }
};
/// What it says about one element.
template <class F> Executor test(F) { return &Map<F, U8, float>::run; }

std::uint32_t magnitude(float a) { return bitsOf(a) & 0x7fffffffu; }
constexpr std::uint32_t infinity = 0x7f800000u;

/// A comparison is the set of outcomes under which it holds: less, equal, greater, unordered.
template <bool L, bool E, bool G, bool U> struct CompareF {
  U8 operator()(float a, float b) const {
    return (L && a < b) | (E && a == b) | (G && a > b) | (U && (a != a || b != b));
  }
};
template <bool L, bool E, bool G, bool U> constexpr Executor compareF = &Map<CompareF<L, E, G, U>, U8, float, float>::run;

Executor compareFloats(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse: return compareF<0, 0, 0, 0>;
  case P::OEQ: return compareF<0, 1, 0, 0>;
  case P::OGT: return compareF<0, 0, 1, 0>;
  case P::OGE: return compareF<0, 1, 1, 0>;
  case P::OLT: return compareF<1, 0, 0, 0>;
  case P::OLE: return compareF<1, 1, 0, 0>;
  case P::ONE: return compareF<1, 0, 1, 0>;
  case P::ORD: return compareF<1, 1, 1, 0>;
  case P::UEQ: return compareF<0, 1, 0, 1>;
  case P::UGT: return compareF<0, 0, 1, 1>;
  case P::UGE: return compareF<0, 1, 1, 1>;
  case P::ULT: return compareF<1, 0, 0, 1>;
  case P::ULE: return compareF<1, 1, 0, 1>;
  case P::UNE: return compareF<1, 0, 1, 1>;
  case P::UNO: return compareF<0, 0, 0, 1>;
  case P::AlwaysTrue: return compareF<1, 1, 1, 1>;
  }
  return nullptr;
}

} // namespace

Executor floatExecutor(const Instruction &instruction) {
  return llvm::TypeSwitch<Operation *, Executor>(instruction.op)
      .Case<arith::AddFOp>([](auto) { return floats2(std::plus<>()); })
      .Case<arith::SubFOp>([](auto) { return floats2(std::minus<>()); })
      .Case<arith::MulFOp>([](auto) { return floats2(std::multiplies<>()); })
      .Case<arith::DivFOp>([](auto) { return floats2(std::divides<>()); })
      .Case<arith::RemFOp>([](auto) { return floats2([](float a, float b) { return std::fmod(a, b); }); })
      .Case<arith::MaximumFOp>([](auto) { return floats2([](float a, float b) { return maximum(a, b); }); })
      .Case<arith::MinimumFOp>([](auto) { return floats2([](float a, float b) { return minimum(a, b); }); })
      // NaN loses.
      .Case<arith::MaxNumFOp>([](auto) { return floats2([](float a, float b) { return a != a ? b : b != b ? a : a > b ? a : b; }); })
      .Case<arith::MinNumFOp>([](auto) { return floats2([](float a, float b) { return a != a ? b : b != b ? a : a < b ? a : b; }); })
      .Case<math::PowFOp>([](auto) { return floats2([](float a, float b) { return std::pow(a, b); }); })
      .Case<math::Atan2Op>([](auto) { return floats2([](float a, float b) { return std::atan2(a, b); }); })
      .Case<math::CopySignOp>([](auto) { return floats2([](float a, float b) { return std::copysign(a, b); }); })
      .Case<arith::NegFOp>([](auto) { return floats1(std::negate<>()); })
      .Case<math::AbsFOp>([](auto) { return floats1([](float a) { return std::fabs(a); }); })
      .Case<math::ExpOp>([](auto) { return floats1([](float a) { return std::exp(a); }); })
      .Case<math::Exp2Op>([](auto) { return floats1([](float a) { return std::exp2(a); }); })
      .Case<math::ExpM1Op>([](auto) { return floats1([](float a) { return std::expm1(a); }); })
      .Case<math::LogOp>([](auto) { return floats1([](float a) { return std::log(a); }); })
      .Case<math::Log2Op>([](auto) { return floats1([](float a) { return std::log2(a); }); })
      .Case<math::Log10Op>([](auto) { return floats1([](float a) { return std::log10(a); }); })
      .Case<math::Log1pOp>([](auto) { return floats1([](float a) { return std::log1p(a); }); })
      .Case<math::SqrtOp>([](auto) { return floats1([](float a) { return std::sqrt(a); }); })
      .Case<math::RsqrtOp>([](auto) { return floats1([](float a) { return float(1.0 / std::sqrt(double(a))); }); })
      .Case<math::TanhOp>([](auto) { return floats1([](float a) { return std::tanh(a); }); })
      .Case<math::SinOp>([](auto) { return floats1([](float a) { return std::sin(a); }); })
      .Case<math::CosOp>([](auto) { return floats1([](float a) { return std::cos(a); }); })
      .Case<math::ErfOp>([](auto) { return floats1([](float a) { return std::erf(a); }); })
      .Case<math::FloorOp>([](auto) { return floats1([](float a) { return std::floor(a); }); })
      .Case<math::CeilOp>([](auto) { return floats1([](float a) { return std::ceil(a); }); })
      .Case<math::RoundOp>([](auto) { return floats1([](float a) { return std::round(a); }); })
      .Case<math::RoundEvenOp>([](auto) { return floats1([](float a) { return std::nearbyint(a); }); })
      .Case<math::TruncOp>([](auto) { return floats1([](float a) { return std::trunc(a); }); })
      .Case<math::FmaOp>([](auto) { return &Map<Fma, float, float, float, float>::run; })
      .Case<math::IsNaNOp>([](auto) { return test([](float a) -> U8 { return a != a; }); })
      .Case<math::IsInfOp>([](auto) { return test([](float a) -> U8 { return magnitude(a) == infinity; }); })
      .Case<math::IsFiniteOp>([](auto) { return test([](float a) -> U8 { return magnitude(a) < infinity; }); })
      .Case<arith::CmpFOp>([](arith::CmpFOp op) { return compareFloats(op.getPredicate()); })
      .Default([](Operation *) { return nullptr; });
}

} // namespace tilefold::interpreter
