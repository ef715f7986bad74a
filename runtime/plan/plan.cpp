// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/plan.h"

#include "runtime/artifact/json_text.h"
#include "runtime/plan/binding.h"
#include "support/limits.h"

#include <algorithm>
#include <cstring>

namespace tilefold::runtime {

namespace {

constexpr int64_t max_blocks = INT32_MAX; // of a grid's x dimension

/// Puts the formula's owner in front of an evaluation error.
Status owned(const Status &status, const std::string &owner, const std::string &argument = {}) {
  return {status.code(), owner + ": " + status.message(), argument};
}

std::string tensor_text(const Manifest &manifest, const FormulaEnvironment &environment, const std::string &argument) {
  if (const int index = manifest.symbols.find_tensor(argument); index >= 0 && environment.tensors[size_t(index)].known) {
    const TensorValue &tensor = environment.tensors[size_t(index)];
    return "has shape " + shape_text(tensor.sizes) + " and strides " + shape_text(tensor.strides);
  }
  if (const int index = manifest.symbols.find_scalar(argument); index >= 0) {
    const ScalarValue &scalar = environment.scalars[size_t(index)];
    return "is " + (manifest.symbols.scalars[size_t(index)].is_float ? std::to_string(scalar.floating)
                                                                     : std::to_string(scalar.integer));
  }
  return "is not as required";
}

/// Replaces {0}, {1}, ... by the values.
std::string fill(const std::string &text, const std::vector<Expression> &values, const FormulaEnvironment &environment) {
  std::string filled = text;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string placeholder = "{" + std::to_string(i) + "}";
    Result<int64_t> value = values[i].evaluate(environment);
    const std::string shown = value ? std::to_string(*value) : "(no value)";
    for (size_t at = filled.find(placeholder); at != std::string::npos; at = filled.find(placeholder, at + shown.size()))
      filled.replace(at, placeholder.size(), shown);
  }
  return filled;
}

Result<std::vector<int64_t>> evaluate_shape(const std::vector<Expression> &shape, const FormulaEnvironment &environment) {
  std::vector<int64_t> sizes;
  for (const Expression &extent : shape) {
    Result<int64_t> size = extent.evaluate(environment);
    if (!size)
      return size.status();
    sizes.push_back(*size);
  }
  return sizes;
}

Status check_shapes(const Manifest &manifest, const FormulaEnvironment &environment) {
  for (size_t i = 0; i < manifest.tensors.size(); ++i) {
    const TensorDeclaration &declared = manifest.tensors[i];
    const TensorValue &tensor = environment.tensors[i];
    if (declared.shape.empty() || !tensor.known)
      continue;
    Result<std::vector<int64_t>> expected = evaluate_shape(declared.shape, environment);
    if (!expected)
      return owned(expected.status(), "shape of argument '" + declared.name + "'", declared.name);
    if (*expected != tensor.sizes)
      return {TILEFOLD_ERROR_ARGUMENT,
              "argument '" + declared.name + "' has shape " + shape_text(tensor.sizes) + ", expected " +
                  shape_text(*expected),
              declared.name};
  }
  return {};
}

Status check_requirements(const Manifest &manifest, const FormulaEnvironment &environment) {
  for (const Requirement &requirement : manifest.requirements) {
    Result<int64_t> holds = requirement.condition.evaluate(environment);
    if (!holds)
      return owned(holds.status(), "requirement on argument '" + requirement.argument + "'", requirement.argument);
    if (!*holds)
      return {TILEFOLD_ERROR_ARGUMENT,
              "argument '" + requirement.argument + "' " + tensor_text(manifest, environment, requirement.argument) +
                  ", expected " + fill(requirement.expected, requirement.values, environment),
              requirement.argument};
  }
  return {};
}

/// Gives every workspace its place and makes its sizes and strides known to the formulas that follow.
Status place_workspaces(const Manifest &manifest, uint64_t base, FormulaEnvironment &environment, Plan &plan) {
  int64_t offset = 0;
  for (size_t i = 0; i < manifest.workspaces.size(); ++i) {
    const WorkspaceDeclaration &declared = manifest.workspaces[i];
    const std::string owner = "workspace '" + declared.name + "'";
    auto too_large = [&](const std::vector<int64_t> &shape) {
      return Status(TILEFOLD_ERROR_ARGUMENT, owner + " of shape " + shape_text(shape) + " needs more than 64 bits of bytes");
    };
    Result<std::vector<int64_t>> sizes = evaluate_shape(declared.shape, environment);
    if (!sizes)
      return owned(sizes.status(), owner);
    TensorValue &tensor = environment.tensors[manifest.tensors.size() + i];
    tensor.known = true;
    tensor.sizes = *sizes;
    tensor.strides.assign(sizes->size(), 1);
    for (int64_t size : *sizes)
      if (!support::is_extent(size))
        return {TILEFOLD_ERROR_ARGUMENT, owner + " has shape " + shape_text(*sizes) +
                                             ", expected extents of " + support::extent_range};
    int64_t count = 1;
    for (size_t d = sizes->size(); d-- > 0;) {
      tensor.strides[d] = count;
      if (__builtin_mul_overflow(count, (*sizes)[d], &count))
        return too_large(*sizes);
    }
    int64_t bytes = 0, end = 0;
    if (__builtin_mul_overflow(count, dtype_size(declared.dtype), &bytes) || __builtin_add_overflow(offset, bytes, &end) ||
        __builtin_add_overflow(end, int64_t(TILEFOLD_WORKSPACE_ALIGNMENT - 1), &end))
      return too_large(*sizes);
    tensor.address = base + uint64_t(offset);
    plan.workspaces.push_back({declared.name, uint64_t(offset), uint64_t(bytes), declared.zero_once});
    offset = end / TILEFOLD_WORKSPACE_ALIGNMENT * TILEFOLD_WORKSPACE_ALIGNMENT;
  }
  plan.workspace_bytes = uint64_t(offset);
  return {};
}

uint64_t slot(DType type, int64_t integer) {
  return type == TILEFOLD_I32 ? uint64_t(uint32_t(int32_t(integer))) : uint64_t(integer);
}

Status fill_parameter(const ParameterRecipe &recipe, const FormulaEnvironment &environment, const std::string &owner,
                      uint64_t &value) {
  using Kind = ParameterRecipe::Kind;
  const TensorValue *tensor = recipe.kind == Kind::Pointer || recipe.kind == Kind::Size || recipe.kind == Kind::Stride
                                  ? &environment.tensors[size_t(recipe.symbol)]
                                  : nullptr;
  switch (recipe.kind) {
  case Kind::Pointer:
    value = tensor->address;
    return {};
  case Kind::Size: // extents were checked to fit i32
    value = slot(TILEFOLD_I32, tensor->sizes[size_t(recipe.dimension)]);
    return {};
  case Kind::Stride:
    value = slot(TILEFOLD_I64, tensor->strides[size_t(recipe.dimension)]);
    return {};
  case Kind::Scalar: {
    const ScalarValue &scalar = environment.scalars[size_t(recipe.symbol)];
    if (recipe.type == TILEFOLD_F32) {
      const float single = float(scalar.floating);
      uint32_t bits = 0;
      std::memcpy(&bits, &single, sizeof bits);
      value = bits;
    } else {
      value = slot(recipe.type, scalar.integer);
    }
    return {};
  }
  case Kind::Value: {
    Result<int64_t> result = recipe.value->evaluate(environment);
    if (!result)
      return owned(result.status(), owner);
    if (recipe.type == TILEFOLD_I32 && (*result < INT32_MIN || *result > INT32_MAX))
      return {TILEFOLD_ERROR_ARGUMENT, owner + ": '" + recipe.value->text() + "' is " + std::to_string(*result) +
                                           ", expected a value that fits i32"};
    value = slot(recipe.type, *result);
    return {};
  }
  }
  return {TILEFOLD_ERROR_INTERNAL, owner + ": unknown kind of parameter"};
}

Result<PlannedLaunch> plan_launch(const LaunchDeclaration &declared, const FormulaEnvironment &environment) {
  const std::string owner = "launch of '" + declared.kernel + "'";
  PlannedLaunch launch;
  launch.kernel = declared.kernel;
  launch.entry = declared.entry;
  launch.block = declared.block;
  launch.cluster = declared.cluster;
  launch.shared = declared.shared;
  bool empty = false;
  for (size_t i = 0; i < 3; ++i) {
    Result<int64_t> extent = declared.grid[i].evaluate(environment);
    if (!extent)
      return owned(extent.status(), owner + ", grid extent " + std::to_string(i));
    if (*extent < 0)
      return Status(TILEFOLD_ERROR_ARGUMENT, owner + ": grid extent '" + declared.grid[i].text() + "' is " +
                                                 std::to_string(*extent) + ", expected 0 or more");
    launch.grid[i] = *extent;
    empty |= *extent == 0;
  }
  int64_t blocks = 0;
  if (!empty && (__builtin_mul_overflow(launch.grid[0], launch.grid[1], &blocks) ||
                 __builtin_mul_overflow(blocks, launch.grid[2], &blocks) || blocks > max_blocks))
    return Status(TILEFOLD_ERROR_ARGUMENT,
                  owner + ": grid " + shape_text({launch.grid[0], launch.grid[1], launch.grid[2]}) +
                      " has too many blocks, expected at most 2^31 - 1");
  if (blocks % declared.cluster != 0)
    return Status(TILEFOLD_ERROR_ARGUMENT, owner + ": a grid of " + std::to_string(blocks) +
                                               " blocks, expected a multiple of the cluster size " +
                                               std::to_string(declared.cluster));
  launch.blocks = uint32_t(blocks);
  if (empty)
    return launch; // its parameters may have no meaning without work
  for (size_t i = 0; i < declared.parameters.size(); ++i) {
    uint64_t value = 0;
    if (Status status = fill_parameter(declared.parameters[i], environment, owner + ", parameter " + std::to_string(i), value);
        !status)
      return status;
    launch.parameter_types.push_back(declared.parameters[i].type);
    launch.parameters.push_back(value);
  }
  return launch;
}

/// Why an alternative cannot run on the device whatever the arguments; empty if it can.
std::string unfit(const Manifest &manifest, const Alternative &alternative, const tilefold_device_properties &device) {
  if (select_module(manifest, alternative, device) < 0) {
    std::string targets;
    for (int module : alternative.modules)
      targets += (targets.empty() ? "" : ", ") + manifest.modules[size_t(module)].target.text();
    return "has code for " + targets + ", the device has compute capability " + std::to_string(device.capability_major) +
           "." + std::to_string(device.capability_minor);
  }
  for (const LaunchDeclaration &launch : alternative.launches)
    if (int64_t(launch.shared) > device.max_shared_memory)
      return "needs " + std::to_string(launch.shared) + " bytes of shared memory in kernel '" + launch.kernel +
             "', the device's limit is " + std::to_string(device.max_shared_memory);
  return {};
}

/// Every check that is about arguments and not about an alternative.
Status check_arguments(const Manifest &manifest, const FormulaEnvironment &environment) {
  if (Status status = check_shapes(manifest, environment); !status)
    return status;
  return check_requirements(manifest, environment);
}

} // namespace

