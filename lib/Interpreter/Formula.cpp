// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Interpreter/Formula.h"
#include "lib/Interpreter/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;
using tilefold::support::Result;
using tilefold::support::Status;

namespace tilefold::interpreter {
namespace {

Number integer(std::int64_t value) { return {false, value, 0}; }
Number floating(double value) { return {true, 0, value}; }

/// Empty on overflow, and for operations that are not in this list.
std::optional<std::int64_t> binary(Operation *op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (isa<arith::AddIOp>(op))
    return llvm::AddOverflow(a, b, result) ? std::nullopt : std::optional(result);
  if (isa<arith::SubIOp>(op))
    return llvm::SubOverflow(a, b, result) ? std::nullopt : std::optional(result);
  if (isa<arith::MulIOp>(op))
    return llvm::MulOverflow(a, b, result) ? std::nullopt : std::optional(result);
  if (isa<arith::MaxSIOp>(op))
    return std::max(a, b);
  if (isa<arith::MinSIOp>(op))
    return std::min(a, b);
  if (isa<arith::XOrIOp>(op))
    return a ^ b;
  if (b == -1) // the quotient of INT64_MIN and -1 does not fit
    return isa<arith::RemSIOp>(op) ? std::optional<std::int64_t>(0)
           : llvm::SubOverflow(std::int64_t(0), a, result) ? std::nullopt
                                                           : std::optional(result);
  if (isa<arith::DivSIOp>(op))
    return a / b;
  if (isa<arith::RemSIOp>(op))
    return a % b;
  if (isa<arith::FloorDivSIOp>(op))
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  return a / b + (a % b != 0 && (a < 0) == (b < 0)); // ceildivsi
}

} // namespace

Result<Number> Formulas::evaluate(Value value, const std::string &owner) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  auto fail = [&](const std::string &message) {
    return Status::error((op ? locationText(op->getLoc()) : std::string()) + owner + ": " + message);
  };
  if (!op)
    return fail("a view is not a number");
  auto done = [&](Number number) {
    known[value] = number;
    return Result<Number>(number);
  };

  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return done(integer(value.getType().isInteger(1) ? !number.getValue().isZero() : number.getValue().getSExtValue()));
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return done(floating(number.getValueAsDouble()));
    return fail("a constant that is no number");
  }
  if (isa<tile::SizeOp, tile::StrideOp>(op)) {
    const bool stride = isa<tile::StrideOp>(op);
    const std::int64_t dim = stride ? cast<tile::StrideOp>(op).getDim() : cast<tile::SizeOp>(op).getDim();
    Result<std::int64_t> result = dimension(op->getOperand(0), dim, stride);
    if (!result)
      return result.status();
    return done(integer(*result));
  }
  if (isa<tile::DevicePropertyOp>(op))
    return done(integer(1));

  // The operands that decide come first.
  Result<Number> first = op->getNumOperands() ? evaluate(op->getOperand(0), owner) : Result<Number>(Number{});
  if (!first)
    return first;
  const bool bit = value.getType().isInteger(1);
  if (bit && isa<arith::AndIOp>(op) && !first->integer)
    return done(integer(0));
  if (bit && isa<arith::OrIOp>(op) && first->integer)
    return done(integer(1));
  if (isa<arith::SelectOp>(op)) {
    Result<Number> chosen = evaluate(op->getOperand(first->integer ? 1 : 2), owner);
    if (!chosen)
      return chosen;
    return done(*chosen);
  }

  if (op->getNumOperands() == 1) {
    if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
      return done(integer(op->getOperand(0).getType().isInteger(1) ? -first->integer : first->integer));
    if (isa<arith::ExtUIOp>(op))
      return done(integer(op->getOperand(0).getType().isInteger(32) ? std::int64_t(std::uint32_t(first->integer)) : first->integer));
    if (isa<arith::TruncIOp>(op)) {
      if (!value.getType().isInteger(32) || first->integer != std::int32_t(first->integer))
        return fail("the value " + std::to_string(first->integer) + " does not fit i32");
      return done(*first);
    }
    if (isa<arith::SIToFPOp>(op))
      return done(floating(float(first->integer)));
    if (isa<arith::NegFOp>(op))
      return done(floating(-first->floating));
  }
  if (op->getNumOperands() == 2) {
    Result<Number> second = evaluate(op->getOperand(1), owner);
    if (!second)
      return second;
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return done(integer(arith::applyCmpPredicate(compare.getPredicate(), llvm::APInt(64, first->integer, /*isSigned=*/true),
                                                   llvm::APInt(64, second->integer, /*isSigned=*/true))));
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      return done(integer(arith::applyCmpPredicate(compare.getPredicate(), llvm::APFloat(first->floating),
                                                   llvm::APFloat(second->floating))));
    if (isa<arith::AndIOp>(op))
      return done(integer(first->integer & second->integer));
    if (isa<arith::OrIOp>(op))
      return done(integer(first->integer | second->integer));
    if (isa<arith::MulFOp>(op))
      return done(floating(float(first->floating) * float(second->floating)));
    if (isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op)) {
      if (second->integer == 0)
        return fail("divides " + std::to_string(first->integer) + " by 0");
    } else if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp, arith::XOrIOp>(op)) {
      return fail("'" + op->getName().getStringRef().str() + "' has no host formula");
    }
    std::optional<std::int64_t> result = binary(op, first->integer, second->integer);
    if (!result)
      return fail(op->getName().getStringRef().str() + " of " + std::to_string(first->integer) + " and " +
                  std::to_string(second->integer) + " leaves 64 bits");
    if (bit)
      *result &= 1;
    if (value.getType().isInteger(32) && *result != std::int32_t(*result))
      return fail("the value " + std::to_string(*result) + " does not fit i32");
    return done(integer(*result));
  }
  return fail("'" + op->getName().getStringRef().str() + "' has no host formula");
}

} // namespace tilefold::interpreter
