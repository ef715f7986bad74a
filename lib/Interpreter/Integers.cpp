// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic and comparisons, element by element.
#include "lib/Interpreter/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

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

struct AbsI {
  I32 operator()(I32 a) const { return a < 0 ? I32(0u - std::uint32_t(a)) : a; }
};

} // namespace

Executor integerExecutor(const Instruction &instruction) {
  const Storage from = instruction.in[0].storage, to = instruction.out[0].storage;
  return llvm::TypeSwitch<Operation *, Executor>(instruction.op)
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
      .Case<math::AbsIOp>([&](auto) { return to == Storage::Int32 ? &Map<AbsI, I32, I32>::run : nullptr; })
      .Default([](Operation *) { return nullptr; });
}

} // namespace tilefold::interpreter
