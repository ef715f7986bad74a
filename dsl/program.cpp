// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tracer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

/// The host side of a trace: arguments, checks, workspaces and launches.
namespace tilefold::detail {

using namespace mlir;

//===-- declarations --------------------------------------------------------------------------------------------===//

bool Tracer::check_name(StringRef name, StringRef what, const Location &l) {
  auto word = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (!name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, word))
    return true;
  error(l) << "expected a name of letters, digits and '_' for " << what << ", got '" << name << "'";
  return false;
}

/// Who declares a scalar again means the same one, with the same default or without a word about it.
void Tracer::check_default(Value scalar, const Literal *fallback, const Location &l) {
  TypedAttr again = fallback ? number(*fallback, scalar.getType(), l) : TypedAttr();
  unsigned index = cast<BlockArgument>(scalar).getArgNumber();
  auto first = program_.getArgAttrOfType<TypedAttr>(index, tile::kDefaultAttr);
  if (!again || again == first)
    return;
  auto diag = error(l) << "'" << program_.getArgumentName(index) << "' is declared again with the default " << again << ", but ";
  first ? diag << "its default is " << first : diag << "it has none";
  diag.attachNote(scalar.getLoc()) << "first declared here";
}

Handle Tracer::argument(StringRef name, StringRef role, Type type, const Literal *fallback, const Location &l) {
  if (!check_name(name, "an argument", l))
    return poison();
  auto known = declarations_.find(name);
  if (known != declarations_.end()) {
    Value v = known->second.value;
    if (v.getType() == type && known->second.role == role) {
      check_default(v, fallback, l);
      return give(v);
    }
    auto diag = error(l) << "'" << name << "' is declared again as " << role << " " << type << ", but it is "
                         << known->second.role << " " << v.getType();
    diag.attachNote(v.getLoc()) << "first declared here";
    return poison();
  }
  Value v = program_.addArgument(type, name, role, at(l));
  declarations_[name] = {v, role.str()};
  if (fallback)
    if (TypedAttr value = number(*fallback, type, l))
      program_.setArgAttr(cast<BlockArgument>(v).getArgNumber(), tile::kDefaultAttr, value);
  return give(v);
}

Handle Tracer::workspace(StringRef name, Type type, const Inputs &extents, bool zero_once, const Location &l) {
  HostScope host(*this);
  if (!check_name(name, "a workspace", l))
    return poison();
  if (declarations_.count(name)) {
    auto diag = error(l) << "the name '" << name << "' is taken";
    diag.attachNote(declarations_[name].value.getLoc()) << "first declared here";
    return poison();
  }
  SmallVector<Value> shape;
  for (const Input &x : extents)
    shape.push_back(index(x));
  auto init = zero_once ? tile::WorkspaceInit::ZeroOnce : tile::WorkspaceInit::Any;
  Value v = tile::WorkspaceOp::create(host_, at(l), type, name, init, shape);
  declarations_[name] = {v, "workspace"};
  return give(v);
}

static Type view_type(Tracer &t, Element element, int rank) {
  Tracer::HostScope host(t);
  Type type = element == Element::i32 ? Type(IntegerType::get(t.context(), 32)) : t.type(element);
  return tile::ViewType::get(t.context(), rank, type);
}

Handle argument(std::string_view name, Role role, Element element, int rank, Location l) {
  Tracer *t = Tracer::active();
  StringRef word = role == Role::input ? "input" : role == Role::output ? "output" : "inout";
  return t ? t->argument(name, word, view_type(*t, element, rank), nullptr, l) : Handle();
}

Handle scalar_argument(std::string_view name, Element element, const Literal *fallback, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  Type type = element == Element::f32 ? Type(Float32Type::get(t->context())) : Type(IntegerType::get(t->context(), 32));
  return t->argument(name, "scalar", type, fallback, l);
}

Handle workspace(std::string_view name, Element element, const Inputs &extents, bool zero_once, Location l) {
  Tracer *t = Tracer::active();
  return t ? t->workspace(name, view_type(*t, element, int(extents.size())), extents, zero_once, l) : Handle();
}

void shape(const Handle &view, const Inputs &extents, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return;
  Tracer::HostScope host(*t);
  Value v = t->use(view, l);
  // A second declaration of the same argument states nothing new.
  if (!v || llvm::any_of(v.getUsers(), [](Operation *user) { return isa<tile::ShapeOp>(user); }))
    return;
  SmallVector<Value> values;
  for (const Input &x : extents)
    values.push_back(t->index(x));
  tile::ShapeOp::create(t->builder(), t->at(l), v, values);
}

void require(const Input &condition, std::string_view argument, std::string_view expected, const Inputs &values, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return;
  if (t->in_kernel()) {
    t->error(l) << "'require' checks arguments before a launch: state it before p.grid() and outside p.launch()";
    return;
  }
  Value c = t->use(condition, Element::i1);
  SmallVector<Value> shown;
  for (const Input &x : values)
    shown.push_back(t->index(x));
  if (c)
    tile::RequireOp::create(t->builder(), t->at(l), c, argument, expected, shown);
}

