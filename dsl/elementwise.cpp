// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tracer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

/// Elementwise work becomes arith and math operations on tensors; broadcasts are explicit.
namespace tilefold::detail {

using namespace mlir;

static StringRef spelling(Binary kind) {
  switch (kind) {
  case Binary::add: return "+";
  case Binary::sub: return "-";
  case Binary::mul: return "*";
  case Binary::div: return "/";
  case Binary::ceil_div: return "ceil_div";
  case Binary::mod: return "%";
  case Binary::max: return "max";
  case Binary::min: return "min";
  case Binary::lt: return "<";
  case Binary::le: return "<=";
  case Binary::gt: return ">";
  case Binary::ge: return ">=";
  case Binary::eq: return "==";
  case Binary::ne: return "!=";
  case Binary::conjunction: return "&&";
  case Binary::disjunction: return "||";
  }
  llvm_unreachable("all kinds covered");
}

static bool is_comparison(Binary kind) { return kind >= Binary::lt && kind <= Binary::ne; }

/// What keeps a sum of products exact enough to be fused, and nothing else: no reassociation, no assumption about NaN.
static arith::FastMathFlagsAttr contract(MLIRContext *c) { return arith::FastMathFlagsAttr::get(c, arith::FastMathFlags::contract); }

//===-- broadcasting --------------------------------------------------------------------------------------------===//

/// The common shape of the operands that are tiles; scalars and numbers fit any. nullopt if they do not fit (reported).
static std::optional<SmallVector<int64_t>> common_shape(Tracer &t, StringRef what, ArrayRef<Value> values, const Location &l) {
  SmallVector<int64_t> shape;
  Value from;
  for (Value v : values) {
    ArrayRef<int64_t> s = v ? shape_of(v) : ArrayRef<int64_t>();
    if (s.empty())
      continue;
    if (shape.empty()) {
      shape.assign(s.begin(), s.end());
      from = v;
      continue;
    }
    for (auto [d, extent] : llvm::enumerate(s)) {
      if (shape[d] != extent && shape[d] != 1 && extent != 1) {
        auto diag = t.error(l) << "'" << what << "' combines tiles of different shapes, " << from.getType() << " and " << v.getType();
        diag.attachNote(from.getLoc()) << "the first comes from here";
        diag.attachNote(v.getLoc()) << "the second comes from here";
        return std::nullopt;
      }
      shape[d] = std::max(shape[d], extent);
    }
  }
  return shape;
}

/// `v`, or the number where there is none, in that shape.
static Value fit(Tracer &t, Value v, const Input &x, Element element, ArrayRef<int64_t> shape, const Location &l) {
  if (x.is_literal)
    return t.constant(x.literal, t.type(element, shape), l);
  if (shape_of(v) == shape)
    return v;
  auto type = RankedTensorType::get(shape, v.getType().isIntOrFloat() ? v.getType() : cast<RankedTensorType>(v.getType()).getElementType());
  if (shape_of(v).empty())
    return tile::SplatOp::create(t.builder(), t.at(l), type, v);
  return tile::BroadcastOp::create(t.builder(), t.at(l), type, v);
}

/// The operands in one shape, or nothing if one of them is poisoned or does not fit.
static SmallVector<Value> fit_all(Tracer &t, StringRef what, ArrayRef<std::pair<const Input *, Element>> operands, const Location &l) {
  SmallVector<Value> values;
  bool good = true;
  for (auto [x, element] : operands) {
    values.push_back(x->is_literal ? Value() : t.use(x->handle, x->loc));
    good &= x->is_literal || values.back();
  }
  if (!good)
    return {};
  auto shape = common_shape(t, what, values, l);
  if (!shape)
    return {};
  for (auto [value, operand] : llvm::zip(values, operands)) {
    value = fit(t, value, *operand.first, operand.second, *shape, l);
    good &= bool(value);
  }
  return good ? values : SmallVector<Value>();
}

//===-- operations ----------------------------------------------------------------------------------------------===//

static arith::CmpIPredicate integer_predicate(Binary kind) {
  switch (kind) {
  case Binary::lt: return arith::CmpIPredicate::slt;
  case Binary::le: return arith::CmpIPredicate::sle;
  case Binary::gt: return arith::CmpIPredicate::sgt;
  case Binary::ge: return arith::CmpIPredicate::sge;
  case Binary::eq: return arith::CmpIPredicate::eq;
  default: return arith::CmpIPredicate::ne;
  }
}

/// As in C++: every comparison with a NaN is false, except that it differs from everything.
static arith::CmpFPredicate float_predicate(Binary kind) {
  switch (kind) {
  case Binary::lt: return arith::CmpFPredicate::OLT;
  case Binary::le: return arith::CmpFPredicate::OLE;
  case Binary::gt: return arith::CmpFPredicate::OGT;
  case Binary::ge: return arith::CmpFPredicate::OGE;
  case Binary::eq: return arith::CmpFPredicate::OEQ;
  default: return arith::CmpFPredicate::UNE;
  }
}

static Value emit_float(OpBuilder &b, mlir::Location loc, Binary kind, Value x, Value y) {
  auto flags = contract(b.getContext());
  switch (kind) {
  case Binary::add: return arith::AddFOp::create(b, loc, x, y, flags);
  case Binary::sub: return arith::SubFOp::create(b, loc, x, y, flags);
  case Binary::mul: return arith::MulFOp::create(b, loc, x, y, flags);
  case Binary::div: return arith::DivFOp::create(b, loc, x, y, flags);
  case Binary::max: return arith::MaximumFOp::create(b, loc, x, y);
  case Binary::min: return arith::MinimumFOp::create(b, loc, x, y);
  default: return arith::CmpFOp::create(b, loc, float_predicate(kind), x, y);
  }
}

static Value emit_integer(OpBuilder &b, mlir::Location loc, Binary kind, Value x, Value y) {
  switch (kind) {
  case Binary::add: return arith::AddIOp::create(b, loc, x, y);
  case Binary::sub: return arith::SubIOp::create(b, loc, x, y);
  case Binary::mul: return arith::MulIOp::create(b, loc, x, y);
  case Binary::div: return arith::FloorDivSIOp::create(b, loc, x, y);
  case Binary::ceil_div: return arith::CeilDivSIOp::create(b, loc, x, y);
  case Binary::max: return arith::MaxSIOp::create(b, loc, x, y);
  case Binary::min: return arith::MinSIOp::create(b, loc, x, y);
  case Binary::conjunction: return arith::AndIOp::create(b, loc, x, y);
  case Binary::disjunction: return arith::OrIOp::create(b, loc, x, y);
  case Binary::mod: {
    Value quotient = arith::FloorDivSIOp::create(b, loc, x, y);
    return arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, quotient, y));
  }
  default: return arith::CmpIOp::create(b, loc, integer_predicate(kind), x, y);
  }
}

