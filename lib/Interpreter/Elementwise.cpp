// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// arith and math, element by element.
#include "lib/Interpreter/Clones.h"
#include "lib/Interpreter/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace mlir;

namespace tilefold::interpreter {

//===-- rounding ------------------------------------------------------------------------------------------------===//

namespace {
std::uint32_t bitsOf(float value) { return support::bit_copy<std::uint32_t>(value); }
float floatOf(std::uint32_t bits) { return support::bit_copy<float>(bits); }
} // namespace

// Without branches, so that compilers vectorise it. Equal to support::round_to, which a test compares.
static inline float roundToF16(float value) {
  const std::uint32_t bits = bitsOf(value), sign = bits & 0x80000000u, magnitude = bits & 0x7fffffffu;
  // Normal numbers: 13 bits fall off. Below 2^-14: adding 0.5, whose last bit is worth 2^-24, rounds to a multiple of that.
  const std::uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u)) & ~0x1fffu;
  const std::uint32_t small = bitsOf((floatOf(magnitude) + 0.5f) - 0.5f);
  std::uint32_t result = magnitude < 0x38800000u ? small : normal;
  result = magnitude >= 0x477ff000u ? 0x7f800000u : result;
  result = magnitude > 0x7f800000u ? (0x7fc00000u | (magnitude & ~0x1fffu)) : result;
  return floatOf(sign | result);
}

static inline float roundToBF16(float value) {
  const std::uint32_t bits = bitsOf(value);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u;
  return floatOf((bits & 0x7fffffffu) > 0x7f800000u ? ((bits & 0xffff0000u) | 0x00400000u) : rounded);
}

TILEFOLD_CLONES static void roundAllToF16(float *values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    values[k] = roundToF16(values[k]);
}

TILEFOLD_CLONES static void roundAllToBF16(float *values, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    values[k] = roundToBF16(values[k]);
}

void roundAll(float *values, std::size_t count, Rounding rounding) {
  if (rounding == Rounding::F16)
    roundAllToF16(values, count);
  else if (rounding == Rounding::BF16)
    roundAllToBF16(values, count);
}

//===-- loops over elements -------------------------------------------------------------------------------------===//