int select_module(const Manifest &manifest, const Alternative &alternative, const tilefold_device_properties &device) {
  for (int module : alternative.modules)
    if (manifest.modules[size_t(module)].target.ptx_runs_on(device.capability_major, device.capability_minor))
      return module;
  return -1;
}

Status verify(const Manifest &manifest, const tilefold_device_properties &device) {
  std::string holes;
  for (const Alternative &alternative : manifest.alternatives) {
    const std::string reason = unfit(manifest, alternative, device);
    if (reason.empty() && alternative.guards.empty())
      return {}; // whatever the others lack, this one takes every call that reaches it
    if (!reason.empty())
      holes += (holes.empty() ? "" : "; ") + ("alternative '" + alternative.name + "' " + reason);
  }
  if (holes.empty())
    return {};
  return {TILEFOLD_ERROR_UNSUPPORTED, "program '" + manifest.program + "' has holes on this device: " + holes};
}

Result<uint64_t> workspace_bytes(const Manifest &manifest, const tilefold_arguments &arguments,
                                 const tilefold_device_properties &device) {
  Result<FormulaEnvironment> environment = bind_arguments(manifest, arguments, device, Binding::ShapesOnly);
  if (!environment)
    return environment.status();
  if (Status status = check_arguments(manifest, *environment); !status)
    return status;
  Plan plan;
  if (Status status = place_workspaces(manifest, 0, *environment, plan); !status)
    return status;
  return plan.workspace_bytes;
}

