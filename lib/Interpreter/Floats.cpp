// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point arithmetic, functions and comparisons, element by element.
#include "lib/Interpreter/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

template <class F> constexpr Executor floats1 = &Map<F, float, float>::run;
template <class F> constexpr Executor floats2 = &Map<F, float, float, float>::run;

#define TILEFOLD_FLOAT1(Name, expression)                                                                                        \
  struct Name {                                                                                                                  \
    float operator()(float a) const { return expression; }                                                                       \
  };
#define TILEFOLD_FLOAT2(Name, expression)                                                                                        \
  struct Name {                                                                                                                  \
    float operator()(float a, float b) const { return expression; }                                                              \
  };

TILEFOLD_FLOAT2(AddF, a + b)
TILEFOLD_FLOAT2(SubF, a - b)
TILEFOLD_FLOAT2(MulF, a *b)
TILEFOLD_FLOAT2(DivF, a / b)
TILEFOLD_FLOAT2(RemF, std::fmod(a, b))
TILEFOLD_FLOAT2(MaximumF, maximum(a, b))
TILEFOLD_FLOAT2(MinimumF, minimum(a, b))
// NaN loses.
TILEFOLD_FLOAT2(MaxNumF, a != a ? b : b != b ? a : a > b ? a : b)
TILEFOLD_FLOAT2(MinNumF, a != a ? b : b != b ? a : a < b ? a : b)
TILEFOLD_FLOAT2(PowF, std::pow(a, b))
TILEFOLD_FLOAT2(Atan2, std::atan2(a, b))
TILEFOLD_FLOAT2(CopySign, std::copysign(a, b))
TILEFOLD_FLOAT1(NegF, -a)
TILEFOLD_FLOAT1(AbsF, std::fabs(a))
TILEFOLD_FLOAT1(Exp, std::exp(a))
TILEFOLD_FLOAT1(Exp2, std::exp2(a))
TILEFOLD_FLOAT1(ExpM1, std::expm1(a))
TILEFOLD_FLOAT1(Log, std::log(a))
TILEFOLD_FLOAT1(Log2, std::log2(a))
TILEFOLD_FLOAT1(Log10, std::log10(a))
TILEFOLD_FLOAT1(Log1p, std::log1p(a))
TILEFOLD_FLOAT1(Sqrt, std::sqrt(a))
TILEFOLD_FLOAT1(Rsqrt, float(1.0 / std::sqrt(double(a))))
TILEFOLD_FLOAT1(Tanh, std::tanh(a))
TILEFOLD_FLOAT1(Sin, std::sin(a))
TILEFOLD_FLOAT1(Cos, std::cos(a))
TILEFOLD_FLOAT1(Erf, std::erf(a))
TILEFOLD_FLOAT1(Floor, std::floor(a))
TILEFOLD_FLOAT1(Ceil, std::ceil(a))
TILEFOLD_FLOAT1(Round, std::round(a))
TILEFOLD_FLOAT1(RoundEven, std::nearbyint(a))
TILEFOLD_FLOAT1(Trunc, std::trunc(a))
struct Fma {
  float operator()(float a, float b, float c) const { return std::fma(a, b, c); }
};
struct IsNan {
  U8 operator()(float a) const { return a != a; }
};
struct IsInf {
  U8 operator()(float a) const { return (bitsOf(a) & 0x7fffffffu) == 0x7f800000u; }
};
struct IsFinite {
  U8 operator()(float a) const { return (bitsOf(a) & 0x7fffffffu) < 0x7f800000u; }
};

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
      .Case<arith::AddFOp>([](auto) { return floats2<AddF>; })
      .Case<arith::SubFOp>([](auto) { return floats2<SubF>; })
      .Case<arith::MulFOp>([](auto) { return floats2<MulF>; })
      .Case<arith::DivFOp>([](auto) { return floats2<DivF>; })
      .Case<arith::RemFOp>([](auto) { return floats2<RemF>; })
      .Case<arith::MaximumFOp>([](auto) { return floats2<MaximumF>; })
      .Case<arith::MinimumFOp>([](auto) { return floats2<MinimumF>; })
      .Case<arith::MaxNumFOp>([](auto) { return floats2<MaxNumF>; })
      .Case<arith::MinNumFOp>([](auto) { return floats2<MinNumF>; })
      .Case<arith::NegFOp>([](auto) { return floats1<NegF>; })
      .Case<arith::CmpFOp>([](arith::CmpFOp op) { return compareFloats(op.getPredicate()); })
      .Case<math::ExpOp>([](auto) { return floats1<Exp>; })
      .Case<math::Exp2Op>([](auto) { return floats1<Exp2>; })
      .Case<math::ExpM1Op>([](auto) { return floats1<ExpM1>; })
      .Case<math::LogOp>([](auto) { return floats1<Log>; })
      .Case<math::Log2Op>([](auto) { return floats1<Log2>; })
      .Case<math::Log10Op>([](auto) { return floats1<Log10>; })
      .Case<math::Log1pOp>([](auto) { return floats1<Log1p>; })
      .Case<math::SqrtOp>([](auto) { return floats1<Sqrt>; })
      .Case<math::RsqrtOp>([](auto) { return floats1<Rsqrt>; })
      .Case<math::TanhOp>([](auto) { return floats1<Tanh>; })
      .Case<math::SinOp>([](auto) { return floats1<Sin>; })
      .Case<math::CosOp>([](auto) { return floats1<Cos>; })
      .Case<math::ErfOp>([](auto) { return floats1<Erf>; })
      .Case<math::AbsFOp>([](auto) { return floats1<AbsF>; })
      .Case<math::FloorOp>([](auto) { return floats1<Floor>; })
      .Case<math::CeilOp>([](auto) { return floats1<Ceil>; })
      .Case<math::RoundOp>([](auto) { return floats1<Round>; })
      .Case<math::RoundEvenOp>([](auto) { return floats1<RoundEven>; })
      .Case<math::TruncOp>([](auto) { return floats1<Trunc>; })
      .Case<math::PowFOp>([](auto) { return floats2<PowF>; })
      .Case<math::Atan2Op>([](auto) { return floats2<Atan2>; })
      .Case<math::CopySignOp>([](auto) { return floats2<CopySign>; })
      .Case<math::FmaOp>([](auto) { return &Map<Fma, float, float, float, float>::run; })
      .Case<math::IsNaNOp>([](auto) { return &Map<IsNan, U8, float>::run; })
      .Case<math::IsInfOp>([](auto) { return &Map<IsInf, U8, float>::run; })
      .Case<math::IsFiniteOp>([](auto) { return &Map<IsFinite, U8, float>::run; })
      .Default([](Operation *) { return nullptr; });
}

} // namespace tilefold::interpreter