/// At the end of a trace: an argument may be declared after what is required of it.
void Tracer::check_requirements() {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i < program_.getNumArguments(); ++i)
    names.push_back(program_.getArgumentName(i));
  for (auto require : program_.getBody().getOps<tile::RequireOp>())
    if (!llvm::is_contained(names, require.getArgument())) {
      failed_ = true;
      emitError(require.getLoc()) << "'require' is about argument '" << require.getArgument() << "', expected one of: "
                                  << llvm::join(names, ", ");
    }
}

//===-- kernels -------------------------------------------------------------------------------------------------===//

std::vector<Handle> Tracer::begin_kernel(std::optional<StringRef> name, const Inputs &grid, const Location &l) {
  const bool single = !name;
  std::vector<Handle> poisoned(grid.size(), poison());
  auto refuse = [&] {
    skipped_ += !single;
    return poisoned;
  };
  if (kernel_) {
    auto diag = error(l) << (single_ ? "the program already has its only kernel: several are started by p.launch() each"
                                     : "a kernel cannot start another: call p.launch() after the first one's body");
    diag.attachNote(kernel_->loc) << "the kernel starts here";
    return refuse();
  }
  if (single && launched_) {
    error(l) << "p.grid() starts the only kernel of a program, but this one launches others: use p.launch()";
    return refuse();
  }
  if (!single && !check_name(*name, "a kernel", l))
    return refuse();
  std::string symbol = (program_.getSymName() + "_" + (single ? "kernel" : *name)).str();
  if (!kernel_names_.insert(symbol).second) {
    error(l) << "the program already has a kernel '" << name.value_or("kernel") << "'";
    return refuse();
  }

  std::array<Value, 3> extents;
  for (size_t d = 0; d < 3; ++d)
    extents[d] = d < grid.size() ? index(grid[d], 1) : constant(1, host_.getI64Type(), l);
  OpBuilder b(context());
  b.setInsertionPointToEnd(module_->getBody());
  auto op = tile::KernelOp::create(b, at(l), symbol, TypeRange());
  b.setInsertionPointToEnd(&op.getBody().front());
  kernel_.emplace(KernelScope{op, b, at(l), extents});
  single_ = single;

  std::vector<Handle> point;
  for (size_t d = 0; d < grid.size(); ++d)
    point.push_back(give(tile::ProgramIdOp::create(kernel_->builder, at(l), b.getI32Type(), d)));
  return point;
}

void Tracer::end_kernel() {
  if (skipped_)
    --skipped_;
  else if (kernel_)
    close_kernel();
}

/// Brings the kernel's arguments into the order in which the host declared them: the order of first use depends on how the
/// C++ compiler evaluates operands. Formulas have no names of their own and are numbered.
static void sort_arguments(tile::KernelOp kernel, SmallVectorImpl<Value> &operands) {
  SmallVector<size_t> order(operands.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t x, size_t y) {
    auto a = dyn_cast<BlockArgument>(operands[x]), b = dyn_cast<BlockArgument>(operands[y]);
    if (a && b)
      return a.getArgNumber() < b.getArgNumber();
    if (!a && !b)
      return operands[x].getDefiningOp()->isBeforeInBlock(operands[y].getDefiningOp());
    return bool(a);
  });
  SmallVector<Value> sorted;
  int formulas = 0;
  for (size_t i : order) {
    BlockArgument old = kernel.getArgument(i);
    std::string name = kernel.getArgumentName(i).str();
    if (name.empty())
      name = "formula" + std::to_string(formulas++);
    old.replaceAllUsesWith(kernel.addArgument(old.getType(), name, kernel.getArgumentRole(i), old.getLoc()));
    sorted.push_back(operands[i]);
  }
  llvm::BitVector gone(kernel.getNumArguments());
  gone.set(0, operands.size());
  (void)kernel.eraseArguments(gone);
  operands = sorted;
}

void Tracer::close_kernel() {
  sort_arguments(kernel_->op, kernel_->operands);
  tile::ReturnOp::create(kernel_->builder, kernel_->loc);
  auto [x, y, z] = kernel_->grid;
  tile::LaunchOp::create(host_, kernel_->loc, kernel_->op.getSymName(), x, y, z, kernel_->operands);
  kernel_.reset();
  launched_ = true;
}

std::vector<Handle> begin_kernel(std::optional<std::string_view> name, const Inputs &grid, Location l) {
  Tracer *t = Tracer::active();
  return t ? t->begin_kernel(name, grid, l) : std::vector<Handle>(grid.size());
}

void end_kernel() {
  if (Tracer *t = Tracer::active())
    t->end_kernel();
}

void refuse(std::string_view message, Location l) {
  if (Tracer *t = Tracer::active())
    t->refuse(message, l);
}

} // namespace tilefold::detail