namespace {

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
template <class F> constexpr Executor floats1 = &Map<F, float, float>::run;
template <class F> constexpr Executor floats2 = &Map<F, float, float, float>::run;

template <class T> using Unsigned = std::make_unsigned_t<T>;

/// Integer operations act on the storage type; i1 is its lowest bit.
template <class F, class T> struct OnIntegers {
  T operator()(T a, T b) const { return F()(a, b); }
};
template <class F> Executor integers2(Storage storage) {
  switch (storage) {
  case Storage::Int32:
    return &Map<OnIntegers<F, std::int32_t>, std::int32_t, std::int32_t, std::int32_t>::run;
  case Storage::Int64:
    return &Map<OnIntegers<F, std::int64_t>, std::int64_t, std::int64_t, std::int64_t>::run;
  case Storage::Bool:
    return &Map<OnIntegers<F, U8>, U8, U8, U8>::run;
  default:
    return nullptr;
  }
}
/// i1 has no sign here: signed and unsigned division, order and shifts of single bits do not occur in kernels.
template <class F> Executor wideIntegers2(Storage storage) {
  return storage == Storage::Bool ? nullptr : integers2<F>(storage);
}

//===-- floating point ------------------------------------------------------------------------------------------===//

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
// NaN wins; of two zeros, +0 is the greater: equal numbers have equal bits, or are zeros whose signs decide.
TILEFOLD_FLOAT2(MaximumF, a != a ? a : b != b ? b : a == b ? floatOf(bitsOf(a) & bitsOf(b)) : a > b ? a : b)
TILEFOLD_FLOAT2(MinimumF, a != a ? a : b != b ? b : a == b ? floatOf(bitsOf(a) | bitsOf(b)) : a < b ? a : b)
// NaN loses.
TILEFOLD_FLOAT2(MaxNumF, a != a ? b : b != b ? a : a > b ? a : b)
TILEFOLD_FLOAT2(MinNumF, a != a ? b : b != b ? a : a < b ? a : b)
TILEFOLD_FLOAT2(PowF, std::pow(a, b))
TILEFOLD_FLOAT2(Atan2, std::atan2(a, b))
TILEFOLD_FLOAT2(CopySign, std::copysign(a, b))
TILEFOLD_FLOAT1(NegF, -a)
TILEFOLD_FLOAT1(AbsF, std::fabs(a))
TILEFOLD_FLOAT1(Same, a)
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

//===-- integers ------------------------------------------------------------------------------------------------===//

#define TILEFOLD_INTEGER2(Name, expression)                                                                                      \
  struct Name {                                                                                                                  \
    template <class T> T operator()(T a, T b) const {                                                                            \
      using U = Unsigned<T>;                                                                                                     \
      [[maybe_unused]] constexpr U bits = sizeof(T) * 8;                                                                         \
      return T(expression);                                                                                                      \
    }                                                                                                                            \
  };
// Wrapping, as on every target.
TILEFOLD_INTEGER2(AddI, U(a) + U(b))
TILEFOLD_INTEGER2(SubI, U(a) - U(b))
TILEFOLD_INTEGER2(MulI, U(a) * U(b))
TILEFOLD_INTEGER2(AndI, a &b)
TILEFOLD_INTEGER2(OrI, a | b)
TILEFOLD_INTEGER2(XorI, a ^ b)
TILEFOLD_INTEGER2(MaxSI, a > b ? a : b)
TILEFOLD_INTEGER2(MinSI, a < b ? a : b)
TILEFOLD_INTEGER2(MaxUI, U(a) > U(b) ? a : b)
TILEFOLD_INTEGER2(MinUI, U(a) < U(b) ? a : b)
// A shift by the width or more clamps, as PTX's does.
TILEFOLD_INTEGER2(ShlI, U(b) < bits ? U(a) << U(b) : U(0))
TILEFOLD_INTEGER2(ShrUI, U(b) < bits ? U(a) >> U(b) : U(0))
TILEFOLD_INTEGER2(ShrSI, a >> (U(b) < bits ? U(b) : bits - 1))

TILEFOLD_INTEGER2(DivSI, a / b)
TILEFOLD_INTEGER2(RemSI, a % b)
TILEFOLD_INTEGER2(DivUI, U(a) / U(b))
TILEFOLD_INTEGER2(RemUI, U(a) % U(b))
TILEFOLD_INTEGER2(FloorDivSI, a / b - (a % b != 0 && ((a < 0) != (b < 0))))
TILEFOLD_INTEGER2(CeilDivSI, a / b + (a % b != 0 && ((a < 0) == (b < 0))))
TILEFOLD_INTEGER2(CeilDivUI, U(a) / U(b) + (U(a) % U(b) != 0))

/// Divisions look at their operands first: a zero divisor, or a quotient that does not fit, is a fault of the kernel.
template <class F, class T, bool Signed> struct Division {
  static bool run(const Instruction &i, Frame &frame) {
    const T *a = frame.at<T>(i.in[0]), *b = frame.at<T>(i.in[1]);
    for (std::size_t k = 0; k < i.count; ++k) {
      if (b[k] == 0)
        return frame.fail(i.op, "divides " + std::to_string(a[k]) + " by 0");
      if (Signed && b[k] == T(-1) && a[k] == std::numeric_limits<T>::min())
        return frame.fail(i.op, "divides " + std::to_string(a[k]) + " by -1, which overflows");
    }
    return Map<OnIntegers<F, T>, T, T, T>::run(i, frame);
  }
};
template <class F, bool Signed> Executor division(Storage storage) {
  return storage == Storage::Int32   ? &Division<F, std::int32_t, Signed>::run
         : storage == Storage::Int64 ? &Division<F, std::int64_t, Signed>::run
                                     : nullptr;
}

template <int Predicate> struct CompareI {
  template <class T> U8 compare(T a, T b) const {
    using P = arith::CmpIPredicate;
    using U = Unsigned<T>;
    switch (P(Predicate)) {
    case P::eq: return a == b;
    case P::ne: return a != b;
    case P::slt: return a < b;
    case P::sle: return a <= b;
    case P::sgt: return a > b;
    case P::sge: return a >= b;
    case P::ult: return U(a) < U(b);
    case P::ule: return U(a) <= U(b);
    case P::ugt: return U(a) > U(b);
    case P::uge: return U(a) >= U(b);
    }
    return 0;
  }
};
template <int P> struct Compare32 : CompareI<P> {
  U8 operator()(std::int32_t a, std::int32_t b) const { return this->compare(a, b); }
};
template <int P> struct Compare64 : CompareI<P> {
  U8 operator()(std::int64_t a, std::int64_t b) const { return this->compare(a, b); }
};
template <int P> struct CompareBit : CompareI<P> {
  U8 operator()(U8 a, U8 b) const { return this->compare(std::int8_t(-a), std::int8_t(-b)); } // a set i1 is -1 if signed
};

template <int P = 0> Executor compareIntegers(int predicate, Storage storage) {
  if constexpr (P < 10) {
    if (predicate != P)
      return compareIntegers<P + 1>(predicate, storage);
    switch (storage) {
    case Storage::Int32:
      return &Map<Compare32<P>, U8, std::int32_t, std::int32_t>::run;
    case Storage::Int64:
      return &Map<Compare64<P>, U8, std::int64_t, std::int64_t>::run;
    case Storage::Bool:
      return &Map<CompareBit<P>, U8, U8, U8>::run;
    default:
      return nullptr;
    }
  }
  return nullptr;
}

//===-- conversions ---------------------------------------------------------------------------------------------===//

template <class To, class From> struct Convert {
  To operator()(From a) const {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      // Saturates, and NaN is 0, as PTX's conversion does.
      if (a != a)
        return 0;
      constexpr double least = double(std::numeric_limits<To>::min()), beyond = double(std::numeric_limits<To>::max()) + 1;
      return double(a) <= least ? std::numeric_limits<To>::min()
             : double(a) >= beyond ? std::numeric_limits<To>::max()
                                   : To(a);
    } else {
      return To(a);
    }
  }
};
struct ToBit {
  template <class T> U8 operator()(T a) const { return a & 1; }
};
struct MinusBit32 {
  std::int32_t operator()(U8 a) const { return -std::int32_t(a); }
};
struct MinusBit64 {
  std::int64_t operator()(U8 a) const { return -std::int64_t(a); }
};
struct MinusBitFloat {
  float operator()(U8 a) const { return -float(a); }
};
struct Zext {
  std::int64_t operator()(std::int32_t a) const { return std::int64_t(std::uint32_t(a)); }
};

