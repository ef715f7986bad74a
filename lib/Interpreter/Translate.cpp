// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the operations of a kernel to instructions: every value gets a place, every operation its executor.
#include "lib/Interpreter/Kernel.h"
#include "support/limits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using tilefold::support::Result;
using tilefold::support::Status;

namespace tilefold::interpreter {

std::size_t Slot::bytes() const {
  switch (storage) {
  case Storage::Float:
  case Storage::Int32:
    return count * 4;
  case Storage::Int64:
    return count * 8;
  case Storage::Bool:
    return count;
  case Storage::View:
    return count * sizeof(View);
  case Storage::Buffer:
    return count * sizeof(Buffer);
  }
  return 0;
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

namespace {

// A frame is one allocation; more than this for the values of one instance is a kernel that no machine runs.
constexpr std::size_t kMaxFrameBytes = std::size_t(2) << 30;

/// Runs through a kernel once. Errors stop it; the first is kept in `status`.
class Translator {
public:
  explicit Translator(tile::KernelOp kernel) { code.name = kernel.getSymName().str(); }

  Result<KernelCode> run(tile::KernelOp kernel) {
    Block &body = kernel.getBody().front();
    if (!placeAll(body.getArguments(), kernel, code.arguments) || !translateBlock(body, code.body, nullptr))
      return status;
    code.sharedBegin = reserve(0);
    code.sharedEnd = code.sharedBegin + sharedBytes;
    code.frameBytes = code.sharedEnd;
    if (code.frameBytes > kMaxFrameBytes) {
      fail(kernel, "needs " + std::to_string(code.frameBytes >> 20) + " MiB for the values of one instance, expected at most " +
                       std::to_string(kMaxFrameBytes >> 20));
      return status;
    }
    return std::move(code);
  }

private:
  bool fail(Operation *op, const std::string &message) {
    status = Status::error(locationText(op->getLoc()) + op->getName().getStringRef().str() + " " + message);
    return false;
  }

  std::size_t reserve(std::size_t bytes) {
    std::size_t offset = (code.frameBytes + 63) & ~std::size_t(63); // whole cache lines, for the vector units
    code.frameBytes = offset + bytes;
    return offset;
  }

  /// The place of values of `type`.
  bool place(Type type, Operation *owner, Slot &slot) {
    Type element = type;
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (!tensor.hasStaticShape())
        return fail(owner, "has a tile of unknown shape, " + textOf(type));
      slot.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
      slot.count = tensor.getNumElements();
      element = tensor.getElementType();
    }
    if (isa<tile::ViewType>(element))
      slot.storage = Storage::View;
    else if (auto buffer = dyn_cast<tile::BufferType>(element)) {
      slot.storage = Storage::Buffer;
      slot.shape.assign(buffer.getShape().begin(), buffer.getShape().end());
    } else if (element.isF32() || element.isF16() || element.isBF16()) {
      slot.storage = Storage::Float;
      slot.rounding = element.isF16() ? Rounding::F16 : element.isBF16() ? Rounding::BF16 : Rounding::None;
    } else if (element.isInteger(32))
      slot.storage = Storage::Int32;
    else if (element.isInteger(64) || element.isIndex())
      slot.storage = Storage::Int64;
    else if (element.isInteger(1))
      slot.storage = Storage::Bool;
    else
      return fail(owner, "has a value of type " + textOf(type) +
                             ", which the interpreter does not know; it knows f16, bf16, f32, i1, i32, i64 and index");
    slot.offset = reserve(slot.bytes());
    return true;
  }

  template <class Range, class Slots> bool placeAll(Range values, Operation *owner, Slots &result) {
    for (Value value : values) {
      Slot slot;
      if (!place(value.getType(), owner, slot))
        return false;
      slots[value] = slot;
      result.push_back(slot);
    }
    return true;
  }

  bool translateBlock(Block &block, std::vector<Instruction> &into, SmallVectorImpl<Slot> *yields) {
    into.reserve(block.getOperations().size());
    for (Operation &op : block) {
      if (op.hasTrait<OpTrait::IsTerminator>()) {
        if (!yields)
          return true;
        if (!isa<scf::YieldOp, scf::ConditionOp, tile::YieldOp>(op))
          return fail(&op, "is not known to the interpreter");
        for (Value value : op.getOperands())
          yields->push_back(slots.lookup(value));
        return true;
      }
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        if (!translateConstant(constant))
          return false;
        continue;
      }
      into.emplace_back();
      if (!translateOperation(op, into.back()))
        return false;
    }
    return true;
  }

  bool translateConstant(arith::ConstantOp op) {
    Slot slot;
    if (!place(op.getType(), op, slot))
      return false;
    slots[op.getResult()] = slot;
    Constant constant{slot.offset, std::vector<std::byte>(slot.bytes())};
    auto put = [&](std::size_t index, Attribute value) {
      if (auto number = dyn_cast<FloatAttr>(value)) {
        bool lost;
        llvm::APFloat single = number.getValue();
        single.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &lost);
        reinterpret_cast<float *>(constant.bytes.data())[index] = single.convertToFloat();
      } else if (auto number = dyn_cast<IntegerAttr>(value)) {
        std::int64_t bits = number.getValue().getSExtValue();
        if (slot.storage == Storage::Bool)
          reinterpret_cast<std::uint8_t *>(constant.bytes.data())[index] = bits != 0;
        else if (slot.storage == Storage::Int32)
          reinterpret_cast<std::int32_t *>(constant.bytes.data())[index] = std::int32_t(bits);
        else
          reinterpret_cast<std::int64_t *>(constant.bytes.data())[index] = bits;
      } else {
        return false;
      }
      return true;
    };
    bool known = true;
    if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
      std::size_t index = 0;
      for (Attribute value : dense.getValues<Attribute>())
        known &= put(index++, value);
    } else {
      known = put(0, op.getValue());
    }
    if (!known)
      return fail(op, "has a value that the interpreter does not know");
    code.constants.push_back(std::move(constant));
    return true;
  }

  bool translateOperation(Operation &op, Instruction &instruction) {
    instruction.op = &op;
    for (Value value : op.getOperands())
      instruction.in.push_back(slots.lookup(value));
    if (!placeAll(op.getResults(), &op, instruction.out))
      return false;
    if (!instruction.out.empty()) {
      instruction.count = instruction.out[0].count;
      instruction.rounding = instruction.out[0].rounding;
    }
    if (isa<scf::SCFDialect>(op.getDialect())) {
      instruction.run = controlExecutor(op);
      if (instruction.run)
        return translateRegions(op, instruction);
    }
    if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
      auto type = cast<tile::BufferType>(alloc.getBuffer().getType());
      Slot storage;
      if (!place(RankedTensorType::get(type.getShape(), type.getElementType()), &op, storage))
        return false;
      instruction.numbers = {std::int64_t(sharedBytes)};
      sharedBytes += (storage.bytes() + 63) & ~std::size_t(63);
    }
    for (auto choose : {elementwiseExecutor, tileExecutor, dotExecutor, memoryExecutor, stagingExecutor, checkExecutor})
      if (!instruction.run)
        instruction.run = choose(instruction);
    if (instruction.run)
      return op.getNumRegions() == 0 || translateRegions(op, instruction);
    std::string types;
    for (Value value : op.getOperands())
      types += (types.empty() ? " on " : ", ") + textOf(value.getType());
    return fail(&op, "is not known to the interpreter" + types);
  }

  bool translateRegions(Operation &op, Instruction &instruction) {
    for (Region &region : op.getRegions()) {
      auto &body = instruction.regions.emplace_back();
      auto &arguments = instruction.regionArguments.emplace_back();
      auto &yields = instruction.yields.emplace_back();
      if (region.empty())
        continue;
      if (!region.hasOneBlock())
        return fail(&op, "has a region of several blocks, which the interpreter does not know");
      if (!placeAll(region.front().getArguments(), &op, arguments) || !translateBlock(region.front(), body, &yields))
        return false;
    }
    return true;
  }

  static Executor controlExecutor(Operation &op);

  KernelCode code;
  std::size_t sharedBytes = 0;
  llvm::DenseMap<Value, Slot> slots;
  Status status;
};

