// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores, atomics, fences and arrays in shared memory.
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold::sim;

static unsigned spaceOf(Value pointer) { return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace(); }

static bool isMachineSpace(unsigned space) {
  return space == unsigned(Space::Global) || space == unsigned(Space::Shared) || space == unsigned(Space::SharedCluster);
}

/// Memory that is the thread's own: an alloca, or a parameter (which the entry loads from the list of parameters).
static bool isThreadLocal(Value pointer) {
  while (auto step = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = step.getBase();
  if (pointer.getDefiningOp<LLVM::AllocaOp>())
    return true;
  auto load = pointer.getDefiningOp<LLVM::LoadOp>();
  auto slot = load ? load.getAddr().getDefiningOp<LLVM::GEPOp>() : LLVM::GEPOp();
  auto argument = slot ? dyn_cast<BlockArgument>(slot.getBase()) : BlockArgument();
  return argument && isa<LLVM::LLVMFuncOp>(argument.getOwner()->getParentOp());
}

/// Bytes that an access moves; none if its type has no such layout on both a GPU and a host.
static std::optional<uint64_t> accessBytes(Operation *op, Type type) {
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.getElementTypeBitWidth() % 8)
    return {};
  if (!isa<VectorType, IntegerType, FloatType, LLVM::LLVMPointerType>(type))
    return {};
  return DataLayout::closest(op).getTypeSize(type).getFixedValue();
}

static uint32_t alignmentOf(Operation *op, std::optional<uint64_t> stated, Type type) {
  return stated.value_or(DataLayout::closest(op).getTypeABIAlignment(type));
}

static Order orderOf(LLVM::AtomicOrdering ordering) {
  switch (ordering) {
  case LLVM::AtomicOrdering::acquire:
    return Order::Acquire;
  case LLVM::AtomicOrdering::release:
    return Order::Release;
  case LLVM::AtomicOrdering::acq_rel:
  case LLVM::AtomicOrdering::seq_cst:
    return Order::AcquireRelease;
  default:
    return Order::Relaxed;
  }
}

static std::optional<Scope> scopeOf(std::optional<StringRef> scope) {
  return llvm::StringSwitch<std::optional<Scope>>(scope.value_or(""))
      .Case("", Scope::System)
      .Case("block", Scope::Block)
      .Case("cluster", Scope::Cluster)
      .Case("device", Scope::Device)
      .Default(std::nullopt);
}

static Outcome genericPointer(Operation *op) {
  return notModelled(op, "through a generic pointer; use one to global (1) or shared (3) memory");
}

static Outcome wrongType(Operation *op, Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "of a " << type;
  return notModelled(op, text);
}

static Outcome retargetLoad(LLVM::LoadOp op, MachineCalls &calls) {
  Value pointer = op.getAddr();
  if (!isMachineSpace(spaceOf(pointer)))
    return isThreadLocal(pointer) ? Outcome::Done : genericPointer(op);
  Type type = op.getType();
  std::optional<uint64_t> bytes = accessBytes(op, type);
  if (!bytes)
    return wrongType(op, type);
  Value space = calls.word(spaceOf(pointer)), address = calls.address(pointer);
  if (op.getOrdering() != LLVM::AtomicOrdering::not_atomic) {
    std::optional<Scope> scope = scopeOf(op.getSyncscope());
    if (!scope)
      return notModelled(op, "in scope '" + *op.getSyncscope() + "'");
    Value word = calls.call(MACHINE(atomic_load),
                            {space, address, calls.word(*bytes), calls.word(orderOf(op.getOrdering())), calls.word(*scope)});
    return replace(op, calls.narrow(word, type));
  }
  Value checked =
      calls.call(MACHINE(read), {space, address, calls.word(*bytes), calls.word(alignmentOf(op, op.getAlignment(), type))});
  return replace(op, Value(LLVM::LoadOp::create(calls, type, checked, /*alignment=*/1)));
}

