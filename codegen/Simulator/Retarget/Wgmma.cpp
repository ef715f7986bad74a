// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of a warpgroup. What their accumulators hold until a wait are tokens (Abi.h).
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::sim;

static unsigned wordsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return (vector ? vector.getNumElements() * vector.getElementTypeBitWidth() : type.getIntOrFloatBitWidth()) / 32;
}

static void put(Value value, Value slot, MachineCalls &calls) { LLVM::StoreOp::create(calls, value, slot, /*alignment=*/4); }
static Value get(Type type, Value slot, MachineCalls &calls) {
  return LLVM::LoadOp::create(calls, type, slot, /*alignment=*/4);
}

static Outcome retargetProduct(ptx::WgmmaOp op, MachineCalls &calls) {
  VectorType type = op.getResult().getType();
  unsigned words = wordsOf(type);
  Value accumulators = calls.slot(0, words);
  Value start = op.getAccumulator();
  put(start ? start : Value(LLVM::ZeroOp::create(calls, type)), accumulators, calls);
  Value scaleD =
      op.getScaleD() ? Value(LLVM::ZExtOp::create(calls, calls.getI32Type(), op.getScaleD())) : calls.word(start ? 1 : 0);
  Value n = calls.word(op.getN()), elements = calls.word(op.getElement().isF16() ? Number::F16 : Number::BF16);
  Value scaleA = calls.word(op.getNegateA() ? -1 : 1), scaleB = calls.word(op.getNegateB() ? -1 : 1);
  Value transposedB = calls.word(op.getTransposeB());
  if (op.isFromRegisters()) {
    Value fragment = calls.slot(words, wordsOf(op.getA().getType()));
    put(op.getA(), fragment, calls);
    calls.call(MACHINE(wgmma_rs), {n, elements, fragment, op.getB(), accumulators, scaleD, scaleA, scaleB, transposedB});
  } else {
    calls.call(MACHINE(wgmma_ss), {n, elements, op.getA(), op.getB(), accumulators, scaleD, scaleA, scaleB,
                                   calls.word(op.getTransposeA()), transposedB});
  }
  return replace(op, get(type, accumulators, calls));
}

static int32_t signOf(NVVM::WGMMAScaleIn scale) { return scale == NVVM::WGMMAScaleIn::neg ? -1 : 1; }

/// NVVM's own, whose operands lie in shared memory and whose accumulators are a struct.
static Outcome retargetProduct(NVVM::WgmmaMmaAsyncOp op, MachineCalls &calls) {
  NVVM::MMAShapeAttr shape = op.getShape();
  NVVM::WGMMATypes type = op.getTypeA();
  bool half = type == NVVM::WGMMATypes::f16 || type == NVVM::WGMMATypes::bf16;
  if (shape.getM() != 64 || shape.getK() != 16 || !half || type != op.getTypeB() || op.getTypeD() != NVVM::WGMMATypes::f32)
    return notModelled(op, "m" + Twine(shape.getM()) + "n" + Twine(shape.getN()) + "k" + Twine(shape.getK()) +
                               " of these types, expected m64nNk16, f16 or bf16 with f32 accumulators");
  SmallVector<Value> values = calls.unpack(op.getInouts());
  Value accumulators = calls.slot(0, values.size());
  calls.store(values, accumulators);
  calls.call(MACHINE(wgmma_ss),
             {calls.word(shape.getN()), calls.word(type == NVVM::WGMMATypes::f16 ? Number::F16 : Number::BF16),
              op.getDescriptorA(), op.getDescriptorB(), accumulators, calls.word(op.getScaleD() == NVVM::WGMMAScaleOut::one),
              calls.word(signOf(op.getScaleA())), calls.word(signOf(op.getScaleB())),
              calls.word(op.getLayoutA() == NVVM::MMALayout::col), calls.word(op.getLayoutB() == NVVM::MMALayout::row)});
  return replace(op, calls.pack(op.getType(), calls.load(calls.getF32Type(), values.size(), accumulators)));
}

static Outcome retargetWait(ptx::WgmmaWaitOp op, MachineCalls &calls) {
  calls.call(MACHINE(wgmma_wait), calls.word(op.getPending()));
  SmallVector<Value> results;
  for (Value accumulator : op.getAccumulators()) {
    unsigned words = wordsOf(accumulator.getType());
    Value slot = calls.slot(0, words);
    put(accumulator, slot, calls);
    calls.call(MACHINE(wgmma_result), {slot, calls.word(words)});
    results.push_back(get(accumulator.getType(), slot, calls));
  }
  return replace(op, results);
}

void tilefold::sim::checkUse(Value value, MachineCalls &calls) {
  if (isa<LLVM::LLVMStructType>(value.getType())) {
    for (Value part : calls.unpack(value))
      checkUse(part, calls);
    return;
  }
  unsigned words = wordsOf(value.getType());
  if (words == 0)
    return; // half of an accumulator is not its token
  Value slot = calls.slot(0, words);
  put(value, slot, calls);
  calls.call(MACHINE(wgmma_use), {slot, calls.word(words)});
}

Outcome tilefold::sim::retargetWgmma(Operation *op, MachineCalls &calls) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case<ptx::WgmmaOp, NVVM::WgmmaMmaAsyncOp>([&](auto op) { return retargetProduct(op, calls); })
      .Case<ptx::WgmmaFenceOp>([&](ptx::WgmmaFenceOp op) {
        calls.call(MACHINE(wgmma_fence), {});
        return replace(op, op.getValues());
      })
      .Case<NVVM::WgmmaFenceAlignedOp>([&](Operation *op) {
        calls.call(MACHINE(wgmma_fence), {});
        return replace(op);
      })
      .Case<NVVM::WgmmaGroupSyncAlignedOp>([&](Operation *op) {
        calls.call(MACHINE(wgmma_commit), {});
        return replace(op);
      })
      .Case<NVVM::WgmmaWaitGroupSyncOp>([&](NVVM::WgmmaWaitGroupSyncOp op) {
        calls.call(MACHINE(wgmma_wait), calls.word(op.getGroup()));
        return replace(op);
      })
      .Case<ptx::WgmmaWaitOp>([&](ptx::WgmmaWaitOp op) { return retargetWait(op, calls); })
      .Default([](Operation *) { return Outcome::NotMine; });
}
