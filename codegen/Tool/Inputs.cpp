// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/Inputs.h"
#include "codegen/Tool/Options.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/safetensors.h"

#include <cmath>

using tilefold::support::DType;
using tilefold::support::HostTensor;

namespace tilefold::cli {
namespace {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// A count that fits a tensor's extent.
std::int64_t parseExtent(const std::string &option, const std::string &what, const std::string &text) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value >= std::int64_t(1) << 31)
    throw UsageError{fmt::format("{}: expected {} to be a count below 2^31, got '{}'", option, what, text)};
  return value;
}

/// "B,Hq/Hkv,Sq,Sk,D"
std::map<std::string, Shape> parseAttentionShapes(const std::string &text) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != 5)
    throw UsageError{fmt::format("--random: expected B,Hq/Hkv,Sq,Sk,D (such as 2,8/2,300,500,64), got '{}'", text)};
  const auto [queryHeads, keyHeads] = parseHeads("--random", parts[1]);
  const auto extent = [&](const char *what, int part) { return parseExtent("--random", what, parts[std::size_t(part)]); };
  const std::int64_t b = extent("B", 0), sq = extent("Sq", 2), sk = extent("Sk", 3), d = extent("D", 4);
  return {{"q", {b, queryHeads, sq, d}}, {"k", {b, keyHeads, sk, d}}, {"v", {b, keyHeads, sk, d}}};
}

bool isInput(const Argument &argument) { return argument.role == "input" || argument.role == "inout"; }

/// The tensor that decides a program's dtype: q, or the first floating-point input.
const Argument *leading(const Module &module) {
  if (const Argument *q = module.find("q"))
    return q;
  for (const Argument &argument : module.arguments())
    if (isInput(argument) && support::is_float(argument.dtype))
      return &argument;
  return nullptr;
}

Tensors loadTensors(const std::string &path, const Module &module, const NamedKernel &program) {
  auto file = support::SafetensorsFile::open(path);
  if (!file)
    throw UsageError{"--in: " + file.message()};
  Tensors tensors;
  for (const Argument &argument : module.arguments()) {
    if (!isInput(argument))
      continue;
    auto tensor = file->load(argument.name);
    if (!tensor)
      throw UsageError{fmt::format("--in: argument '{}' of {}: {}", argument.name, program.name, tensor.message())};
    tensors.insert_or_assign(argument.name, *std::move(tensor));
  }
  return tensors;
}

std::map<std::string, Shape> randomShapes(const Module &module, const NamedKernel &program, const std::string &text) {
  auto shapes = isAttention(module) && text.find('=') == std::string::npos ? parseAttentionShapes(text) : parseShapes("--random", text);
  for (const auto &[name, shape] : shapes)
    if (const Argument *argument = module.find(name); !argument || !isInput(*argument))
      throw UsageError{fmt::format("--random: '{}' is no input of {}", name, program.name)};
  return shapes;
}

/// Bytes of an input of a shape; more than any machine has where 64 bits cannot count them.
double bytesOf(const Argument &argument, const Shape &shape) {
  double bytes = double(support::byte_size(argument.dtype));
  for (std::int64_t extent : shape)
    bytes *= double(extent);
  return bytes;
}

/// Whether all inputs fit is asked before the first is made.
void checkInputMemory(const std::map<std::string, Shape> &shapes, const Module &module) {
  double bytes = 0;
  for (const auto &[name, shape] : shapes)
    bytes += bytesOf(*module.find(name), shape);
  const std::uint64_t most = std::uint64_t(1) << 62;
  if (auto status = support::check_memory(bytes < double(most) ? std::uint64_t(bytes) : most, "making the inputs"); !status)
    throw UsageError{"--random: " + status.message()};
}

/// Inputs of these shapes, for `drawInputs` to fill.
Tensors emptyTensors(const std::map<std::string, Shape> &shapes, const Module &module, const NamedKernel &program) {
  checkInputMemory(shapes, module);
  Tensors tensors;
  for (const Argument &argument : module.arguments()) {
    if (!isInput(argument))
      continue;
    const auto shape = shapes.find(argument.name);
    if (shape == shapes.end())
      throw UsageError{fmt::format("--random: the shape of {}'s input '{}' is missing", program.name, argument.name)};
    if (!support::is_float(argument.dtype))
      throw UsageError{fmt::format("--random: input '{}' of {} holds {}, only floats can be drawn; give it with --in", argument.name,
                                   program.name, support::name(argument.dtype))};
    auto tensor = HostTensor::create(argument.dtype, shape->second);
    if (!tensor)
      throw UsageError{fmt::format("--random: '{}': {}", argument.name, tensor.message())};
    tensors.insert_or_assign(argument.name, *std::move(tensor));
  }
  return tensors;
}

