// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a warp do together: shuffles, votes, matrices.
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold::sim;

static constexpr uint32_t kAllLanes = ~uint32_t(0);

static Outcome retargetShuffle(NVVM::ShflOp op, MachineCalls &calls) {
  static constexpr Shuffle kinds[] = {Shuffle::Bfly, Shuffle::Up, Shuffle::Down, Shuffle::Idx}; // as NVVM counts them
  Type type = op.getVal().getType();
  Value inRange = calls.slot(0, 1);
  Value result = calls.call(MACHINE(shuffle),
                            {calls.word(kinds[uint32_t(op.getKind())]), op.getThreadMask(),
                             calls.bits(op.getVal(), calls.getI32Type()), op.getOffset(), op.getMaskAndClamp(), inRange});
  result = calls.bits(result, type);
  if (!op.getReturnValueAndIsValid())
    return replace(op, result);
  return replace(op, calls.pack(op.getType(), {result, calls.isNonzero(calls.load(calls.getI32Type(), 1, inRange)[0])}));
}

static Outcome retargetVote(NVVM::VoteSyncOp op, MachineCalls &calls) {
  static constexpr Vote kinds[] = {Vote::Any, Vote::All, Vote::Ballot, Vote::Uni};
  Value predicate = LLVM::ZExtOp::create(calls, calls.getI32Type(), op.getPred());
  Value result = calls.call(MACHINE(vote), {calls.word(kinds[uint32_t(op.getKind())]), op.getMask(), predicate});
  return replace(op, op.getType().isInteger(1) ? calls.isNonzero(result) : result);
}

static std::optional<Reduction> reductionOf(NVVM::ReduxKind kind) {
  switch (kind) {
  case NVVM::ReduxKind::ADD:
    return Reduction::Add;
  case NVVM::ReduxKind::AND:
    return Reduction::And;
  case NVVM::ReduxKind::MAX:
    return Reduction::Max;
  case NVVM::ReduxKind::MIN:
    return Reduction::Min;
  case NVVM::ReduxKind::OR:
    return Reduction::Or;
  case NVVM::ReduxKind::UMAX:
    return Reduction::UMax;
  case NVVM::ReduxKind::UMIN:
    return Reduction::UMin;
  case NVVM::ReduxKind::XOR:
    return Reduction::Xor;
  default: // of f32: not on the targets that there are
    return {};
  }
}

static Outcome retargetRedux(NVVM::ReduxOp op, MachineCalls &calls) {
  std::optional<Reduction> kind = reductionOf(op.getKind());
  if (!kind)
    return notModelled(op, "'" + NVVM::stringifyReduxKind(op.getKind()) + "'");
  return replace(op, calls.call(MACHINE(redux), {calls.word(*kind), op.getMaskAndClamp(), op.getVal()}));
}

/// Empty if the matrices are 8 x 8 of 16-bit elements.
template <class Op> static std::string otherMatrices(Op op) {
  NVVM::LdStMatrixShapeAttr shape = op.getShape();
  if (shape.getM() == 8 && shape.getN() == 8 && op.getEltType() == NVVM::LdStMatrixEltType::B16)
    return {};
  return ("of m" + Twine(shape.getM()) + "n" + Twine(shape.getN()) + " " + NVVM::stringifyLdStMatrixEltType(op.getEltType()))
      .str();
}

static Outcome retargetLdmatrix(NVVM::LdMatrixOp op, MachineCalls &calls) {
  if (std::string other = otherMatrices(op); !other.empty())
    return notModelled(op, other);
  uint32_t count = op.getNum();
  Value registers = calls.slot(0, count), transposed = calls.word(op.getLayout() == NVVM::MMALayout::col);
  calls.call(MACHINE(ldmatrix), {calls.shared(op.getPtr()), calls.word(count), transposed, registers});
  return replace(op, calls.pack(op.getType(), calls.load(calls.getI32Type(), count, registers)));
}