static Outcome retargetStore(LLVM::StoreOp op, MachineCalls &calls) {
  Value pointer = op.getAddr(), value = op.getValue();
  if (!isMachineSpace(spaceOf(pointer)))
    return isThreadLocal(pointer) ? Outcome::Done : genericPointer(op);
  std::optional<uint64_t> bytes = accessBytes(op, value.getType());
  if (!bytes)
    return wrongType(op, value.getType());
  Value space = calls.word(spaceOf(pointer)), address = calls.address(pointer);
  if (op.getOrdering() != LLVM::AtomicOrdering::not_atomic) {
    std::optional<Scope> scope = scopeOf(op.getSyncscope());
    if (!scope)
      return notModelled(op, "in scope '" + *op.getSyncscope() + "'");
    calls.call(MACHINE(atomic_store), {space, address, calls.widen(value), calls.word(*bytes),
                                       calls.word(orderOf(op.getOrdering())), calls.word(*scope)});
    return replace(op);
  }
  Value checked = calls.call(
      MACHINE(write), {space, address, calls.word(*bytes), calls.word(alignmentOf(op, op.getAlignment(), value.getType()))});
  LLVM::StoreOp::create(calls, value, checked, /*alignment=*/1);
  return replace(op);
}

static std::optional<Atomic> atomicOf(LLVM::AtomicBinOp kind) {
  switch (kind) {
  case LLVM::AtomicBinOp::add:
    return Atomic::Add;
  case LLVM::AtomicBinOp::fadd:
    return Atomic::FAdd;
  case LLVM::AtomicBinOp::_and:
    return Atomic::And;
  case LLVM::AtomicBinOp::_or:
    return Atomic::Or;
  case LLVM::AtomicBinOp::_xor:
    return Atomic::Xor;
  case LLVM::AtomicBinOp::xchg:
    return Atomic::Exchange;
  case LLVM::AtomicBinOp::min:
    return Atomic::Min;
  case LLVM::AtomicBinOp::max:
    return Atomic::Max;
  case LLVM::AtomicBinOp::umin:
    return Atomic::UMin;
  case LLVM::AtomicBinOp::umax:
    return Atomic::UMax;
  default:
    return {};
  }
}

static Outcome retargetAtomic(LLVM::AtomicRMWOp op, MachineCalls &calls) {
  Value pointer = op.getPtr();
  if (!isMachineSpace(spaceOf(pointer)))
    return genericPointer(op);
  Type type = op.getVal().getType();
  std::optional<Atomic> kind = atomicOf(op.getBinOp());
  if (!kind)
    return notModelled(op, "'" + LLVM::stringifyAtomicBinOp(op.getBinOp()) + "'");
  std::optional<uint64_t> bytes = accessBytes(op, type);
  if (!bytes || isa<VectorType>(type) || *bytes < 2 || (*kind == Atomic::FAdd && !type.isF32() && !type.isF64()))
    return wrongType(op, type);
  std::optional<Scope> scope = scopeOf(op.getSyncscope());
  if (!scope)
    return notModelled(op, "in scope '" + *op.getSyncscope() + "'");
  Value old = calls.call(MACHINE(atomic),
                         {calls.word(*kind), calls.word(spaceOf(pointer)), calls.address(pointer), calls.widen(op.getVal()),
                          calls.word(*bytes), calls.word(orderOf(op.getOrdering())), calls.word(*scope)});
  return replace(op, calls.narrow(old, type));
}

static Outcome retargetCompareExchange(LLVM::AtomicCmpXchgOp op, MachineCalls &calls) {
  Value pointer = op.getPtr();
  if (!isMachineSpace(spaceOf(pointer)))
    return genericPointer(op);
  Type type = op.getVal().getType();
  std::optional<uint64_t> bytes = accessBytes(op, type);
  if (!bytes || *bytes < 2)
    return wrongType(op, type);
  std::optional<Scope> scope = scopeOf(op.getSyncscope());
  if (!scope)
    return notModelled(op, "in scope '" + *op.getSyncscope() + "'");
  Value expected = calls.widen(op.getCmp());
  Value old = calls.call(MACHINE(compare_exchange),
                         {calls.word(spaceOf(pointer)), calls.address(pointer), expected, calls.widen(op.getVal()),
                          calls.word(*bytes), calls.word(orderOf(op.getSuccessOrdering())), calls.word(*scope)});
  Value equal = LLVM::ICmpOp::create(calls, LLVM::ICmpPredicate::eq, old, expected);
  return replace(op, calls.pack(op.getType(), {calls.narrow(old, type), equal}));
}

