// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/KernelLowering.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numbers>

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

bool tilefold::is16BitFloat(Type element) { return element.isF16() || element.isBF16(); }

Type tilefold::widen(Type type) {
  Type wide = Float32Type::get(type.getContext());
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(wide)) : wide;
}

/// A constant of the type of `like`, a scalar or a vector of f32.
static Value constantLike(OpBuilder &builder, Location loc, Value like, double value) {
  TypedAttr attr = builder.getF32FloatAttr(value);
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

/// A division of scalars (which an instance shares) by what is known only at run time.
static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
             arith::RemUIOp>(op) &&
         op->getResult(0).getType().isInteger(32) && !matchPattern(op->getOperand(1), m_Constant());
}

LogicalResult KernelLowering::lowerConstant(arith::ConstantOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile) {
    values[op.getResult()] = builder.clone(*op)->getResult(0);
    return success();
  }
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.isSplat())
    return op.emitError("expected a tile constant whose elements are all equal");
  auto vector = cast<VectorType>(convert(tile));
  values[op.getResult()] = arith::ConstantOp::create(
      builder, op.getLoc(), cast<TypedAttr>(DenseElementsAttr::get(vector, elements.getSplatValue<Attribute>())));
  return success();
}

/// tanh to a relative error of 2^-20, as 1 - 2 / (e^2|x| + 1); near zero, where that cancels, as an odd polynomial. The quotient is
/// the machine's reciprocal: a division that rounds correctly is a branch for each element, beside which all others are alive.
Value KernelLowering::lowerTanh(Value x, Location loc) {
  auto constant = [&](double value) { return constantLike(builder, loc, x, value); };
  auto mulf = [&](Value a, Value b) -> Value { return arith::MulFOp::create(builder, loc, a, b); };
  auto fma = [&](Value a, Value b, Value c) -> Value { return math::FmaOp::create(builder, loc, a, b, c); };
  Value magnitude = math::AbsFOp::create(builder, loc, x);
  // Infinite from |x| = 44 on, and its reciprocal 0.
  Value e = ptx::Ex2Op::create(builder, loc, x.getType(), mulf(magnitude, constant(2 * std::numbers::log2e)));
  Value reciprocal = ptx::RcpOp::create(builder, loc, x.getType(), arith::AddFOp::create(builder, loc, e, constant(1)));
  Value far = math::CopySignOp::create(builder, loc, fma(reciprocal, constant(-2), constant(1)), x);
  // The polynomial of least relative error up to the bound: 2^-21.7 before rounding. What the exponential and the reciprocal are
  // away by, two units and one, comes to 2^-20.9 at the bound and to less beyond.
  constexpr double bound = 0.45, c1 = -0.333304845, c2 = 0.1324665, c3 = -0.0463219;
  Value square = mulf(x, x), series = fma(fma(constant(c3), square, constant(c2)), square, constant(c1));
  Value near = mulf(fma(series, square, constant(1)), x);
  Value isNear = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, magnitude, constant(bound));
  return arith::SelectOp::create(builder, loc, isNear, near, far);
}

/// The functions that the machine approximates or, as the square root, has only there.
static bool runsOnF32(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) && !isa<math::AbsFOp, math::AbsIOp, math::FmaOp>(op);
}

/// arith and math keep their names on vectors, except for what the machine computes in its own way.
LogicalResult KernelLowering::lowerElementwise(Operation *op) {
  Location loc = op->getLoc();
  if (auto product = dyn_cast<arith::MulFOp>(op); product && isLeftToProduct(product))
    return success();
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumResults() != 1)
    return op->emitError("'") << op->getName() << "' has no lowering to a GPU";
  SmallVector<Value> operands(llvm::map_range(op->getOperands(), [&](Value v) { return values.lookup(v); }));
  const Type resultType = convert(op->getResult(0).getType());
  Type computedType = resultType;
  if (runsOnF32(op) && is16BitFloat(getElementTypeOrSelf(resultType))) {
    computedType = widen(resultType);
    for (Value &operand : operands)
      operand = arith::ExtFOp::create(builder, loc, computedType, operand);
  }
  auto scaled = [&](Value x, double factor) -> Value {
    return arith::MulFOp::create(builder, loc, x, constantLike(builder, loc, x, factor));
  };
  if (runsOnF32(op) && !getElementTypeOrSelf(computedType).isF32())
    return op->emitError("'") << op->getName() << "' runs on f16, bf16 and f32, got " << op->getResult(0).getType();

  Value result =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](math::Exp2Op) { return ptx::Ex2Op::create(builder, loc, operands[0].getType(), operands[0]); })
          .Case([&](math::ExpOp) {
            return ptx::Ex2Op::create(builder, loc, operands[0].getType(), scaled(operands[0], std::numbers::log2e));
          })
          .Case([&](math::Log2Op) { return ptx::Lg2Op::create(builder, loc, operands[0].getType(), operands[0]); })
          .Case([&](math::LogOp) {
            return scaled(ptx::Lg2Op::create(builder, loc, operands[0].getType(), operands[0]), std::numbers::ln2);
          })
          .Case([&](math::TanhOp) { return lowerTanh(operands[0], loc); })
          .Case([&](math::AbsIOp) -> Value {
            Value zero = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(resultType)));
            Value negated = arith::SubIOp::create(builder, loc, zero, operands[0]);
            return arith::MaxSIOp::create(builder, loc, operands[0], negated); // the least number wraps to itself
          })
          .Default([&](Operation *o) -> Value {
            if (isa<math::MathDialect>(o->getDialect()) && !isa<math::AbsFOp, math::SqrtOp, math::FmaOp>(o)) {
              o->emitError("'") << o->getName() << "' has no lowering to a GPU";
              return nullptr;
            }
            OperationState state(loc, o->getName(), operands, computedType, o->getAttrs());
            state.propertiesAttr = o->getPropertiesAsAttribute();
            Value computed = builder.create(state)->getResult(0);
            return isDivision(o) ? uniform(computed, loc) : computed;
          });
  if (!result)
    return failure();
  values[op->getResult(0)] = computedType == resultType ? result : arith::TruncFOp::create(builder, loc, resultType, result).getResult();
  return success();
}