static bool is_float_element(Element e) { return e == Element::f16 || e == Element::bf16 || e == Element::f32; }

/// The host side has formulas over sizes, and comparisons of f32 scalars; everything else needs a kernel.
static bool has_formula(Tracer &t, StringRef what, bool allowed, const Location &l) {
  if (t.in_kernel() || allowed)
    return true;
  t.error(l) << "'" << what << "' on floating-point values has no host formula: use it inside the kernel";
  return false;
}

Handle binary(Binary kind, const Input &a, const Input &b, Element element, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  // x - 0 is x for every x, so a headroom of zero costs nothing.
  if (kind == Binary::sub && b.is_literal && b.literal.real == 0 && !a.is_literal)
    return t->give(t->use(a.handle, l));
  SmallVector<Value> v = fit_all(*t, spelling(kind), {{&a, element}, {&b, element}}, l);
  if (v.empty() || !has_formula(*t, spelling(kind), !is_float_element(element) || is_comparison(kind), l))
    return t->poison();
  return t->give(is_float_element(element) ? emit_float(t->builder(), t->at(l), kind, v[0], v[1])
                                           : emit_integer(t->builder(), t->at(l), kind, v[0], v[1]));
}

static Value emit_unary(OpBuilder &b, mlir::Location loc, Unary kind, Value x, bool is_float) {
  auto flags = contract(b.getContext());
  switch (kind) {
  case Unary::exp: return math::ExpOp::create(b, loc, x, flags);
  case Unary::exp2: return math::Exp2Op::create(b, loc, x, flags);
  case Unary::log: return math::LogOp::create(b, loc, x, flags);
  case Unary::tanh: return math::TanhOp::create(b, loc, x, flags);
  case Unary::sqrt: return math::SqrtOp::create(b, loc, x, flags);
  case Unary::abs: return is_float ? Value(math::AbsFOp::create(b, loc, x, flags)) : Value(math::AbsIOp::create(b, loc, x));
  default: return arith::NegFOp::create(b, loc, x, flags);
  }
}

