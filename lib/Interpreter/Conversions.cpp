// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From one type to another, element by element.
#include "lib/Interpreter/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

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

/// f16, bf16 and f32 are held alike; what rounds is the result's type.
struct Same {
  float operator()(float a) const { return a; }
};

} // namespace

Executor conversionExecutor(const Instruction &instruction) {
  const Storage from = instruction.in[0].storage, to = instruction.out[0].storage;
  auto integers = [&](Executor executor) { return from == Storage::Float ? nullptr : executor; };
  return llvm::TypeSwitch<Operation *, Executor>(instruction.op)
      .Case<arith::ExtFOp, arith::TruncFOp>([](auto) { return &Map<Same, float, float>::run; })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](auto) { return integers(convertInteger(from, to, true)); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) { return integers(convertInteger(from, to, false)); })
      .Case<arith::TruncIOp>([&](auto) { return integers(convertInteger(from, to, true)); })
      .Case<arith::SIToFPOp>([&](auto) { return integerToFloat(from, true); })
      .Case<arith::UIToFPOp>([&](auto) { return integerToFloat(from, false); })
      .Case<arith::FPToSIOp>([&](auto) { return floatToInteger(to, true); })
      .Case<arith::FPToUIOp>([&](auto) { return floatToInteger(to, false); })
      .Case<arith::BitcastOp>([&](auto) { return bitcast(instruction.in[0], instruction.out[0]); })
      .Default([](Operation *) { return nullptr; });
}

} // namespace tilefold::interpreter