static Outcome retargetStmatrix(NVVM::StMatrixOp op, MachineCalls &calls) {
  if (std::string other = otherMatrices(op); !other.empty())
    return notModelled(op, other);
  uint32_t count = op.getSources().size();
  Value registers = calls.slot(0, count), transposed = calls.word(op.getLayout() == NVVM::MMALayout::col);
  calls.store(op.getSources(), registers);
  calls.call(MACHINE(stmatrix), {calls.shared(op.getPtr()), calls.word(count), transposed, registers});
  return replace(op);
}

static std::optional<Number> operandsOf(NVVM::MmaOp op) {
  std::optional<NVVM::MMATypes> a = op.getMultiplicandAPtxType(), b = op.getMultiplicandBPtxType();
  if (!a)
    a = NVVM::MmaOp::inferOperandMMAType(op.getOperandA().front().getType(), /*isAccumulator=*/false);
  if (!b)
    b = NVVM::MmaOp::inferOperandMMAType(op.getOperandB().front().getType(), /*isAccumulator=*/false);
  if (a != b)
    return {};
  return a == NVVM::MMATypes::f16    ? std::optional(Number::F16)
         : a == NVVM::MMATypes::bf16 ? std::optional(Number::BF16)
                                     : std::nullopt;
}

static Outcome retargetMma(NVVM::MmaOp op, MachineCalls &calls) {
  NVVM::MMAShapeAttr shape = op.getShape();
  std::optional<Number> operands = operandsOf(op);
  bool rowColumn = op.getLayoutA() == NVVM::MMALayout::row && op.getLayoutB() == NVVM::MMALayout::col;
  bool f32 = llvm::all_of(cast<LLVM::LLVMStructType>(op.getType()).getBody(), [](Type type) { return type.isF32(); });
  if (shape.getM() != 16 || shape.getN() != 8 || (shape.getK() != 8 && shape.getK() != 16) || !operands || !rowColumn ||
      !f32)
    return notModelled(op, "m" + Twine(shape.getM()) + "n" + Twine(shape.getN()) + "k" + Twine(shape.getK()) +
                               " of these types, expected m16n8k8 or m16n8k16, row.col, f16 or bf16 with f32 accumulators");
  unsigned k = shape.getK(), words = 0;
  auto place = [&](ValueRange values, Type type) {
    SmallVector<Value> list;
    for (Value value : values)
      list.push_back(calls.bits(value, type));
    Value slot = calls.slot(words, list.size());
    words += list.size();
    calls.store(list, slot);
    return slot;
  };
  Value a = place(op.getOperandA(), calls.getI32Type()), b = place(op.getOperandB(), calls.getI32Type());
  Value c = place(op.getOperandC(), calls.getF32Type()), d = calls.slot(words, 4);
  calls.call(MACHINE(mma), {calls.word(k), calls.word(*operands), a, b, c, d});
  return replace(op, calls.pack(op.getType(), calls.load(calls.getF32Type(), 4, d)));
}

Outcome tilefold::sim::retargetWarp(Operation *op, MachineCalls &calls) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case([&](NVVM::ShflOp op) { return retargetShuffle(op, calls); })
      .Case([&](NVVM::VoteSyncOp op) { return retargetVote(op, calls); })
      .Case([&](NVVM::ReduxOp op) { return retargetRedux(op, calls); })
      .Case([&](NVVM::ElectSyncOp op) {
        Value mask = calls.wordOrConstant(op.getMembermask(), kAllLanes);
        return replace(op, calls.isNonzero(calls.call(MACHINE(elect), mask)));
      })
      .Case([&](NVVM::SyncWarpOp op) {
        calls.call(MACHINE(warp_sync), op.getMask());
        return replace(op);
      })
      .Case([&](NVVM::LdMatrixOp op) { return retargetLdmatrix(op, calls); })
      .Case([&](NVVM::StMatrixOp op) { return retargetStmatrix(op, calls); })
      .Case([&](NVVM::MmaOp op) { return retargetMma(op, calls); })
      .Default([](Operation *) { return Outcome::NotMine; });
}