Handle unary(Unary kind, const Input &x, Element element, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  if (kind == Unary::negate && !is_float_element(element)) {
    Input zero{{}, 0, true, l};
    return binary(Binary::sub, zero, x, element, l);
  }
  Value v = t->use(x, element);
  if (!v)
    return t->poison();
  if (!t->in_kernel()) {
    t->error(l) << "a mathematical function has no host formula: use it inside the kernel";
    return t->poison();
  }
  return t->give(emit_unary(t->builder(), t->at(l), kind, v, is_float_element(element)));
}

Handle complement(const Handle &x, Location l) {
  Tracer *t = Tracer::active();
  Value v = t ? t->use(x, l) : Value();
  if (!v)
    return t ? t->poison() : Handle();
  OpBuilder &b = t->builder();
  TypedAttr yes = b.getBoolAttr(true);
  if (auto tensor = dyn_cast<RankedTensorType>(v.getType()))
    yes = DenseElementsAttr::get(tensor, true);
  return t->give(arith::XOrIOp::create(b, t->at(l), v, arith::ConstantOp::create(b, t->at(l), yes)));
}

Handle select(const Input &mask, const Input &a, const Input &b, Element element, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  SmallVector<Value> v = fit_all(*t, "where", {{&mask, Element::i1}, {&a, element}, {&b, element}}, l);
  if (v.empty() || !has_formula(*t, "where", !is_float_element(element), l))
    return t->poison();
  return t->give(arith::SelectOp::create(t->builder(), t->at(l), v[0], v[1], v[2]));
}

Handle in_shape_of(const Handle &like, const Handle &x, std::string_view what, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  if (x.trace == 0) {
    t->error(l) << what << " gives a tile that was never given a value";
    return t->poison();
  }
  Value target = t->use(like, l), v = t->use(x, l);
  if (!target || !v)
    return t->poison();
  ArrayRef<int64_t> shape = shape_of(target);
  auto fits = [](auto extents) { return std::get<0>(extents) == std::get<1>(extents) || std::get<0>(extents) == 1; };
  if (llvm::all_of(llvm::zip_equal(shape_of(v), shape), fits))
    return t->give(fit(*t, v, {}, {}, shape, l));
  auto diag = t->error(v.getLoc()) << what << " gives " << v.getType() << ", which does not fit " << target.getType();
  diag.attachNote(t->at(l)) << "it is used here";
  return t->poison();
}

Handle scalar(const Input &x, Element element) {
  Tracer *t = Tracer::active();
  return t ? t->give(t->use(x, element)) : Handle();
}

Handle cast(const Handle &x, Element to, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  Value v = t->use(x, l);
  if (!v)
    return t->poison();
  if (!t->in_kernel()) {
    t->error(l) << "'cast' has no host formula: use it inside the kernel";
    return t->poison();
  }
  OpBuilder &b = t->builder();
  mlir::Location loc = t->at(l);
  Type from = getElementTypeOrSelf(v.getType()), element = t->type(to);
  auto shaped = [&](Type e) { return shape_of(v).empty() ? e : Type(RankedTensorType::get(shape_of(v), e)); };
  Type result = shaped(element);
  if (from == element)
    return t->give(v);
  if (isa<FloatType>(from) && isa<FloatType>(element)) {
    unsigned wide = element.getIntOrFloatBitWidth(), narrow = from.getIntOrFloatBitWidth();
    if (wide == narrow) { // f16 and bf16 hold each other's values only by way of f32
      v = arith::ExtFOp::create(b, loc, shaped(b.getF32Type()), v);
      narrow = 32;
    }
    if (wide > narrow)
      return t->give(arith::ExtFOp::create(b, loc, result, v));
    return t->give(arith::TruncFOp::create(b, loc, result, v));
  }
  if (isa<FloatType>(from))
    return t->give(arith::FPToSIOp::create(b, loc, result, v));
  if (from.isInteger(1) && isa<FloatType>(element))
    return t->give(arith::UIToFPOp::create(b, loc, result, v));
  if (from.isInteger(1))
    return t->give(arith::ExtUIOp::create(b, loc, result, v));
  return t->give(arith::SIToFPOp::create(b, loc, result, v));
}

} // namespace tilefold::detail
