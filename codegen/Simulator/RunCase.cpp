// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/RunCase.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "codegen/Simulator/Elements.h"
#include "codegen/Simulator/HostMemory.h"
#include "codegen/Simulator/Machine/TensorMap.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <cstring>
#include <deque>

using namespace mlir;
using namespace tilefold::sim;
using Kind = CaseArgument::Kind;
using Parameter = KernelSignature::Parameter;

static FailureOr<Parameter> parameterOf(gpu::GPUFuncOp kernel, unsigned index) {
  if (kernel.getArgAttr(index, tilefold::ptx::PtxDialect::getTensorMapAttrName()) ||
      kernel.getArgAttr(index, LLVM::LLVMDialect::getByValAttrName()))
    return Parameter::TensorMap;
  Type type = kernel.getArgumentTypes()[index];
  if (type.isInteger(32))
    return Parameter::Word;
  if (type.isInteger(64) || type.isIndex())
    return Parameter::Long;
  if (type.isF32())
    return Parameter::Float;
  if (isa<LLVM::LLVMPointerType>(type))
    return Parameter::Pointer;
  return kernel.emitError("parameter ") << index << " is " << type << ", expected i32, i64, f32, a pointer or a tensor map";
}

FailureOr<std::vector<KernelSignature>> tilefold::sim::readSignatures(gpu::GPUModuleOp module) {
  std::vector<KernelSignature> signatures;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    KernelSignature signature;
    signature.name = kernel.getName().str();
    if (DenseI32ArrayAttr block = kernel.getKnownBlockSizeAttr()) {
      if (block[1] != 1 || block[2] != 1)
        return kernel.emitError("a block of ") << block[0] << " x " << block[1] << " x " << block[2]
                                               << " threads is not modelled, expected one of n x 1 x 1";
      signature.block = block[0];
    }
    if (auto cluster = kernel->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getClusterDimAttrName());
        cluster && !cluster.empty()) {
      if (llvm::any_of(cluster.asArrayRef().drop_front(), [](int32_t extent) { return extent != 1; }))
        return kernel.emitError("a cluster of more than one dimension is not modelled");
      signature.cluster = cluster[0];
    }
    if (auto shared = kernel->getAttrOfType<IntegerAttr>(tilefold::ptx::kSharedBytesAttr))
      signature.sharedBytes = shared.getInt();
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
      FailureOr<Parameter> parameter = parameterOf(kernel, i);
      if (failed(parameter))
        return failure();
      signature.parameters.push_back(*parameter);
    }
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

/// Of a block, on the largest machine that is modelled.
static constexpr uint64_t kMostSharedBytes = 227 << 10;

static llvm::Error error(const Twine &text) { return llvm::createStringError(text.str()); }

static bool fits(const CaseArgument &argument, Parameter parameter) {
  switch (parameter) {
  case Parameter::Word:
    return argument.kind == Kind::Scalar && argument.type == ElementType::I32;
  case Parameter::Long:
    return argument.kind == Kind::Scalar && argument.type == ElementType::I64;
  case Parameter::Float:
    return argument.kind == Kind::Scalar && argument.type == ElementType::F32;
  case Parameter::Pointer:
    return argument.kind != Kind::Scalar;
  case Parameter::TensorMap:
    return argument.kind == Kind::Map;
  }
  return false;
}

static std::optional<TensorElement> elementOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
  case ElementType::I16: // 16 bits, whatever they mean
  case ElementType::U16:
    return TensorElement::F16;
  case ElementType::BF16:
    return TensorElement::BF16;
  case ElementType::F32:
    return TensorElement::F32;
  case ElementType::I32:
  case ElementType::U32:
    return TensorElement::I32;
  case ElementType::I8:
  case ElementType::U8:
    return TensorElement::U8;
  default:
    return {};
  }
}

