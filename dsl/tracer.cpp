// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tracer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <atomic>
#include <cmath>

using namespace mlir;

namespace tilefold::detail {

static thread_local Tracer *current = nullptr;

Tracer *Tracer::active() { return current; }

static MLIRContext &with_dialects(MLIRContext &c) {
  c.loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  return c;
}

static mlir::Location location(MLIRContext *c, const Location &l) {
  return FileLineColLoc::get(c, l.file_name(), l.line(), l.column());
}

Tracer::Tracer(MLIRContext &c, StringRef name, Location l)
    : outer_(current), location_(l), host_(&with_dialects(c)) {
  static std::atomic<unsigned> traces = 0;
  id_ = ++traces;
  module_ = ModuleOp::create(location(&c, l));
  host_.setInsertionPointToEnd(module_->getBody());
  program_ = tile::ProgramOp::create(host_, location(&c, l), name, TypeRange());
  host_.setInsertionPointToEnd(&program_.getBody().front());
  kernel_names_.insert(name);
  current = this;
}

Tracer::~Tracer() { current = outer_; }

mlir::Location Tracer::at(const Location &l) {
  if (l.line())
    return location(context(), l);
  // An extent that a shape leaves out was written nowhere; what was traced last stands before it.
  Block *block = builder().getInsertionBlock();
  return block->empty() ? block->getParentOp()->getLoc() : block->back().getLoc();
}

InFlightDiagnostic Tracer::error(mlir::Location l) {
  failed_ = true;
  return emitError(l);
}

void Tracer::refuse(StringRef message, const Location &l) {
  if (refused_.insert((Twine(l.file_name()) + ":" + Twine(l.line()) + ":" + message).str()).second)
    error(l) << message;
}

bool Tracer::need_kernel(StringRef what, const Location &l) {
  if (in_kernel())
    return true;
  error(l) << what << " belongs in a kernel: call p.grid() or p.launch() first";
  return false;
}

OwningOpRef<ModuleOp> Tracer::finish() {
  if (kernel_)
    close_kernel();
  // Told where the program's last words are, or its arguments if it has no other: `location_` may be the compiler's own.
  auto last_words = [&] {
    if (!host_.getBlock()->empty())
      return host_.getBlock()->back().getLoc();
    return program_.getNumArguments() ? program_.getBody().getArguments().back().getLoc() : at(location_);
  };
  if (!launched_ && !failed_)
    error(last_words()) << "program '" << program_.getSymName() << "' launches no kernel: call p.grid() or p.launch()";
  tile::ReturnOp::create(host_, program_.getLoc());
  if (!failed_)
    check_requirements();
  if (failed_)
    return {};
  return std::move(module_);
}

//===-- uses ----------------------------------------------------------------------------------------------------===//

/// The program or kernel that a value belongs to.
static Operation *owner_of(Value v) {
  Operation *op = v.getParentRegion()->getParentOp();
  while (op && !isa<tile::ProgramOp, tile::KernelOp>(op))
    op = op->getParentOp();
  return op;
}

Value Tracer::use(const Handle &h, const Location &l) {
  if (h.trace == 0) {
    error(l) << "uses a tile that was never given a value";
    return {};
  }
  if (h.trace != id_) {
    error(l) << "uses a value of another trace";
    return {};
  }
  auto v = Value::getFromOpaquePointer(h.value);
  if (!v)
    return {};
  Operation *owner = owner_of(v);
  if (owner == program_) {
    if (in_kernel())
      return import(v, l);
    // Formulas are i64; scalar arguments are i32.
    if (v.getType().isInteger(32))
      return arith::ExtSIOp::create(host_, at(l), host_.getI64Type(), v);
    return v;
  }
  if (!in_kernel()) {
    auto diag = error(l) << "uses a kernel's value on the host side";
    diag.attachNote(v.getLoc()) << "computed in the kernel here; sizes are known to the host before p.grid()";
    return {};
  }
  if (owner != kernel_->op) {
    auto diag = error(l) << "uses a value of another kernel: pass it through a workspace";
    diag.attachNote(v.getLoc()) << "computed here";
    return {};
  }
  for (Block *block = kernel_->builder.getInsertionBlock(); block; block = block->getParentOp()->getBlock()) {
    if (block == v.getParentBlock())
      return v;
    if (isa<tile::KernelOp>(block->getParentOp()))
      break;
  }
  bool in_branch = isa<scf::IfOp>(v.getParentBlock()->getParentOp());
  auto diag = error(l) << (in_branch ? "uses a value of a branch's arm outside of it: return it from both arms"
                                     : "uses a value of a loop's body after the loop: return it from the body as state");
  diag.attachNote(v.getLoc()) << "computed in the " << (in_branch ? "branch" : "loop") << " here";
  return {};
}

Value Tracer::use(const Input &x, Element element) {
  return x.is_literal ? constant(x.literal, type(element), x.loc) : use(x.handle, x.loc);
}

Value Tracer::index(const Input &x, int64_t neutral) {
  if (Value v = use(x, Element::i32))
    return v;
  return constant(Literal(neutral), type(Element::i32), x.loc);
}

Value Tracer::import_argument(Value host, Type type, StringRef name, StringRef role, mlir::Location loc) {
  kernel_->operands.push_back(host);
  return kernel_->op.addArgument(type, name, role, loc);
}

Value Tracer::import(Value host, const Location &l) {
  auto known = kernel_->imports.find(host);
  if (known != kernel_->imports.end())
    return known->second;

  OpBuilder &b = kernel_->builder;
  auto emit_at_start = [&](auto &&make) {
    OpBuilder::InsertionGuard guard(b);
    if (kernel_->last_import)
      b.setInsertionPointAfter(kernel_->last_import);
    else
      b.setInsertionPointToStart(&kernel_->op.getBody().front());
    Value v = make();
    kernel_->last_import = v.getDefiningOp();
    return v;
  };

  Value v;
  if (auto argument = dyn_cast<BlockArgument>(host)) {
    v = import_argument(host, host.getType(), program_.getArgumentName(argument.getArgNumber()),
                        program_.getArgumentRole(argument.getArgNumber()), host.getLoc());
  } else if (auto space = host.getDefiningOp<tile::WorkspaceOp>()) {
    v = import_argument(host, host.getType(), space.getName(), "workspace", host.getLoc());
  } else if (auto constant = host.getDefiningOp<arith::ConstantOp>()) {
    v = emit_at_start([&] {
      auto value = cast<IntegerAttr>(constant.getValue());
      Type type = value.getType().isInteger(1) ? value.getType() : Type(b.getI32Type());
      return arith::ConstantOp::create(b, host.getLoc(), b.getIntegerAttr(type, value.getInt())).getResult();
    });
  } else if (auto size = host.getDefiningOp<tile::SizeOp>()) {
    // The same extent, asked for inside: analyses can tell what it bounds.
    Value view = import(size.getView(), l);
    v = emit_at_start([&] { return tile::SizeOp::create(b, host.getLoc(), b.getI32Type(), view, size.getDim()).getResult(); });
  } else if (host.getType().isInteger(1)) {
    Value one = arith::ConstantOp::create(host_, host.getLoc(), host_.getI64IntegerAttr(1));
    Value zero = arith::ConstantOp::create(host_, host.getLoc(), host_.getI64IntegerAttr(0));
    Value flag = import(arith::SelectOp::create(host_, host.getLoc(), host, one, zero), l);
    v = emit_at_start([&] {
      Value none = arith::ConstantOp::create(b, host.getLoc(), b.getI32IntegerAttr(0));
      return arith::CmpIOp::create(b, host.getLoc(), arith::CmpIPredicate::ne, flag, none).getResult();
    });
  } else {
    v = import_argument(host, b.getI32Type(), /*name=*/"", "scalar", host.getLoc());
  }
  kernel_->imports[host] = v;
  return v;
}

//===-- types and constants -------------------------------------------------------------------------------------===//

Type Tracer::type(Element element) {
  Builder b(context());
  switch (element) {
  case Element::f16: return b.getF16Type();
  case Element::bf16: return b.getBF16Type();
  case Element::f32: return b.getF32Type();
  case Element::i32: return in_kernel() ? b.getI32Type() : b.getI64Type();
  case Element::i1: return b.getI1Type();
  }
  llvm_unreachable("all elements covered");
}

Type Tracer::type(Element element, ArrayRef<int64_t> shape) {
  return shape.empty() ? type(element) : Type(RankedTensorType::get(shape, type(element)));
}

TypedAttr Tracer::number(const Literal &literal, Type type, const Location &l) {
  Builder b(context());
  if (auto integer = dyn_cast<IntegerType>(type)) {
    int64_t n = literal.integer;
    bool fits = integer.getWidth() == 1 ? n == 0 || n == 1 : llvm::isIntN(integer.getWidth(), n) || integer.getWidth() == 64;
    if (!fits) {
      error(l) << n << " does not fit " << type;
      return {};
    }
    return b.getIntegerAttr(type, n);
  }
  llvm::APFloat value(literal.real);
  bool inexact;
  value.convert(cast<FloatType>(type).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  if (value.isInfinity() && std::isfinite(literal.real)) {
    error(l) << literal.real << " does not fit " << type;
    return {};
  }
  return b.getFloatAttr(type, value);
}

Value Tracer::constant(const Literal &literal, Type type, const Location &l) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  TypedAttr value = number(literal, tensor ? tensor.getElementType() : type, l);
  if (!value)
    return {};
  if (tensor)
    value = DenseElementsAttr::get(tensor, Attribute(value));
  return arith::ConstantOp::create(builder(), at(l), value);
}

ArrayRef<int64_t> shape_of(Value v) {
  auto tensor = dyn_cast<RankedTensorType>(v.getType());
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

} // namespace tilefold::detail