template <class To, class From> constexpr Executor convert = &Map<Convert<To, From>, To, From>::run;
using I32 = std::int32_t;
using I64 = std::int64_t;

Executor convertInteger(Storage from, Storage to, bool isSigned) {
  if (from == to)
    return from == Storage::Int32 ? convert<I32, I32> : from == Storage::Int64 ? convert<I64, I64> : nullptr;
  if (from == Storage::Bool)
    return to == Storage::Int32   ? (isSigned ? &Map<MinusBit32, I32, U8>::run : convert<I32, U8>)
           : to == Storage::Int64 ? (isSigned ? &Map<MinusBit64, I64, U8>::run : convert<I64, U8>)
                                  : nullptr;
  if (to == Storage::Bool)
    return from == Storage::Int32 ? &Map<ToBit, U8, I32>::run : &Map<ToBit, U8, I64>::run;
  if (to == Storage::Int64)
    return isSigned ? convert<I64, I32> : &Map<Zext, I64, I32>::run;
  return convert<I32, I64>;
}

Executor integerToFloat(Storage from, bool isSigned) {
  switch (from) {
  case Storage::Int32:
    return isSigned ? convert<float, I32> : &Map<Convert<float, std::uint32_t>, float, std::uint32_t>::run;
  case Storage::Int64:
    return isSigned ? convert<float, I64> : &Map<Convert<float, std::uint64_t>, float, std::uint64_t>::run;
  case Storage::Bool:
    return isSigned ? &Map<MinusBitFloat, float, U8>::run : convert<float, U8>;
  default:
    return nullptr;
  }
}

Executor floatToInteger(Storage to, bool isSigned) {
  switch (to) {
  case Storage::Int32:
    return isSigned ? convert<I32, float> : &Map<Convert<std::uint32_t, float>, std::uint32_t, float>::run;
  case Storage::Int64:
    return isSigned ? convert<I64, float> : nullptr;
  default:
    return nullptr;
  }
}

/// The bits of one 32-bit type as the other.
template <class To, class From> struct Reinterpret {
  To operator()(From a) const { return support::bit_copy<To>(a); }
};
Executor bitcast(const Slot &from, const Slot &to) {
  if (from.rounding != Rounding::None || to.rounding != Rounding::None)
    return nullptr; // f16 and bf16 are not held as their bits
  if (from.storage == Storage::Float && to.storage == Storage::Int32)
    return &Map<Reinterpret<I32, float>, I32, float>::run;
  if (from.storage == Storage::Int32 && to.storage == Storage::Float)
    return &Map<Reinterpret<float, I32>, float, I32>::run;
  return nullptr;
}

struct AbsI {
  I32 operator()(I32 a) const { return a < 0 ? I32(0u - std::uint32_t(a)) : a; }
};

//===-- selection -----------------------------------------------------------------------------------------------===//

template <class T> struct Select {
  T operator()(U8 condition, T a, T b) const { return condition ? a : b; }
};

