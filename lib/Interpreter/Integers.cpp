// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic and comparisons, element by element.
#include "lib/Interpreter/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>
#include <limits>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

/// f of two numbers, by how the operation sees them. An i1 is a single bit: it has a sign in comparisons alone, since signed
/// arithmetic, division and shifts of single bits do not occur in kernels.
template <class F> Executor signed2(F, Storage storage) {
  return storage == Storage::Int32 ? &Map<F, I32, I32, I32>::run : storage == Storage::Int64 ? &Map<F, I64, I64, I64>::run : nullptr;
}
template <class F> Executor unsigned2(F, Storage storage) {
  return storage == Storage::Int32 ? &Map<F, U32, U32, U32>::run : storage == Storage::Int64 ? &Map<F, U64, U64, U64>::run : nullptr;
}
template <class F> Executor bits2(F f, Storage storage) {
  return storage == Storage::Bool ? &Map<F, U8, U8, U8>::run : unsigned2(f, storage);
}

/// Divisions look at their operands first: a zero divisor, or a quotient that does not fit, is a fault of the kernel.
template <class F, class T> struct Division {
  static bool run(const Instruction &i, Frame &frame) {
    const T *a = frame.at<T>(i.in[0]), *b = frame.at<T>(i.in[1]);
    for (std::size_t k = 0; k < i.count; ++k) {
      if (b[k] == 0)
        return frame.fail(i.op, "divides " + std::to_string(a[k]) + " by 0");
      if (std::is_signed_v<T> && b[k] == T(-1) && a[k] == std::numeric_limits<T>::min())
        return frame.fail(i.op, "divides " + std::to_string(a[k]) + " by -1, which overflows");
    }
    return Map<F, T, T, T>::run(i, frame);
  }
};
template <class F> Executor signedDivision(F, Storage storage) {
  return storage == Storage::Int32 ? &Division<F, I32>::run : storage == Storage::Int64 ? &Division<F, I64>::run : nullptr;
}
template <class F> Executor unsignedDivision(F, Storage storage) {
  return storage == Storage::Int32 ? &Division<F, U32>::run : storage == Storage::Int64 ? &Division<F, U64>::run : nullptr;
}

/// A set i1 is -1 if signed.
template <class F> struct OnSignedBits {
  U8 operator()(U8 a, U8 b) const { return F()(-int(a), -int(b)); }
};
template <class F> Executor signedComparison(F, Storage storage) {
  switch (storage) {
  case Storage::Int32: return &Map<F, U8, I32, I32>::run;
  case Storage::Int64: return &Map<F, U8, I64, I64>::run;
  case Storage::Bool: return &Map<OnSignedBits<F>, U8, U8, U8>::run;
  default: return nullptr;
  }
}
template <class F> Executor unsignedComparison(F, Storage storage) {
  switch (storage) {
  case Storage::Int32: return &Map<F, U8, U32, U32>::run;
  case Storage::Int64: return &Map<F, U8, U64, U64>::run;
  case Storage::Bool: return &Map<F, U8, U8, U8>::run;
  default: return nullptr;
  }
}

Executor comparison(arith::CmpIPredicate predicate, Storage storage) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq: return unsignedComparison(std::equal_to<>(), storage);
  case P::ne: return unsignedComparison(std::not_equal_to<>(), storage);
  case P::slt: return signedComparison(std::less<>(), storage);
  case P::sle: return signedComparison(std::less_equal<>(), storage);
  case P::sgt: return signedComparison(std::greater<>(), storage);
  case P::sge: return signedComparison(std::greater_equal<>(), storage);
  case P::ult: return unsignedComparison(std::less<>(), storage);
  case P::ule: return unsignedComparison(std::less_equal<>(), storage);
  case P::ugt: return unsignedComparison(std::greater<>(), storage);
  case P::uge: return unsignedComparison(std::greater_equal<>(), storage);
  }
  return nullptr;
}

} // namespace

Executor integerExecutor(const Instruction &instruction) {
  const Storage from = instruction.in[0].storage, to = instruction.out[0].storage;
  auto larger = [](auto a, auto b) { return a > b ? a : b; };
  auto smaller = [](auto a, auto b) { return a < b ? a : b; };
  return llvm::TypeSwitch<Operation *, Executor>(instruction.op)
      .Case<arith::AndIOp>([&](auto) { return bits2(std::bit_and<>(), to); })
      .Case<arith::OrIOp>([&](auto) { return bits2(std::bit_or<>(), to); })
      .Case<arith::XOrIOp>([&](auto) { return bits2(std::bit_xor<>(), to); })
      .Case<arith::MaxUIOp>([&](auto) { return bits2(larger, to); })
      .Case<arith::MinUIOp>([&](auto) { return bits2(smaller, to); })
      .Case<arith::MaxSIOp>([&](auto) { return signed2(larger, to); })
      .Case<arith::MinSIOp>([&](auto) { return signed2(smaller, to); })
      // Unsigned, so that they wrap, as on every target.
      .Case<arith::AddIOp>([&](auto) { return unsigned2(std::plus<>(), to); })
      .Case<arith::SubIOp>([&](auto) { return unsigned2(std::minus<>(), to); })
      .Case<arith::MulIOp>([&](auto) { return unsigned2(std::multiplies<>(), to); })
      // A shift by the width or more clamps, as PTX's does.
      .Case<arith::ShLIOp>([&](auto) { return unsigned2([](auto a, auto b) { return b < 8 * sizeof a ? a << b : 0; }, to); })
      .Case<arith::ShRUIOp>([&](auto) { return unsigned2([](auto a, auto b) { return b < 8 * sizeof a ? a >> b : 0; }, to); })
      .Case<arith::ShRSIOp>([&](auto) {
        return signed2([](auto a, auto b) { return a >> (U64(b) < 8 * sizeof a ? b : 8 * sizeof a - 1); }, to);
      })
      .Case<arith::DivSIOp>([&](auto) { return signedDivision(std::divides<>(), to); })
      .Case<arith::RemSIOp>([&](auto) { return signedDivision(std::modulus<>(), to); })
      .Case<arith::FloorDivSIOp>([&](auto) {
        return signedDivision([](auto a, auto b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }, to);
      })
      .Case<arith::CeilDivSIOp>([&](auto) {
        return signedDivision([](auto a, auto b) { return a / b + (a % b != 0 && (a < 0) == (b < 0)); }, to);
      })
      .Case<arith::DivUIOp>([&](auto) { return unsignedDivision(std::divides<>(), to); })
      .Case<arith::RemUIOp>([&](auto) { return unsignedDivision(std::modulus<>(), to); })
      .Case<arith::CeilDivUIOp>([&](auto) { return unsignedDivision([](auto a, auto b) { return a / b + (a % b != 0); }, to); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp op) { return comparison(op.getPredicate(), from); })
      .Case<math::AbsIOp>([&](auto) {
        auto magnitude = [](I32 a) { return a < 0 ? 0u - U32(a) : U32(a); };
        return to == Storage::Int32 ? &Map<decltype(magnitude), I32, I32>::run : nullptr;
      })
      .Default([](Operation *) { return nullptr; });
}

} // namespace tilefold::interpreter