Result<std::vector<int64_t>> expected_shape(const Manifest &manifest, const tilefold_arguments &arguments,
                                            const tilefold_device_properties &device, std::string_view name) {
  const int index = manifest.symbols.find_tensor(name);
  if (index < 0 || !manifest.symbols.tensors[size_t(index)].is_argument)
    return Status(TILEFOLD_ERROR_ARGUMENT, "program '" + manifest.program + "' has no tensor '" + std::string(name) + "'",
                  std::string(name));
  const TensorDeclaration &declared = manifest.tensors[size_t(index)];
  if (declared.shape.empty() && declared.rank > 0)
    return Status(TILEFOLD_ERROR_UNSUPPORTED, "program '" + manifest.program + "' does not say which shape argument '" +
                                                  declared.name + "' has", declared.name);
  Result<FormulaEnvironment> environment = bind_arguments(manifest, arguments, device, Binding::ShapesOnly);
  if (!environment)
    return environment.status();
  Result<std::vector<int64_t>> shape = evaluate_shape(declared.shape, *environment);
  if (!shape)
    return owned(shape.status(), "shape of argument '" + declared.name + "'", declared.name);
  for (int64_t size : *shape)
    if (!support::is_extent(size))
      return Status(TILEFOLD_ERROR_ARGUMENT, "argument '" + declared.name + "' would have shape " + shape_text(*shape) +
                                                 ", expected extents of " + support::extent_range,
                    declared.name);
  return shape;
}

