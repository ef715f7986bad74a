// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// arith and math, element by element.
#include "lib/Interpreter/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cstring>

using namespace mlir;

namespace tilefold::interpreter {
namespace {

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

Executor elementwiseExecutor(Instruction &instruction) {
  if (!isa<arith::ArithDialect, math::MathDialect>(instruction.op->getDialect()) || instruction.out.size() != 1 ||
      instruction.in.empty())
    return nullptr;
  if (isa<arith::SelectOp>(instruction.op))
    return selectExecutor(instruction);
  for (auto group : {floatExecutor, integerExecutor, conversionExecutor})
    if (Executor executor = group(instruction))
      return executor;
  return nullptr;
}

} // namespace tilefold::interpreter
