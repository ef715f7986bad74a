// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/BaseToLLVM/Assembly.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

static Type elementOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getElementType() : type;
}

static int64_t lengthOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static Value position(OpBuilder &builder, Location loc, int64_t i) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), i);
}

/// The register class of PTX that a constraint names.
static char letter(Type type) {
  constexpr unsigned kSharedSpace = 3; // with addresses of 32 bits
  if (type.isF32())
    return 'f';
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return pointer.getAddressSpace() == kSharedSpace ? 'r' : 'l';
  assert(type.isInteger(1) || type.isInteger(32) || type.isInteger(64));
  return type.isInteger(1) ? 'b' : type.isInteger(32) ? 'r' : 'l';
}

std::string tilefold::AssemblyBuilder::name(unsigned count) {
  std::string names;
  for (unsigned i = 0; i < count; ++i)
    names += (i ? ",$" : "$") + std::to_string(registers++);
  return names;
}

void tilefold::AssemblyBuilder::addElements(Value value, SmallVectorImpl<Value> &list) {
  if (!isa<VectorType>(value.getType()))
    return list.push_back(value);
  for (int64_t i = 0; i < lengthOf(value.getType()); ++i)
    list.push_back(LLVM::ExtractElementOp::create(builder, loc, value, position(builder, loc, i)));
}

std::string tilefold::AssemblyBuilder::write(Type type, Value initial) {
  assert(inputs.empty() && "outputs are numbered before inputs");
  if (initial) {
    SmallVector<Value> elements;
    addElements(initial, elements);
    for (auto [i, element] : llvm::enumerate(elements))
      tied.push_back({outputs.size() + i, element});
  }
  written.push_back(type);
  outputs.append(lengthOf(type), elementOf(type));
  return name(lengthOf(type));
}

std::string tilefold::AssemblyBuilder::read(Value value) {
  addElements(value, inputs);
  return name(lengthOf(value.getType()));
}

SmallVector<Value> tilefold::AssemblyBuilder::build(StringRef text) {
  SmallVector<std::string> constraints;
  for (Type type : outputs)
    constraints.push_back(std::string("=") + letter(type));
  SmallVector<Value> operands = inputs;
  for (Value value : inputs)
    constraints.push_back({letter(value.getType())});
  for (auto [number, value] : tied) {
    constraints.push_back(std::to_string(number));
    operands.push_back(value);
  }
  constraints.push_back("~{memory}");

  bool many = outputs.size() > 1;
  Type result = outputs.empty() ? Type()
                : many          ? LLVM::LLVMStructType::getLiteral(builder.getContext(), outputs)
                                : outputs.front();
  auto assembly = LLVM::InlineAsmOp::create(builder, loc, result ? TypeRange(result) : TypeRange(), operands, text,
                                            llvm::join(constraints, ","), /*has_side_effects=*/true, /*is_align_stack=*/false,
                                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  int64_t next = 0;
  auto take = [&]() -> Value {
    Value all = assembly.getRes();
    return many ? LLVM::ExtractValueOp::create(builder, loc, all, next++).getResult() : all;
  };
  return llvm::map_to_vector(written, [&](Type type) -> Value {
    if (!isa<VectorType>(type))
      return take();
    Value vector = LLVM::PoisonOp::create(builder, loc, type);
    for (int64_t i = 0; i < lengthOf(type); ++i)
      vector = LLVM::InsertElementOp::create(builder, loc, vector, take(), position(builder, loc, i));
    return vector;
  });
}