Result<Plan> make_plan(const Manifest &manifest, const tilefold_arguments &arguments,
                       const tilefold_device_properties &device, uint64_t workspace) {
  Result<FormulaEnvironment> environment = bind_arguments(manifest, arguments, device, Binding::Complete);
  if (!environment)
    return environment.status();
  if (Status status = check_arguments(manifest, *environment); !status)
    return status;
  if (Status status = check_overlap(manifest, *environment); !status)
    return status;
  Plan plan;
  if (Status status = place_workspaces(manifest, workspace, *environment, plan); !status)
    return status;

  std::string reasons;
  for (size_t i = 0; i < manifest.alternatives.size(); ++i) {
    const Alternative &alternative = manifest.alternatives[i];
    std::string reason = unfit(manifest, alternative, device);
    for (size_t g = 0; reason.empty() && g < alternative.guards.size(); ++g) {
      Result<int64_t> holds = alternative.guards[g].evaluate(*environment);
      if (!holds)
        return owned(holds.status(), "guard of alternative '" + alternative.name + "'");
      if (!*holds)
        reason = "needs " + alternative.guards[g].text();
    }
    if (!reason.empty()) {
      reasons += (reasons.empty() ? "" : "; ") + ("alternative '" + alternative.name + "' " + reason);
      continue;
    }
    plan.alternative = int(i);
    plan.module = select_module(manifest, alternative, device);
    const std::vector<Cubin> &cubins = manifest.modules[size_t(plan.module)].cubins;
    for (size_t c = 0; c < cubins.size(); ++c)
      if (cubins[c].arch.cubin_runs_on(device.capability_major, device.capability_minor))
        plan.cubin = int(c);
    for (const LaunchDeclaration &declared : alternative.launches) {
      Result<PlannedLaunch> launch = plan_launch(declared, *environment);
      if (!launch)
        return launch.status();
      plan.launches.push_back(*std::move(launch));
    }
    return plan;
  }
  return Status(TILEFOLD_ERROR_UNSUPPORTED, "program '" + manifest.program + "' has no alternative for these arguments: " +
                                                reasons);
}

static void write_parameter(JsonText &text, DType type, uint64_t bits) {
  text.object().key("type").string(dtype_name(type)).key("value");
  if (type == TILEFOLD_F32) {
    float single = 0;
    std::memcpy(&single, &bits, sizeof single);
    text.real(single);
  } else {
    text.integer(type == TILEFOLD_I32 ? int64_t(int32_t(uint32_t(bits))) : int64_t(bits));
  }
  text.end();
}

static void write_launch(JsonText &text, const PlannedLaunch &launch) {
  text.object();
  text.key("block").natural(launch.block).key("blocks").natural(launch.blocks).key("cluster").natural(launch.cluster);
  text.key("entry").string(launch.entry).key("grid").array();
  for (int64_t extent : launch.grid)
    text.integer(extent);
  text.end().key("kernel").string(launch.kernel).key("parameters").array();
  for (size_t i = 0; i < launch.parameters.size(); ++i)
    write_parameter(text, launch.parameter_types[i], launch.parameters[i]);
  text.end().key("shared").natural(launch.shared).end();
}

std::string plan_to_json_text(const Manifest &manifest, const Plan &plan) {
  const Module &module = manifest.modules[size_t(plan.module)];
  JsonText text;
  text.object().key("alternative").string(manifest.alternatives[size_t(plan.alternative)].name);
  text.key("code").string(plan.cubin < 0 ? "ptx" : "cubin " + module.cubins[size_t(plan.cubin)].arch.text());
  text.key("launches").array();
  for (const PlannedLaunch &launch : plan.launches)
    write_launch(text, launch);
  text.end().key("program").string(manifest.program).key("target").string(module.target.text());
  text.key("workspace_bytes").natural(plan.workspace_bytes).key("workspaces").array();
  for (const PlannedWorkspace &part : plan.workspaces)
    text.object().key("bytes").natural(part.bytes).key("init").string(part.zero_once ? "zero_once" : "any").key("name").string(part.name)
        .key("offset").natural(part.offset).end();
  return text.end().end().take();
}

} // namespace tilefold::runtime
