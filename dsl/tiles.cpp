// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/tracer.h"
#include "lib/Dialect/Tile/VerifyTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

/// Operations on whole tiles and on views. Misuse is reported in the language's own words, before the verifier could.
namespace tilefold::detail {

using namespace mlir;

static RankedTensorType tensor_type(Value v) { return cast<RankedTensorType>(v.getType()); }

static RankedTensorType with_shape(Value v, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, tensor_type(v).getElementType());
}

/// Extents must be positive and make no more elements than the registers of a block could ever hold; reports the first that is wrong.
static bool check_extents(Tracer &t, const Extents &extents, const Location &l) {
  constexpr int64_t most = tile::kMostTileElements;
  int64_t elements = 1;
  for (int64_t e : extents) {
    if (e < 1 || e > most) {
      t.error(l) << "expected tile extents from 1 to " << most << ", got " << e;
      return false;
    }
    elements *= e;
    if (elements > most) {
      auto error = t.error(l);
      error << "expected a tile of at most " << most << " elements, got extents ";
      llvm::interleave(extents, error, "x");
      return false;
    }
  }
  return true;
}

//===-- tiles ---------------------------------------------------------------------------------------------------===//

Handle reduce(Reduction kind, const Handle &x, int dim, Location l) {
  Tracer *t = Tracer::active();
  Value v = t ? t->use(x, l) : Value();
  if (!v)
    return t ? t->poison() : Handle();
  SmallVector<int64_t> shape(shape_of(v));
  shape.erase(shape.begin() + dim);
  Type element = tensor_type(v).getElementType();
  Type result = shape.empty() ? element : Type(RankedTensorType::get(shape, element));
  auto how = kind == Reduction::max ? tile::ReduceKind::Max : tile::ReduceKind::Sum;
  return t->give(tile::ReduceOp::create(t->builder(), t->at(l), result, how, v, dim));
}

Handle any(const Handle &x, Location l) {
  Tracer *t = Tracer::active();
  Value v = t ? t->use(x, l) : Value();
  if (!v)
    return t ? t->poison() : Handle();
  if (shape_of(v).empty())
    return t->give(v);
  return t->give(tile::AnyOp::create(t->builder(), t->at(l), t->builder().getI1Type(), v));
}

Handle expand(const Handle &x, int dim, Location l) {
  Tracer *t = Tracer::active();
  Value v = t ? t->use(x, l) : Value();
  if (!v)
    return t ? t->poison() : Handle();
  SmallVector<int64_t> shape(shape_of(v));
  shape.insert(shape.begin() + dim, 1);
  return t->give(tile::ExpandOp::create(t->builder(), t->at(l), with_shape(v, shape), v, dim));
}

Handle transpose(const Handle &x, Location l) {
  Tracer *t = Tracer::active();
  Value v = t ? t->use(x, l) : Value();
  if (!v)
    return t ? t->poison() : Handle();
  ArrayRef<int64_t> shape = shape_of(v);
  return t->give(tile::TransposeOp::create(t->builder(), t->at(l), with_shape(v, {shape[1], shape[0]}), v));
}

/// The shapes of acc + a b chain; reports where they do not.
static bool check_product(Tracer &t, StringRef what, Value a, Value b, Value acc, const Location &l) {
  ArrayRef<int64_t> x = shape_of(a), y = shape_of(b);
  if (x[1] != y[0]) {
    auto diag = t.error(l) << "'" << what << "' contracts " << x[1] << " columns of the left tile with " << y[0]
                           << " rows of the right tile";
    diag.attachNote(a.getLoc()) << "the left tile is " << a.getType();
    diag.attachNote(b.getLoc()) << "the right tile is " << b.getType() << (x[1] == y[1] ? "; did you mean trans()?" : "");
    return false;
  }
  if (acc && shape_of(acc) != ArrayRef<int64_t>({x[0], y[1]})) {
    auto diag = t.error(l) << "'" << what << "' expects an accumulator of " << x[0] << "x" << y[1] << ", got " << acc.getType();
    diag.attachNote(acc.getLoc()) << "the accumulator comes from here";
    return false;
  }
  return true;
}

Handle dot(const Handle &a, const Handle &b, const Handle *acc, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  Value x = t->use(a, l), y = t->use(b, l), c = acc ? t->use(*acc, l) : Value();
  if (!x || !y || (acc && !c) || !check_product(*t, "dot", x, y, c, l))
    return t->poison();
  if (!acc)
    c = t->constant(0.0, RankedTensorType::get({shape_of(x)[0], shape_of(y)[1]}, t->builder().getF32Type()), l);
  return t->give(tile::DotOp::create(t->builder(), t->at(l), c.getType(), x, y, c));
}

Handle weigh(const Handle &weights, const Handle &visible, const Handle &values, const Handle &acc, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  Value p = t->use(weights, l), seen = t->use(visible, l), v = t->use(values, l), c = t->use(acc, l);
  if (!p || !seen || !v || !c || !check_product(*t, "weigh", p, v, c, l))
    return t->poison();
  ArrayRef<int64_t> want = shape_of(p), have = shape_of(seen);
  for (int d = 0; d < 2; ++d)
    if (have[d] != want[d] && have[d] != 1) {
      t->error(l) << "'weigh' expects visibility in the shape of the weights, " << p.getType() << ", got " << seen.getType();
      return t->poison();
    }
  if (have != want)
    seen = tile::BroadcastOp::create(t->builder(), t->at(l), with_shape(seen, want), seen);
  return t->give(tile::WeighOp::create(t->builder(), t->at(l), c.getType(), p, seen, v, c));
}