/// The configuration for tensors of this shape and dtype. A call without work may have any head dim; a program that has to be
/// traced keeps its own then.
Config configFor(Config config, const std::string &option, const Shape &shape, DType dtype, bool attention) {
  config.dtype = dtype;
  if (!attention || shape.size() != 4)
    return config;
  const bool fits = shape[3] >= 1 && shape[3] <= kMostHeadDim;
  if (!fits && shape[0] > 0 && shape[1] > 0 && shape[2] > 0)
    throw UsageError{fmt::format("{}: argument 'q' has shape {}, expected a head dim from 1 to {}, got {}", option,
                                 support::to_string(shape), kMostHeadDim, shape[3])};
  if (fits)
    config.head_dim = int(shape[3]);
  return config;
}

} // namespace

std::pair<std::int64_t, std::int64_t> parseHeads(const std::string &option, const std::string &text) {
  const std::vector<std::string> parts = split(text, '/');
  if (parts.size() > 2)
    throw UsageError{fmt::format("{}: expected query heads/key heads (such as 32/8), got '{}'", option, text)};
  const std::int64_t queryHeads = parseExtent(option, "query heads", parts[0]);
  return {queryHeads, parts.size() == 1 ? queryHeads : parseExtent(option, "key heads", parts[1])};
}

std::map<std::string, Shape> parseShapes(const std::string &option, const std::string &text) {
  std::map<std::string, Shape> shapes;
  for (const std::string &part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError{fmt::format("{}: expected NAME=EXTENTxEXTENT,... (such as a=300x200,b=200x150), got '{}'", option, part)};
    const std::string name = part.substr(0, equals);
    Shape shape;
    for (const std::string &extent : split(part.substr(equals + 1), 'x'))
      shape.push_back(parseExtent(option, "the extents of '" + name + "'", extent));
    if (!shapes.emplace(name, shape).second)
      throw UsageError{fmt::format("{}: '{}' is given twice", option, name)};
  }
  return shapes;
}

Scalars makeScalars(const NamedKernel &program, const Module &module, const ScalarOptions &options) {
  std::string known;
  for (const Argument &argument : module.arguments())
    if (argument.rank == 0 && argument.role == "scalar")
      known += (known.empty() ? "" : ", ") + argument.name;
  Scalars scalars;
  auto set = [&](const std::string &option, const std::string &name, double value) {
    const Argument *argument = module.find(name);
    if (!argument || argument->role != "scalar")
      throw UsageError{fmt::format("{}: {} has no scalar '{}'; {}", option, program.name, name,
                                   known.empty() ? "it has none" : "it has " + known)};
    const bool isFloat = support::is_float(argument->dtype);
    if (!std::isfinite(value))
      throw UsageError{fmt::format("{}: expected a finite number for '{}', got {}", option, name, value)};
    if (isFloat && !std::isfinite(float(value)))
      throw UsageError{fmt::format("{}: expected a number that f32 holds for '{}', got {}", option, name, value)};
    if (!isFloat && (value != std::floor(value) || value < -2147483648.0 || value > 2147483647.0))
      throw UsageError{fmt::format("{}: expected an integer of 32 bits, got {}", option, value)};
    if (!scalars.emplace(name, isFloat ? double(float(value)) : value).second)
      throw UsageError{fmt::format("{}: '{}' is given twice", option, name)};
  };
  if (options.scale)
    set("--scale", "scale", *options.scale);
  if (options.splits)
    set("--splits", "splits", double(*options.splits));
  for (const std::string &text : options.scalars) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw UsageError{fmt::format("--scalar: expected NAME=VALUE, got '{}'", text)};
    const std::string name = text.substr(0, equals);
    const double value = parseReal("--scalar", "a number for '" + name + "'", text.substr(equals + 1));
    set("--scalar", name, value);
  }
  for (const Argument &argument : module.arguments())
    if (argument.role == "scalar" && !argument.fallback && !scalars.count(argument.name))
      throw UsageError{fmt::format("--scalar: {}'s scalar '{}' is missing and has no default", program.name, argument.name)};
  return scalars;
}