static llvm::Error encode(const CaseArgument &argument, const CaseArgument &array, uint8_t *base, TensorMap &map) {
  TensorMapArguments arguments;
  std::optional<TensorElement> type = elementOf(array.type);
  if (!type)
    return error("'" + argument.name + "': the simulator has no tensor maps of " + name(array.type));
  arguments.type = *type;
  arguments.rank = argument.map.dims.size();
  arguments.base = base + argument.map.offset;
  llvm::copy(argument.map.dims, arguments.sizes);
  llvm::copy(argument.map.strides, arguments.strides);
  llvm::copy(argument.map.box, arguments.box);
  switch (argument.map.swizzle) {
  case 0:
    arguments.swizzle = Swizzle::None;
    break;
  case 32:
    arguments.swizzle = Swizzle::Span32;
    break;
  case 64:
    arguments.swizzle = Swizzle::Span64;
    break;
  case 128:
    arguments.swizzle = Swizzle::Span128;
    break;
  default:
    return error("'" + argument.name + "': 'swizzle': expected 0, 32, 64 or 128, got " + Twine(argument.map.swizzle));
  }
  std::string wrong = encodeTensorMap(arguments, map);
  return wrong.empty() ? llvm::Error::success() : error("'" + argument.name + "': " + wrong);
}

llvm::Error tilefold::sim::runCase(Case &one, const KernelSignature &signature, const KernelCode &code,
                                   const CaseRunOptions &options, Report &report) {
  if (one.arguments.size() != signature.parameters.size())
    return error("kernel '" + signature.name + "' has " + Twine(signature.parameters.size()) + " parameters, the case has " +
                 Twine(one.arguments.size()) + " arguments");
  std::deque<HostMemory> memory;
  std::vector<uint8_t *> places(one.arguments.size());
  std::vector<GlobalRegion> regions;
  auto place = [&](size_t i, size_t bytes) {
    const CaseArgument &argument = one.arguments[i];
    places[i] = memory.emplace_back(bytes).data();
    if (bytes)
      regions.push_back({argument.name, places[i], bytes, argument.isOutput(), argument.kind != Kind::Out, nullptr});
  };
  for (auto [i, argument] : llvm::enumerate(one.arguments)) {
    if (!fits(argument, signature.parameters[i]))
      return error("argument " + Twine(i) + " ('" + argument.name + "') is of another kind than the kernel's parameter");
    if (!argument.isArray())
      continue;
    place(i, argument.bytes.size());
    if (argument.kind != Kind::Out && !argument.bytes.empty())
      std::memcpy(places[i], argument.bytes.data(), argument.bytes.size());
  }

  std::vector<uint64_t> values(one.arguments.size());
  std::vector<void *> parameters;
  for (auto [i, argument] : llvm::enumerate(one.arguments)) {
    if (argument.kind == Kind::Scalar)
      std::memcpy(&values[i], argument.bytes.data(), argument.bytes.size());
    if (argument.kind == Kind::Map) {
      TensorMap map;
      if (llvm::Error wrong = encode(argument, one.arguments[argument.map.array], places[argument.map.array], map))
        return wrong;
      if (signature.parameters[i] == Parameter::TensorMap)
        places[i] = memory.emplace_back(sizeof map).data();
      else
        place(i, sizeof map);
      std::memcpy(places[i], &map, sizeof map);
    }
    if (argument.kind != Kind::Scalar)
      values[i] = reinterpret_cast<uint64_t>(places[i]);
    // A tensor map that is passed by value is its own slot.
    parameters.push_back(signature.parameters[i] == Parameter::TensorMap ? static_cast<void *>(places[i]) : &values[i]);
  }

  LaunchOptions launching;
  launching.blocks = one.grid;
  launching.threads = one.block.value_or(signature.block);
  launching.cluster = one.cluster.value_or(signature.cluster);
  launching.sharedBytes = one.shared.value_or(signature.sharedBytes);
  launching.seed = options.seed;
  launching.completion = options.completion;
  launching.hostThreads = options.hostThreads;
  if (launching.blocks % launching.cluster)
    return error("'grid': expected a multiple of the cluster, " + Twine(launching.cluster) + ", got " +
                 Twine(launching.blocks));
  uint64_t shared = launching.sharedBytes;
  for (uint32_t bytes : code.staticShared)
    shared += bytes;
  if (shared > kMostSharedBytes)
    return error("a block of kernel '" + signature.name + "' has " + Twine(shared) + " bytes of shared memory, at most " +
                 Twine(kMostSharedBytes) + " are there");
  launch(code, parameters.data(), regions, launching, report);
  for (auto [i, argument] : llvm::enumerate(one.arguments))
    if (argument.isOutput() && !argument.bytes.empty())
      std::memcpy(argument.bytes.data(), places[i], argument.bytes.size());
  return llvm::Error::success();
}
