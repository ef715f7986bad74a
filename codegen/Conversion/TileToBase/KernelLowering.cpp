// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/KernelLowering.h"
#include "codegen/Conversion/TileToBase/Scratch.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "lib/Analysis/Views.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

KernelLowering::KernelLowering(KernelOp kernel, gpu::GPUModuleOp module)
    : kernel(kernel), module(module), builder(kernel.getContext()), prologue(kernel.getContext()),
      warps(kernel.getSchedule().value_or(ScheduleAttr::get(kernel.getContext(), 4, 1)).getWarps()),
      sharedPlan(kernel, getScratchBytes(kernel)) {}

//===-- types and small builders --------------------------------------------------------------------------------===//

Type KernelLowering::convert(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? Type(VectorType::get({Layout(tile).getRegisters()}, tile.getElementType())) : type;
}

Value KernelLowering::i32(int64_t value, Location loc) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
}
Value KernelLowering::add(Value a, Value b, Location loc) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
Value KernelLowering::mul(Value a, Value b, Location loc) { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
Value KernelLowering::extract(Value vector, int64_t index, Location loc) {
  return builder.createOrFold<vector::ExtractOp>(loc, vector, ArrayRef<int64_t>{index});
}
Value KernelLowering::fromElements(ValueRange elements, Location loc) {
  auto type = VectorType::get({int64_t(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(builder, loc, type, elements);
}
Value KernelLowering::shuffleVector(Value vector, ArrayRef<int64_t> indices, Location loc) {
  auto type = cast<VectorType>(vector.getType());
  bool isIdentity = int64_t(indices.size()) == type.getNumElements();
  for (auto [i, index] : llvm::enumerate(indices))
    isIdentity &= int64_t(i) == index;
  return isIdentity ? vector : Value(vector::ShuffleOp::create(builder, loc, vector, vector, indices));
}

/// The quotient of two numbers that all threads share comes out of units that work for each thread alone; ptxas then keeps it,
/// and every address made of it, in as many registers as there are threads. An `or` over the warp lands in a uniform register.
Value KernelLowering::uniform(Value value, Location loc) {
  return NVVM::ReduxOp::create(builder, loc, value.getType(), value, NVVM::ReduxKind::OR, i32(-1, loc));
}

/// The contribution to coordinate `dim` of an index that counts through `digits`.
Value KernelLowering::weighDigits(OpBuilder &at, ArrayRef<Digit> digits, Value index, int64_t dim) {
  Location loc = kernel.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(at, loc, at.getI32IntegerAttr(value));
  };
  Value sum;
  int64_t faster = 1, all = 1;
  for (const Digit &d : digits)
    all *= d.radix;
  for (const Digit &d : digits) {
    if (d.dim == dim && d.stride) {
      Value digit = index;
      if (faster > 1)
        digit = arith::DivUIOp::create(at, loc, digit, constant(faster));
      if (faster * d.radix < all)
        digit = arith::RemUIOp::create(at, loc, digit, constant(d.radix));
      if (d.stride > 1)
        digit = arith::MulIOp::create(at, loc, digit, constant(d.stride));
      sum = sum ? Value(arith::AddIOp::create(at, loc, sum, digit)) : digit;
    }
    faster *= d.radix;
  }
  return sum;
}

void KernelLowering::byFirstHolder(ArrayRef<Digit> lanes, ArrayRef<Digit> warps, Location loc, function_ref<void()> store) {
  // The digits that replicate, as a number of their own: 0 for the first holder.
  auto copyOf = [&](ArrayRef<Digit> digits, Value index) {
    SmallVector<Digit> copies;
    int32_t weight = 1;
    for (const Digit &d : digits) {
      copies.push_back({d.radix, 0, d.stride ? 0 : weight});
      weight *= d.stride ? 1 : d.radix;
    }
    return weight > 1 ? weighDigits(builder, copies, index, 0) : Value();
  };
  Value lanesCopy = copyOf(lanes, lane), warpsCopy = copyOf(warps, warp);
  if (!lanesCopy && !warpsCopy)
    return store();
  Value copy = lanesCopy && warpsCopy ? Value(arith::OrIOp::create(builder, loc, lanesCopy, warpsCopy))
               : lanesCopy            ? lanesCopy
                                      : warpsCopy;
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, copy, i32(0, loc));
  auto branch = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  store();
}

const KernelLowering::Values &KernelLowering::threadCoordinates(const Layout &layout) {
  auto [entry, isNew] = coordinates.try_emplace(layout.getAttribute());
  if (isNew)
    for (int64_t dim = 0; dim < std::max<int64_t>(2, layout.getRank()); ++dim) {
      Value fromLane = weighDigits(prologue, layout.getAttribute().getLanes(), lane, dim);
      Value fromWarp = weighDigits(prologue, layout.getAttribute().getWarps(), warp, dim);
      Value sum = fromLane && fromWarp ? Value(arith::AddIOp::create(prologue, kernel.getLoc(), fromLane, fromWarp))
                  : fromLane           ? fromLane
                                       : fromWarp;
      entry->second.push_back(
          sum ? sum : Value(arith::ConstantOp::create(prologue, kernel.getLoc(), prologue.getI32IntegerAttr(0))));
    }
  return entry->second;
}

//===-- the function --------------------------------------------------------------------------------------------===//

void KernelLowering::createFunction() {
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  Type i32Type = builder.getI32Type(), i64Type = builder.getI64Type();
  SmallVector<Type> inputs(3, i32Type);
  for (Type type : kernel.getArgumentTypes()) {
    auto view = dyn_cast<ViewType>(type);
    if (!view) {
      inputs.push_back(type);
      continue;
    }
    inputs.push_back(LLVM::LLVMPointerType::get(context, /*addressSpace=*/1));
    inputs.append(view.getRank(), i32Type);
    inputs.append(view.getRank(), i64Type);
  }
  builder.setInsertionPointToEnd(module.getBody());
  function = gpu::GPUFuncOp::create(builder, loc, kernel.getName(), builder.getFunctionType(inputs, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function.setKnownBlockSize(ArrayRef<int32_t>{int32_t(warps * kLanes), 1, 1});
  // Otherwise ptxas may divide the registers among as many small blocks as could ever share a multiprocessor.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(1));

  Block &entry = function.getBody().front();
  unsigned next = 3;
  for (BlockArgument argument : kernel.getArguments()) {
    auto view = dyn_cast<ViewType>(argument.getType());
    if (!view) {
      values[argument] = entry.getArgument(next++);
      continue;
    }
    LoweredView lowered{entry.getArgument(next++), {}, {}, view.getElementType()};
    for (int64_t d = 0; d < view.getRank(); ++d)
      lowered.extents.push_back(entry.getArgument(next++));
    for (int64_t d = 0; d < view.getRank(); ++d)
      lowered.strides.push_back(entry.getArgument(next++));
    views[argument] = lowered;
  }
  builder.setInsertionPointToEnd(&entry);
  builder.setInsertionPoint(gpu::ReturnOp::create(builder, loc));
  // Where the guards promise neighbouring elements, addresses need no product for the last dimension.
  for (BlockArgument argument : kernel.getArguments())
    if (kernel.getArgAttr(argument.getArgNumber(), kAlignedAttr) && !views[argument].strides.empty())
      views[argument].strides.back() = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  sharedBase = ptx::DynamicSharedOp::create(builder, loc, LLVM::LLVMPointerType::get(context, 3));
  startPrologue(NVVM::ThreadIdXOp::create(builder, loc, i32Type), loc);
}

/// From here on, what depends on the thread alone is computed at this place.
void KernelLowering::startPrologue(Value threadIndex, Location loc) {
  coordinates.clear();
  thread = threadIndex;
  lane = arith::RemUIOp::create(builder, loc, thread, i32(kLanes, loc));
  warp = warps == 1 ? i32(0, loc) : Value(arith::DivUIOp::create(builder, loc, thread, i32(kLanes, loc)));
  // The prologue grows in front of this marker while the body grows behind it.
  prologue.setInsertionPoint(i32(0, loc).getDefiningOp());
}

/// As startPrologue, of the same thread, but so that nothing derived before lives until here: to an optimiser it is another.
void KernelLowering::deriveAnew(Location loc) { startPrologue(ptx::OpaqueOp::create(builder, loc, thread), loc); }

LogicalResult KernelLowering::run() {
  createFunction();
  if (failed(lowerBlock(kernel.getBody().front())))
    return failure();
  function->setAttr(ptx::kSharedBytesAttr, builder.getI64IntegerAttr(sharedPlan.getBytes()));
  return success();
}

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block) {
    if (failed(lower(&op)))
      return failure();
    bool isNest = isa<scf::ForOp>(op) && isa<KernelOp>(op.getParentOp()) &&
                  op.getRegion(0).walk([](scf::ForOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (isNest)
      isolateWhatFollows(op);
  }
  return success();
}

/// What is left to do behind a nest of loops has addresses of its own, made of the thread index and of positions; no part of them
/// that something before the nest needs as well is to live through it.
void KernelLowering::isolateWhatFollows(Operation &nest) {
  deriveAnew(nest.getLoc());
  llvm::SmallPtrSet<Value, 8> seen;
  auto isolate = [&](Value position) {
    Value value = values.lookup(position);
    if (value && position.getType().isInteger(32) && !value.getDefiningOp<arith::ConstantOp>() && seen.insert(position).second)
      values[position] = ptx::OpaqueOp::create(builder, nest.getLoc(), value);
  };
  for (Operation *op = nest.getNextNode(); op; op = op->getNextNode())
    llvm::for_each(op->getOperands(), isolate);
}

LogicalResult KernelLowering::lowerProgramId(ProgramIdOp op) {
  Location loc = op.getLoc();
  Block &entry = function.getBody().front();
  // The grid is one-dimensional; x runs fastest. Its extents are the first three arguments.
  unsigned dim = op.getDim();
  Value index = NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type());
  for (unsigned inner = 0; inner < dim; ++inner)
    index = arith::DivUIOp::create(builder, loc, index, entry.getArgument(inner));
  if (dim < 2)
    index = arith::RemUIOp::create(builder, loc, index, entry.getArgument(dim));
  if (op.getDescending()) {
    Value last = arith::SubIOp::create(builder, loc, entry.getArgument(dim), i32(1, loc));
    index = arith::SubIOp::create(builder, loc, last, index);
  }
  values[op.getResult()] = uniform(index, loc);
  return success();
}

LogicalResult KernelLowering::lowerFor(scf::ForOp op) {
  auto lookup = [&](Value v) { return values.lookup(v); };
  SmallVector<Value> inits(llvm::map_range(op.getInitArgs(), lookup));
  auto loop = scf::ForOp::create(builder, op.getLoc(), lookup(op.getLowerBound()), lookup(op.getUpperBound()),
                                 lookup(op.getStep()), inits);
  values[op.getInductionVar()] = loop.getInductionVar();
  for (auto [from, to] : llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    values[from] = to;
  OpBuilder::InsertionGuard guard(builder);
  if (op.getNumResults() == 0)
    loop.getBody()->getTerminator()->erase();
  builder.setInsertionPointToEnd(loop.getBody());
  // A loop that carries nothing keeps its state in memory, at addresses made of the thread index: one for each element that the
  // thread holds, too many to live across the loops inside.
  OwnCoordinates own(*this);
  if (op.getNumResults() == 0)
    deriveAnew(op.getLoc());
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  for (auto [from, to] : llvm::zip(op.getResults(), loop.getResults()))
    values[from] = to;
  return success();
}

/// Branches of a kernel are the exceptions: blocks that need a mask, data that is not finite. What a branch derives from the
/// thread index is derived inside, so that the common path does not carry it in registers.
LogicalResult KernelLowering::lowerBranch(Block &from, Block &to) {
  OpBuilder::InsertionGuard guard(builder);
  OwnCoordinates own(*this);
  builder.setInsertionPointToEnd(&to);
  if (!from.without_terminator().empty())
    deriveAnew(from.front().getLoc());
  auto savedValues = values;
  auto savedViews = views;
  LogicalResult result = lowerBlock(from);
  values = std::move(savedValues);
  views = std::move(savedViews);
  return result;
}

LogicalResult KernelLowering::lowerIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(convert(type));
  auto branch = scf::IfOp::create(builder, op.getLoc(), types, values.lookup(op.getCondition()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/!op.getElseRegion().empty());
  if (failed(lowerBranch(*op.thenBlock(), *branch.thenBlock())))
    return failure();
  if (op.elseBlock() && failed(lowerBranch(*op.elseBlock(), *branch.elseBlock())))
    return failure();
  for (auto [from, to] : llvm::zip(op.getResults(), branch.getResults()))
    values[from] = to;
  return success();
}

LogicalResult KernelLowering::lower(Operation *op) {
  Location loc = op->getLoc();
  using Coordinates = Layout::Coordinates;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp o) { return lowerFor(o); })
      .Case([&](scf::IfOp o) { return lowerIf(o); })
      .Case([&](scf::YieldOp o) {
        SmallVector<Value> results(llvm::map_range(o.getOperands(), [&](Value v) { return values.lookup(v); }));
        scf::YieldOp::create(builder, loc, results);
        return success();
      })
      .Case([&](ReturnOp) { return success(); })
      .Case([&](ProgramIdOp o) { return lowerProgramId(o); })
      .Case([&](SizeOp o) {
        values[o.getResult()] = views.lookup(o.getView()).extents[o.getDim()];
        return success();
      })
      .Case([&](StrideOp o) {
        values[o.getResult()] = views.lookup(o.getView()).strides[o.getDim()];
        return success();
      })
      .Case([&](SliceOp o) { return lowerSlice(o), success(); })
      .Case([&](NarrowOp o) { return lowerNarrow(o), success(); })
      .Case([&](LoadOp o) { return lowerLoad(o); })
      .Case([&](StoreOp o) { return lowerStore(o); })
      .Case([&](CopyAsyncOp o) { return lowerCopyAsync(o); })
      .Case([&](CopyOp o) { return lowerCopy(o); })
      .Case([&](CommitCopiesOp) { return NVVM::CpAsyncCommitGroupOp::create(builder, loc), success(); })
      .Case([&](WaitCopiesOp o) { return NVVM::CpAsyncWaitGroupOp::create(builder, loc, o.getPending()), success(); })
      .Case([&](BarrierOp) { return NVVM::Barrier0Op::create(builder, loc), success(); })
      .Case([&](AllocOp o) { return lowerAlloc(o); })
      .Case([&](SlotOp o) { return lowerSlot(o), success(); })
      .Case([&](ReadOp o) { return lowerRead(o); })
      .Case([&](WriteOp o) { return lowerWrite(o); })
      .Case([&](DotOp o) { return lowerDot(o); })
      .Case([&](ReduceOp o) { return lowerReduce(o); })
      .Case([&](AnyOp o) { return lowerAny(o); })
      .Case([&](IotaOp o) { return lowerIota(o); })
      .Case([&](SplatOp o) { return lowerSplat(o); })
      .Case([&](ConvertLayoutOp o) { return lowerConvertLayout(o); })
      .Case([&](ExpandOp o) {
        int64_t dim = o.getDim();
        return lowerRearrangement(o, [dim](Coordinates c) { return c.erase(c.begin() + dim), c; });
      })
      .Case([&](BroadcastOp o) {
        auto shape = o.getSource().getType().getShape();
        return lowerRearrangement(o, [shape](Coordinates c) {
          for (auto [d, extent] : llvm::enumerate(shape))
            if (extent == 1)
              c[d] = 0;
          return c;
        });
      })
      .Case([&](TransposeOp o) -> LogicalResult {
        if (isa<BufferType>(o.getResult().getType())) // a view of the same storage; readers look at the type
          return values[o.getResult()] = values.lookup(o.getSource()), success();
        return lowerRearrangement(o, [](Coordinates c) { return std::swap(c[0], c[1]), c; });
      })
      .Case([&](arith::ConstantOp o) { return lowerConstant(o); })
      .Default([&](Operation *o) { return lowerElementwise(o); });
}