/// The interpreter runs programs, which only the first stage has.
static void requireProgram(const Source &source, const Module &module) {
  const std::string stage = module.stage();
  if (stage == "tile" && !module.hasProgram())
    throw UsageError{fmt::format("program: '{}' has no tile.program, which says with what its kernels are launched; compile takes it "
                                 "as it is", source.file)};
  if (stage == "tile")
    return;
  throw UsageError{fmt::format("program: '{}' is of stage '{}', whose kernels no program launches any more: expected stage 'tile'; {}",
                               source.file, stage,
                               stage == "base" ? "tilefold-simulate runs them, with --case for how they are launched"
                                               : "compile goes on from here")};
}

Prepared prepareRun(const Source &source, const RunOptions &options) {
  const NamedKernel &program = source.program;
  const Config wanted = makeConfig(options.config);
  // A first trace tells what the program takes; the tensors then decide what it is made for.
  Traced first = source.make(wanted, options.config);
  requireProgram(source, first.module);
  const bool attention = isAttention(first.module);
  const Argument *lead = leading(first.module);
  Prepared result{.config = wanted, .module = std::move(first.module), .taken = first.taken, .tensors = {}, .scalars = {},
                  .origin = options.in, .random = options.in.empty()};

  std::map<std::string, Shape> shapes;
  if (!options.in.empty()) {
    result.tensors = loadTensors(options.in, result.module, program);
    if (lead) {
      const HostTensor &tensor = result.tensors.at(lead->name);
      if (options.config.dtype && tensor.dtype() != wanted.dtype)
        throw UsageError{fmt::format("--dtype: expected {}, which '{}' has in {}, got {}", support::name(tensor.dtype()), lead->name,
                                     options.in, *options.config.dtype)};
      if (!support::is_float(tensor.dtype()))
        throw UsageError{fmt::format("--in: argument '{}' of {}: expected F16, BF16 or F32, got {}", lead->name, program.name,
                                     support::name(tensor.dtype()))};
      result.config = configFor(wanted, "--in", tensor.shape(), tensor.dtype(), attention);
    }
  } else {
    const std::string &text = options.random.empty() ? program.about.random : options.random;
    if (text.empty())
      throw UsageError{"--in or --random: one of them is needed for inputs"};
    shapes = randomShapes(result.module, program, text);
    result.origin = fmt::format("random numbers ({}, seed {})", text, options.seed.value_or(0));
    if (lead && shapes.count(lead->name))
      result.config = configFor(wanted, "--random", shapes.at(lead->name), wanted.dtype, attention);
  }
  if ((result.taken.dtype && result.config.dtype != wanted.dtype) || (result.taken.headDim && result.config.head_dim != wanted.head_dim))
    result.module = source.make(result.config).module;
  if (options.in.empty())
    result.tensors = emptyTensors(shapes, result.module, program);
  // A program that does not ask says itself what it is made for.
  if (const Argument *own = leading(result.module))
    result.config = configFor(result.config, options.in.empty() ? "--random" : "--in", result.tensors.at(own->name).shape(), own->dtype, attention);
  result.scalars = makeScalars(program, result.module, options.scalars);
  return result;
}

void drawInputs(Prepared &prepared, std::uint64_t seed) {
  if (!prepared.random)
    return;
  std::uint64_t stream = 0; // each input has its own
  for (const Argument &argument : prepared.module.arguments())
    if (isInput(argument))
      support::fill_normal(prepared.tensors.at(argument.name), seed, stream++);
}

void makeFor(const std::string &target, const Source &source, Prepared &prepared) {
  prepared.target = target;
  const int before = prepared.config.shared_bytes;
  prepared.config.shared_bytes = *support::promised_shared_bytes(target);
  if (prepared.taken.sharedBytes && prepared.config.shared_bytes != before)
    prepared.module = source.make(prepared.config).module;
}

} // namespace tilefold::cli
