// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "codegen/Conversion/BaseToLLVM/Passes.h"

using namespace mlir;
using namespace tilefold::sim;

MachineCalls::MachineCalls(LLVM::LLVMFuncOp kernel)
    : ImplicitLocOpBuilder(kernel.getLoc(), kernel.getContext()), kernel(kernel), module(kernel->getParentOp()) {
  for (auto function : module->getRegion(0).getOps<LLVM::LLVMFuncOp>())
    declared.insert(function.getSymName());
}

void MachineCalls::begin(Operation *op) {
  current = op;
  placed = nullptr;
  setLoc(op->getLoc());
  setInsertionPoint(op);
}

uint32_t MachineCalls::site() {
  if (placed != current) {
    placed = current;
    FileLineColLoc at = tilefold::innermostPosition(current->getLoc());
    places.push_back(getArrayAttr({current->getName().getIdentifier(), at ? at.getFilename() : getStringAttr(""),
                                   getI64IntegerAttr(at ? at.getLine() : 0), getI64IntegerAttr(at ? at.getColumn() : 0)}));
  }
  return places.size() - 1;
}

void MachineCalls::finish() {
  kernel->setAttr(kPlacesAttr, getArrayAttr(places));
  SmallVector<int64_t> bytes;
  for (auto [global, size] : statics)
    bytes.push_back(size);
  kernel->setAttr(kStaticSharedAttr, getDenseI64ArrayAttr(bytes));
  if (scratch)
    scratch.getArraySize().getDefiningOp<LLVM::ConstantOp>().setValueAttr(getI64IntegerAttr(scratchWords));
}

Value MachineCalls::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(*this, type,
                                  getIntegerAttr(type, APInt(64, uint64_t(value)).trunc(type.getIntOrFloatBitWidth())));
}

Value MachineCalls::address(Value pointer) { return LLVM::PtrToIntOp::create(*this, getI64Type(), pointer); }

Value MachineCalls::shared(Value pointer) { return LLVM::TruncOp::create(*this, getI32Type(), address(pointer)); }

Value MachineCalls::bits(Value value, Type type) {
  return value.getType() == type ? value : Value(LLVM::BitcastOp::create(*this, type, value));
}

Value MachineCalls::widen(Value value) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return address(value);
  Type integer = getIntegerType(value.getType().getIntOrFloatBitWidth());
  value = bits(value, integer);
  return integer.isInteger(64) ? value : Value(LLVM::ZExtOp::create(*this, getI64Type(), value));
}

Value MachineCalls::narrow(Value value, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(*this, type, value);
  Type integer = getIntegerType(type.getIntOrFloatBitWidth());
  if (!integer.isInteger(64))
    value = LLVM::TruncOp::create(*this, integer, value);
  return bits(value, type);
}

Value MachineCalls::isNonzero(Value word) {
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::ne, word, constant(word.getType(), 0));
}

FlatSymbolRefAttr MachineCalls::declare(MachineFunction function) {
  if (declared.insert(function.name).second) {
    OpBuilder builder = OpBuilder::atBlockEnd(&module->getRegion(0).front());
    LLVM::LLVMFuncOp::create(builder, module->getLoc(), function.name, function.type(getContext()));
  }
  return FlatSymbolRefAttr::get(getContext(), function.name);
}

Value MachineCalls::call(MachineFunction function, ValueRange operands) {
  SmallVector<Value> all(operands);
  all.push_back(word(site()));
  auto type = cast<LLVM::LLVMFunctionType>(function.type(getContext()));
  FlatSymbolRefAttr callee = declare(function);
  if (isa<LLVM::LLVMVoidType>(type.getReturnType())) {
    LLVM::CallOp::create(*this, TypeRange(), callee, all);
    return {};
  }
  return LLVM::CallOp::create(*this, type.getReturnType(), callee, all).getResult();
}

Value MachineCalls::slot(unsigned firstWord, unsigned words) {
  auto pointer = LLVM::LLVMPointerType::get(getContext());
  if (!scratch) {
    InsertionGuard guard(*this);
    setInsertionPointToStart(&kernel.getBody().front());
    Value size = LLVM::ConstantOp::create(*this, getI64Type(), getI64IntegerAttr(0)); // `finish` knows it
    scratch = LLVM::AllocaOp::create(*this, pointer, getI32Type(), size, /*alignment=*/16);
  }
  scratchWords = std::max(scratchWords, firstWord + words);
  return LLVM::GEPOp::create(*this, pointer, getI32Type(), scratch, ArrayRef<LLVM::GEPArg>{int32_t(firstWord)});
}

void MachineCalls::store(ValueRange values, Value slot) {
  for (auto [index, value] : llvm::enumerate(values)) {
    Value at = LLVM::GEPOp::create(*this, slot.getType(), getI32Type(), slot, ArrayRef<LLVM::GEPArg>{int32_t(index)});
    LLVM::StoreOp::create(*this, value, at);
  }
}

SmallVector<Value> MachineCalls::load(Type type, unsigned count, Value slot) {
  SmallVector<Value> values;
  for (unsigned index = 0; index < count; ++index) {
    Value at = LLVM::GEPOp::create(*this, slot.getType(), getI32Type(), slot, ArrayRef<LLVM::GEPArg>{int32_t(index)});
    values.push_back(LLVM::LoadOp::create(*this, type, at));
  }
  return values;
}

Value MachineCalls::pack(Type type, ValueRange values) {
  if (!isa<LLVM::LLVMStructType>(type))
    return values.front();
  Value result = LLVM::PoisonOp::create(*this, type);
  for (auto [index, value] : llvm::enumerate(values))
    result = LLVM::InsertValueOp::create(*this, result, value, index);
  return result;
}

SmallVector<Value> MachineCalls::unpack(Value structure) {
  auto type = dyn_cast<LLVM::LLVMStructType>(structure.getType());
  if (!type)
    return {structure};
  SmallVector<Value> values;
  for (int64_t index = 0; index < int64_t(type.getBody().size()); ++index)
    values.push_back(LLVM::ExtractValueOp::create(*this, structure, index));
  return values;
}

void MachineCalls::guarded(Value predicate, llvm::function_ref<void()> body) {
  InsertionGuard guard(*this);
  if (predicate)
    setInsertionPoint(scf::IfOp::create(*this, predicate, /*withElseRegion=*/false).thenYield());
  body();
}

unsigned MachineCalls::staticShared(LLVM::GlobalOp global) {
  uint64_t bytes = DataLayout::closest(global).getTypeSize(global.getType());
  statics.insert({global, int64_t(bytes)});
  return std::distance(statics.begin(), statics.find(global));
}

Outcome tilefold::sim::notModelled(Operation *op, const Twine &detail) {
  InFlightDiagnostic error = op->emitError() << "'" << op->getName() << "' is not modelled by the simulator";
  if (std::string text = detail.str(); !text.empty())
    error << ": " << text;
  return Outcome::Failed;
}

Outcome tilefold::sim::replace(Operation *op, ValueRange results) {
  op->replaceAllUsesWith(results);
  op->erase();
  return Outcome::Done;
}
