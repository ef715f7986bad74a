// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Artifact/Formula.h"
#include "lib/Dialect/Tile/Formulas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "runtime/artifact/format.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold;
using llvm::json::Array;
using llvm::json::Object;

using Json = llvm::json::Value;

// The verifier bounds what is built here: the recursions, the copies of what is shared, and what a runtime reads.
static_assert(tile::kFormulaDepthLimit <= runtime::max_formula_depth);

Json tilefold::formula(StringRef name, Array operands) { return Object{{name, std::move(operands)}}; }

std::string tilefold::getTypeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

FailureOr<StringRef> tilefold::getViewName(Value view) {
  if (auto argument = dyn_cast<BlockArgument>(view))
    return cast<tile::ProgramOp>(argument.getOwner()->getParentOp()).getArgumentName(argument.getArgNumber());
  if (auto workspace = view.getDefiningOp<tile::WorkspaceOp>())
    return workspace.getName();
  return emitError(view.getLoc()) << "expected an argument or a workspace, got '" << view.getDefiningOp()->getName() << "'";
}

static bool isNonNegative(Value value) {
  Operation *op = value.getDefiningOp();
  return op && tile::isNonNegative(op, [](Value operand) { return isNonNegative(operand); });
}

/// The quotient rounded towards zero, which artifacts do not have: floor where the signs agree, ceiling where they differ.
static Json truncatingDivision(Json a, Json b, bool nonNegative) {
  if (nonNegative)
    return formula("floordiv", {std::move(a), std::move(b)});
  Json agree = formula("eq", {formula("lt", {a, 0}), formula("lt", {b, 0})});
  return formula("select", {std::move(agree), formula("floordiv", {a, b}), formula("ceildiv", {a, b})});
}

static StringRef comparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq: return "eq";
  case arith::CmpIPredicate::ne: return "ne";
  case arith::CmpIPredicate::slt: return "lt";
  case arith::CmpIPredicate::sle: return "le";
  case arith::CmpIPredicate::sgt: return "gt";
  case arith::CmpIPredicate::sge: return "ge";
  default: return ""; // unsigned ones have no formula
  }
}

/// With NaN, comparisons of artifacts are false and `ne` is true; unordered ones are negations of the opposite.
static Json floatComparison(arith::CmpFPredicate predicate, Json a, Json b) {
  using P = arith::CmpFPredicate;
  auto plain = [&](StringRef name) { return formula(name, {a, b}); };
  auto negated = [&](StringRef name) { return formula("not", {formula(name, {a, b})}); };
  switch (predicate) {
  case P::OEQ: return plain("eq");
  case P::OGT: return plain("gt");
  case P::OGE: return plain("ge");
  case P::OLT: return plain("lt");
  case P::OLE: return plain("le");
  case P::UNE: return plain("ne");
  case P::UGT: return negated("le");
  case P::UGE: return negated("lt");
  case P::ULT: return negated("ge");
  case P::ULE: return negated("gt");
  default: return nullptr;
  }
}

static FailureOr<Json> constantFormula(arith::ConstantOp op) {
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return Json(integer.getType().isInteger(1) ? int64_t(integer.getValue().getBoolValue()) : integer.getInt());
  if (auto number = dyn_cast<FloatAttr>(op.getValue()); number && number.getValue().isFinite())
    return Json(Object{{"float", number.getValueAsDouble()}});
  return op.emitError("has no formula in an artifact, expected an integer or a finite number");
}

static FailureOr<Json> argumentFormula(BlockArgument argument) {
  auto program = cast<tile::ProgramOp>(argument.getOwner()->getParentOp());
  return Json(Object{{"scalar", program.getArgumentName(argument.getArgNumber())}});
}

FailureOr<Json> tilefold::toFormula(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argumentFormula(argument);
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return constantFormula(constant);
  if (isa<tile::SizeOp, tile::StrideOp>(op)) {
    FailureOr<StringRef> name = getViewName(op->getOperand(0));
    if (failed(name))
      return failure();
    bool size = isa<tile::SizeOp>(op);
    int64_t dim = size ? cast<tile::SizeOp>(op).getDim() : cast<tile::StrideOp>(op).getDim();
    return formula(size ? "size" : "stride", {*name, dim});
  }
  if (auto property = dyn_cast<tile::DevicePropertyOp>(op))
    return Json(Object{{"device", property.getName()}});
  if (auto extension = dyn_cast<arith::ExtSIOp>(op); extension && extension.getIn().getType().isInteger(32))
    return toFormula(extension.getIn());

  Array operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Json> one = toFormula(operand);
    if (failed(one))
      return failure();
    operands.push_back(std::move(*one));
  }
  if (isa<arith::ExtUIOp>(op) && op->getOperand(0).getType().isInteger(1))
    return formula("select", {std::move(operands[0]), 1, 0});

  bool logical = value.getType().isInteger(1);
  StringRef name = llvm::TypeSwitch<Operation *, StringRef>(op)
                       .Case<arith::AddIOp>([](auto) { return "add"; })
                       .Case<arith::SubIOp>([](auto) { return "sub"; })
                       .Case<arith::MulIOp>([](auto) { return "mul"; })
                       .Case<arith::FloorDivSIOp>([](auto) { return "floordiv"; })
                       .Case<arith::CeilDivSIOp>([](auto) { return "ceildiv"; })
                       .Case<arith::MinSIOp>([](auto) { return "min"; })
                       .Case<arith::MaxSIOp>([](auto) { return "max"; })
                       .Case<arith::AndIOp>([&](auto) { return logical ? "and" : ""; })
                       .Case<arith::OrIOp>([&](auto) { return logical ? "or" : ""; })
                       .Case<arith::XOrIOp>([&](auto) { return logical ? "ne" : ""; })
                       .Case<arith::SelectOp>([](auto) { return "select"; })
                       .Case<arith::CmpIOp>([](auto compare) { return comparison(compare.getPredicate()); })
                       .Default([](Operation *) { return ""; });
  if (!name.empty())
    return formula(name, std::move(operands));

  if (isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    bool nonNegative = isNonNegative(op->getOperand(0)) && isNonNegative(op->getOperand(1));
    if (isa<arith::RemSIOp>(op) && nonNegative)
      return formula("mod", std::move(operands));
    Json quotient = truncatingDivision(operands[0], operands[1], nonNegative);
    if (isa<arith::DivSIOp>(op))
      return quotient;
    return formula("sub", {operands[0], formula("mul", {std::move(quotient), operands[1]})});
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    if (Json result = floatComparison(compare.getPredicate(), operands[0], operands[1]); result.kind() != Json::Null)
      return result;
  return op->emitError() << "'" << op->getName() << "' has no formula in an artifact";
}