static Outcome retargetAddressOf(LLVM::AddressOfOp op, MachineCalls &calls) {
  auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(op, op.getGlobalNameAttr());
  if (!global || global.getAddrSpace() != unsigned(Space::Shared))
    return notModelled(op, "of '" + op.getGlobalName() + "', which is not in shared memory (3)");
  bool isDynamic = DataLayout::closest(global).getTypeSize(global.getType()) == 0;
  Value address = isDynamic ? calls.call(MACHINE(dynamic_shared), {})
                            : calls.call(MACHINE(static_shared), calls.word(calls.staticShared(global)));
  return replace(op, Value(LLVM::IntToPtrOp::create(calls, op.getType(), address)));
}

static Outcome retargetCast(LLVM::AddrSpaceCastOp op, MachineCalls &calls) {
  unsigned from = spaceOf(op.getArg()), to = spaceOf(op.getResult());
  bool shared = from == unsigned(Space::Shared) && to == unsigned(Space::SharedCluster); // the thread's own block
  if (!shared && from != to && from != unsigned(Space::Global) && to != unsigned(Space::Global))
    return notModelled(op, "between spaces " + Twine(from) + " and " + Twine(to));
  Value address = calls.address(op.getArg());
  return replace(op, Value(LLVM::IntToPtrOp::create(calls, op.getType(), address)));
}

static Outcome fence(Operation *op, MachineCalls &calls, Fence kind) {
  calls.call(MACHINE(fence), calls.word(kind));
  return replace(op);
}

static Outcome retargetFence(LLVM::FenceOp op, MachineCalls &calls) {
  std::optional<Scope> scope = scopeOf(op.getSyncscope());
  if (!scope)
    return notModelled(op, "in scope '" + *op.getSyncscope() + "'");
  // The machine has no fence of a cluster alone; one of the device orders what that does.
  return fence(op, calls, *scope == Scope::Block ? Fence::Block : Fence::Device);
}

static Outcome retargetProxyFence(NVVM::FenceProxyOp op, MachineCalls &calls) {
  switch (op.getKind()) {
  case NVVM::ProxyKind::async:
    return fence(op, calls, Fence::ProxyAsync);
  case NVVM::ProxyKind::async_global:
    return fence(op, calls, Fence::ProxyAsyncGlobal);
  case NVVM::ProxyKind::async_shared:
    return fence(op, calls, Fence::ProxyAsyncShared);
  default:
    return notModelled(op, "of kind '" + NVVM::stringifyProxyKind(op.getKind()) + "'");
  }
}

Outcome tilefold::sim::retargetMemory(Operation *op, MachineCalls &calls) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case([&](LLVM::LoadOp op) { return retargetLoad(op, calls); })
      .Case([&](LLVM::StoreOp op) { return retargetStore(op, calls); })
      .Case([&](LLVM::AllocaOp op) { // of a size that is known: a thread's stack is small, and its use is checked before the run
        return matchPattern(op.getArraySize(), m_Constant()) ? Outcome::Done : notModelled(op, "of a size that is no constant");
      })
      .Case([&](LLVM::AtomicRMWOp op) { return retargetAtomic(op, calls); })
      .Case([&](LLVM::AtomicCmpXchgOp op) { return retargetCompareExchange(op, calls); })
      .Case([&](LLVM::AddressOfOp op) { return retargetAddressOf(op, calls); })
      .Case([&](LLVM::AddrSpaceCastOp op) { return retargetCast(op, calls); })
      .Case([&](LLVM::FenceOp op) { return retargetFence(op, calls); })
      .Case([&](NVVM::MembarOp op) {
        return fence(op, calls, op.getScope() == NVVM::MemScopeKind::CTA ? Fence::Block : Fence::Device);
      })
      .Case([&](NVVM::FenceScClusterOp op) { return fence(op, calls, Fence::Device); })
      .Case([&](NVVM::FenceMbarrierInitOp op) { return fence(op, calls, Fence::MbarrierInit); })
      .Case([&](NVVM::FenceProxyOp op) { return retargetProxyFence(op, calls); })
      .Case([&](tilefold::ptx::DynamicSharedOp op) {
        Value address = calls.call(MACHINE(dynamic_shared), {});
        return replace(op, Value(LLVM::IntToPtrOp::create(calls, op.getType(), address)));
      })
      .Default([](Operation *) { return Outcome::NotMine; });
}