//===-- control flow --------------------------------------------------------------------------------------------===//

/// Copies values to where the next block expects them. A value may be another one's destination (`yield %b, %a`), so all
/// are read before any is written, unless no source is a destination.
void pass(const Slot *from, const Slot *to, std::size_t count, Frame &frame) {
  bool overlap = false;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      overlap |= i != j && from[i].offset == to[j].offset;
  if (!overlap) {
    for (std::size_t i = 0; i < count; ++i)
      if (from[i].offset != to[i].offset)
        std::memcpy(frame.base + to[i].offset, frame.base + from[i].offset, to[i].bytes());
    return;
  }
  std::vector<std::byte> copy;
  for (std::size_t i = 0; i < count; ++i)
    copy.insert(copy.end(), frame.base + from[i].offset, frame.base + from[i].offset + from[i].bytes());
  const std::byte *next = copy.data();
  for (std::size_t i = 0; i < count; next += to[i++].bytes())
    std::memcpy(frame.base + to[i].offset, next, to[i].bytes());
}

std::int64_t readInteger(const Slot &slot, const Frame &frame) {
  return slot.storage == Storage::Int32 ? frame.scalar<std::int32_t>(slot) : frame.scalar<std::int64_t>(slot);
}

bool runFor(const Instruction &i, Frame &frame) {
  const std::int64_t lower = readInteger(i.in[0], frame), upper = readInteger(i.in[1], frame);
  const std::int64_t step = readInteger(i.in[2], frame);
  if (step <= 0)
    return frame.fail(i.op, "has step " + std::to_string(step) + ", expected at least 1");
  if (i.regionArguments[0][0].storage == Storage::Int32 && !support::is_loop_of_i32(lower, upper, step))
    return frame.fail(i.op, "goes from " + std::to_string(lower) + " to " + std::to_string(upper) + " by " + std::to_string(step) +
                                ", expected " + support::loop_range);
  const Slot &index = i.regionArguments[0][0];
  const Slot *carried = i.regionArguments[0].begin() + 1;
  const std::size_t count = i.out.size();
  pass(i.in.begin() + 3, carried, count, frame);
  for (std::int64_t value = lower; value < upper; value += step) {
    if (index.storage == Storage::Int32)
      *frame.at<std::int32_t>(index) = std::int32_t(value);
    else
      *frame.at<std::int64_t>(index) = value;
    if (!runBlock(i.regions[0], frame))
      return false;
    pass(i.yields[0].begin(), carried, count, frame);
    if (upper - value <= step) // value + step could leave i64
      break;
  }
  pass(carried, i.out.begin(), count, frame);
  return true;
}