bool selectWhole(const Instruction &i, Frame &frame) {
  const Slot &chosen = i.in[frame.scalar<U8>(i.in[0]) ? 1 : 2];
  std::memcpy(frame.base + i.out[0].offset, frame.base + chosen.offset, chosen.bytes());
  return true;
}

Executor selectExecutor(const Instruction &i) {
  if (i.in[0].shape.empty())
    return &selectWhole; // one condition: also for views and whole tiles
  switch (i.out[0].storage) {
  case Storage::Float:
    return &Map<Select<float>, float, U8, float, float>::run;
  case Storage::Int32:
    return &Map<Select<I32>, I32, U8, I32, I32>::run;
  case Storage::Int64:
    return &Map<Select<I64>, I64, U8, I64, I64>::run;
  case Storage::Bool:
    return &Map<Select<U8>, U8, U8, U8, U8>::run;
  default:
    return nullptr;
  }
}

} // namespace

//===-- the choice ----------------------------------------------------------------------------------------------===//

Executor elementwiseExecutor(Instruction &instruction) {
  if (!isa<arith::ArithDialect, math::MathDialect>(instruction.op->getDialect()) || instruction.out.size() != 1 ||
      instruction.in.empty())
    return nullptr;
  const Storage from = instruction.in[0].storage, to = instruction.out[0].storage;
  auto integers = [&](Executor executor) { return from == Storage::Float ? nullptr : executor; };
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
      .Case<arith::ExtFOp, arith::TruncFOp>([](auto) { return floats1<Same>; })
      .Case<arith::CmpFOp>([](arith::CmpFOp op) { return compareFloats(op.getPredicate()); })
      .Case<arith::SelectOp>([&](auto) { return selectExecutor(instruction); })
      .Case<arith::AddIOp>([&](auto) { return wideIntegers2<AddI>(to); })
      .Case<arith::SubIOp>([&](auto) { return wideIntegers2<SubI>(to); })
      .Case<arith::MulIOp>([&](auto) { return wideIntegers2<MulI>(to); })
      .Case<arith::AndIOp>([&](auto) { return integers2<AndI>(to); })
      .Case<arith::OrIOp>([&](auto) { return integers2<OrI>(to); })
      .Case<arith::XOrIOp>([&](auto) { return integers2<XorI>(to); })
      .Case<arith::MaxSIOp>([&](auto) { return wideIntegers2<MaxSI>(to); })
      .Case<arith::MinSIOp>([&](auto) { return wideIntegers2<MinSI>(to); })
      .Case<arith::MaxUIOp>([&](auto) { return integers2<MaxUI>(to); })
      .Case<arith::MinUIOp>([&](auto) { return integers2<MinUI>(to); })
      .Case<arith::ShLIOp>([&](auto) { return wideIntegers2<ShlI>(to); })
      .Case<arith::ShRSIOp>([&](auto) { return wideIntegers2<ShrSI>(to); })
      .Case<arith::ShRUIOp>([&](auto) { return wideIntegers2<ShrUI>(to); })
      .Case<arith::DivSIOp>([&](auto) { return division<DivSI, true>(to); })
      .Case<arith::RemSIOp>([&](auto) { return division<RemSI, true>(to); })
      .Case<arith::FloorDivSIOp>([&](auto) { return division<FloorDivSI, true>(to); })
      .Case<arith::CeilDivSIOp>([&](auto) { return division<CeilDivSI, true>(to); })
      .Case<arith::DivUIOp>([&](auto) { return division<DivUI, false>(to); })
      .Case<arith::RemUIOp>([&](auto) { return division<RemUI, false>(to); })
      .Case<arith::CeilDivUIOp>([&](auto) { return division<CeilDivUI, false>(to); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp op) { return compareIntegers(int(op.getPredicate()), from); })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](auto) { return integers(convertInteger(from, to, true)); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) { return integers(convertInteger(from, to, false)); })
      .Case<arith::TruncIOp>([&](auto) { return integers(convertInteger(from, to, true)); })
      .Case<arith::SIToFPOp>([&](auto) { return integerToFloat(from, true); })
      .Case<arith::UIToFPOp>([&](auto) { return integerToFloat(from, false); })
      .Case<arith::FPToSIOp>([&](auto) { return floatToInteger(to, true); })
      .Case<arith::FPToUIOp>([&](auto) { return floatToInteger(to, false); })
      .Case<arith::BitcastOp>([&](auto) { return bitcast(instruction.in[0], instruction.out[0]); })
      .Case<math::AbsIOp>([&](auto) { return to == Storage::Int32 ? &Map<AbsI, I32, I32>::run : nullptr; })
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