Handle iota(int64_t extent, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  if (!t->need_kernel("arange", l) || !check_extents(*t, {extent}, l))
    return t->poison();
  return t->give(tile::IotaOp::create(t->builder(), t->at(l), RankedTensorType::get({extent}, t->builder().getI32Type())));
}

Handle full(const Input &x, const Extents &extents, Element element, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  if (!t->need_kernel("a tile", l) || !check_extents(*t, extents, l))
    return t->poison();
  Type type = t->type(element, extents);
  if (x.is_literal)
    return t->give(t->constant(x.literal, type, l));
  Value v = t->use(x.handle, x.loc);
  return t->give(v ? tile::SplatOp::create(t->builder(), t->at(l), type, v).getResult() : Value());
}

int64_t extent(const Handle &x, int dim, Location l) {
  Tracer *t = Tracer::active();
  Value v = t ? t->use(x, l) : Value();
  if (!v)
    return 1;
  ArrayRef<int64_t> shape = shape_of(v);
  if (dim >= 0 && dim < int(shape.size()))
    return shape[dim];
  t->error(l) << "expected a dimension in [0, " << shape.size() << "), got " << dim;
  return 1;
}

//===-- views ---------------------------------------------------------------------------------------------------===//

static bool check_dim(Tracer &t, StringRef what, Value view, int dim, const Location &l) {
  int64_t rank = cast<tile::ViewType>(view.getType()).getRank();
  if (dim >= 0 && dim < rank)
    return true;
  t.error(l) << "'" << what << "' expects a dimension in [0, " << rank << "), got " << dim;
  return false;
}

Handle size(const Handle &view, int dim, Location l) {
  Tracer *t = Tracer::active();
  Value v = t ? t->use(view, l) : Value();
  if (!v || !check_dim(*t, "size", v, dim, l))
    return t ? t->poison() : Handle();
  if (auto space = v.getDefiningOp<tile::WorkspaceOp>()) // on the host: what it was declared with
    return t->give(space.getExtents()[dim]);
  return t->give(tile::SizeOp::create(t->builder(), t->at(l), t->type(Element::i32), v, dim));
}

Handle slice(const Handle &view, const Inputs &indices, const std::vector<int64_t> &dims, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  if (!t->need_kernel("at()", l))
    return t->poison();
  Value v = t->use(view, l);
  SmallVector<Value> values;
  for (const Input &i : indices)
    values.push_back(t->use(i, Element::i32));
  if (!v || llvm::is_contained(values, Value()))
    return t->poison();
  auto type = cast<tile::ViewType>(v.getType());
  auto result = tile::ViewType::get(t->context(), type.getRank() - int64_t(dims.size()), type.getElementType());
  return t->give(tile::SliceOp::create(t->builder(), t->at(l), result, v, values, dims));
}

Handle narrow(const Handle &view, int dim, const Input &offset, const Input &size, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  if (!t->need_kernel("narrow()", l))
    return t->poison();
  Value v = t->use(view, l), o = t->use(offset, Element::i32), n = t->use(size, Element::i32);
  if (!v || !o || !n || !check_dim(*t, "narrow", v, dim, l))
    return t->poison();
  return t->give(tile::NarrowOp::create(t->builder(), t->at(l), v.getType(), v, dim, o, n));
}

/// The kernel argument that a view is a part of.
static BlockArgument root_of(Value view) {
  while (Operation *op = view.getDefiningOp())
    view = isa<tile::SliceOp>(op) ? cast<tile::SliceOp>(op).getView() : cast<tile::NarrowOp>(op).getView();
  return cast<BlockArgument>(view);
}

/// The offsets of an access; empty if one is poisoned.
static std::optional<SmallVector<Value>> use_offsets(Tracer &t, const Inputs &offsets) {
  SmallVector<Value> values;
  for (const Input &x : offsets)
    values.push_back(t.use(x, Element::i32));
  if (llvm::is_contained(values, Value()))
    return std::nullopt;
  return values;
}

Handle load(const Handle &view, const Inputs &offsets, const Extents &extents, const Literal *pad, Location l) {
  Tracer *t = Tracer::active();
  if (!t)
    return {};
  if (!t->need_kernel("load", l))
    return t->poison();
  Value v = t->use(view, l);
  auto where = use_offsets(*t, offsets);
  if (!check_extents(*t, extents, l) || !v || !where)
    return t->poison();
  Type element = cast<tile::ViewType>(v.getType()).getElementType();
  TypedAttr padding;
  if (pad && !(padding = t->number(*pad, element, l)))
    return t->poison();
  return t->give(tile::LoadOp::create(t->builder(), t->at(l), RankedTensorType::get(extents, element), v, *where, padding));
}

void store(const Handle &view, const Inputs &offsets, const Handle &tile, Location l) {
  Tracer *t = Tracer::active();
  if (!t || !t->need_kernel("store", l))
    return;
  Value v = t->use(view, l), x = t->use(tile, l);
  auto where = use_offsets(*t, offsets);
  if (v) {
    BlockArgument root = root_of(v);
    StringRef role = t->kernel().op.getArgumentRole(root.getArgNumber());
    if (role == "input") {
      auto diag = t->error(l) << "stores to '" << t->kernel().op.getArgumentName(root.getArgNumber())
                              << "', which is an input: declare it by p.output or p.inout";
      diag.attachNote(root.getLoc()) << "declared here";
      return;
    }
  }
  if (v && x && where)
    tile::StoreOp::create(t->builder(), t->at(l), x, v, *where);
}

} // namespace tilefold::detail