bool runIf(const Instruction &i, Frame &frame) {
  const int branch = frame.scalar<std::uint8_t>(i.in[0]) ? 0 : 1;
  if (!runBlock(i.regions[branch], frame))
    return false;
  pass(i.yields[branch].begin(), i.out.begin(), i.out.size(), frame);
  return true;
}

bool runWhile(const Instruction &i, Frame &frame) {
  pass(i.in.begin(), i.regionArguments[0].begin(), i.in.size(), frame);
  while (true) {
    if (!runBlock(i.regions[0], frame))
      return false;
    const auto &condition = i.yields[0]; // the condition, then what goes on
    if (!frame.scalar<std::uint8_t>(condition[0])) {
      pass(condition.begin() + 1, i.out.begin(), i.out.size(), frame);
      return true;
    }
    pass(condition.begin() + 1, i.regionArguments[1].begin(), i.out.size(), frame);
    if (!runBlock(i.regions[1], frame))
      return false;
    pass(i.yields[1].begin(), i.regionArguments[0].begin(), i.in.size(), frame);
  }
}

Executor Translator::controlExecutor(Operation &op) {
  return llvm::TypeSwitch<Operation *, Executor>(&op)
      .Case<scf::ForOp>([](scf::ForOp loop) { return loop.getUnsignedCmp() ? nullptr : &runFor; })
      .Case<scf::IfOp>([](auto) { return &runIf; })
      .Case<scf::WhileOp>([](auto) { return &runWhile; })
      .Default([](Operation *) { return nullptr; });
}

} // namespace

Result<KernelCode> translateKernel(tile::KernelOp kernel) { return Translator(kernel).run(kernel); }

bool runBlock(const std::vector<Instruction> &block, Frame &frame) {
  for (const Instruction &instruction : block)
    if (!instruction.run(instruction, frame))
      return false;
  return true;
}

} // namespace tilefold::interpreter
