// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/manifest.h"
#include "runtime/artifact/cbor_check.h"
#include "runtime/artifact/json_text.h"
#include "runtime/artifact/ptx.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace tilefold::runtime {

using nlohmann::json;

namespace {

Status malformed(const std::string &where, const std::string &what) {
  return {TILEFOLD_ERROR_ARTIFACT_FORMAT, "malformed artifact: " + where + ": " + what};
}

/// Extents, block sizes and bytes are far below this; the bound keeps sums of parameters and shared memory in range.
constexpr int64_t max_rank = 8;
constexpr int cbor_depth_limit = 512;
static_assert(cbor_depth_limit >= 2 * max_formula_depth + 16); // a map and an array for each operation, in those of the schema

/// Reads the JSON body without trusting it. The first error is kept and makes all later steps do nothing, so that the
/// code below reads like the schema. No accessor of the JSON library is used in a way that could throw: the library may be
/// linked into programs built without exceptions.
class ManifestReader {
public:
  explicit ManifestReader(Manifest &manifest) : manifest_(manifest) {}

  Status read() {
    const json &root = manifest_.document.root();
    if (!root.is_object())
      return malformed("body", std::string("expected an object, found ") + root.type_name());
    const int64_t format = integer(root, "format", "body", 0, INT64_MAX);
    if (status_ && format != 1)
      return {TILEFOLD_ERROR_ARTIFACT_VERSION,
              "artifact has manifest format " + std::to_string(format) + ", this runtime reads 1"};
    manifest_.program = string(root, "program", "body");
    arguments(root);
    requirements(root);
    workspaces(root);
    alternatives(root);
    modules(root);
    return status_;
  }

private:
  // --- Accessors that check ---

  void fail(const std::string &where, const std::string &what) {
    if (status_)
      status_ = malformed(where, what);
  }

  /// The member, or null after an error (`optional`: or if it is absent).
  const json *member(const json &object, const char *key, const std::string &where, bool optional = false) {
    if (!status_)
      return nullptr;
    if (!object.is_object()) {
      fail(where, std::string("expected an object, found ") + object.type_name());
      return nullptr;
    }
    auto it = object.find(key);
    if (it != object.end())
      return &*it;
    if (!optional)
      fail(where, std::string("'") + key + "' is missing");
    return nullptr;
  }

  std::string string(const json &object, const char *key, const std::string &where) {
    const json *value = member(object, key, where);
    if (value && value->is_string())
      return value->get_ref<const std::string &>();
    if (value)
      fail(where, std::string("'") + key + "' must be a string");
    return {};
  }

  int64_t integer(const json &object, const char *key, const std::string &where, int64_t least, int64_t most,
                  std::optional<int64_t> absent = std::nullopt) {
    const json *value = member(object, key, where, absent.has_value());
    if (!value)
      return absent.value_or(least);
    const bool fits = value->is_number_unsigned() ? value->get<uint64_t>() <= uint64_t(most)
                                                  : value->is_number_integer() && value->get<int64_t>() <= most;
    if (fits && (value->is_number_unsigned() || value->get<int64_t>() >= least) && value->get<int64_t>() >= least)
      return value->get<int64_t>();
    fail(where, std::string("'") + key + "' must be an integer from " + std::to_string(least) + " to " +
                    std::to_string(most));
    return least;
  }

  const json &array(const json &object, const char *key, const std::string &where, bool optional = false) {
    static const json empty = json::array();
    const json *value = member(object, key, where, optional);
    if (value && value->is_array())
      return *value;
    if (value)
      fail(where, std::string("'") + key + "' must be an array");
    return empty;
  }

  DType dtype(const json &object, const char *key, const std::string &where) {
    const std::string name = string(object, key, where);
    if (std::optional<DType> dtype = dtype_from_name(name))
      return *dtype;
    fail(where, "unknown element type '" + name + "'");
    return TILEFOLD_F32;
  }

  Target target(const json &object, const char *key, const std::string &where) {
    const std::string text = string(object, key, where);
    if (std::optional<Target> target = Target::parse(text))
      return *target;
    fail(where, "'" + text + "' is no target such as sm_80 or sm_90a");
    return {};
  }

  Expression expression(const json &value, const std::string &where) {
    if (!status_)
      return {};
    Result<Expression> expression = Expression::parse(value, manifest_.symbols);
    if (expression)
      return *std::move(expression);
    fail(where, expression.status().message());
    return {};
  }

  std::vector<Expression> expressions(const json &values, const std::string &where) {
    std::vector<Expression> result;
    for (const json &value : values)
      result.push_back(expression(value, where));
    return result;
  }

  // --- The schema, in its order ---

  void arguments(const json &root) {
    // Names first: a shape may refer to arguments that are declared later.
    for (const json &argument : array(root, "arguments", "body")) {
      const std::string name = string(argument, "name", "arguments");
      const std::string where = "argument '" + name + "'";
      const std::string kind = string(argument, "kind", where);
      declare(name, where);
      if (kind == "tensor")
        tensor(argument, name, where);
      else if (kind == "scalar")
        scalar(argument, name, where);
      else
        fail(where, "'kind' must be tensor or scalar, found '" + kind + "'");
    }
    int next = 0;
    for (const json &argument : array(root, "arguments", "body")) {
      if (!status_)
        return;
      if (string(argument, "kind", "arguments") != "tensor")
        continue;
      TensorDeclaration &tensor = manifest_.tensors[size_t(next++)];
      const json *shape = member(argument, "shape", "arguments", /*optional=*/true);
      if (!shape || shape->is_null())
        continue;
      const std::string where = "shape of '" + tensor.name + "'";
      if (!shape->is_array() || shape->size() != size_t(tensor.rank))
        return fail(where, "expected an array of " + std::to_string(tensor.rank) + " formulas");
      tensor.shape = expressions(*shape, where);
    }
  }

  void declare(const std::string &name, const std::string &where) {
    if (name.empty())
      fail(where, "empty name");
    if (!names_.insert(name).second)
      fail(where, "declared twice");
  }

  void tensor(const json &argument, const std::string &name, const std::string &where) {
    TensorDeclaration tensor;
    tensor.name = name;
    tensor.dtype = dtype(argument, "dtype", where);
    tensor.rank = int(integer(argument, "rank", where, 0, max_rank));
    const std::string role = string(argument, "role", where);
    if (role == "input")
      tensor.role = TILEFOLD_INPUT;
    else if (role == "output")
      tensor.role = TILEFOLD_OUTPUT;
    else if (role == "inout")
      tensor.role = TILEFOLD_INOUT;
    else
      fail(where, "'role' must be input, output or inout, found '" + role + "'");
    manifest_.argument_order.emplace_back(true, int(manifest_.tensors.size()));
    manifest_.symbols.tensors.push_back({name, tensor.rank, /*is_argument=*/true});
    manifest_.tensors.push_back(std::move(tensor));
  }

  void scalar(const json &argument, const std::string &name, const std::string &where) {
    ScalarDeclaration scalar;
    scalar.name = name;
    scalar.dtype = dtype(argument, "dtype", where);
    const bool is_float = scalar.dtype == TILEFOLD_F32;
    if (!is_float && scalar.dtype != TILEFOLD_I32 && scalar.dtype != TILEFOLD_I64)
      fail(where, "a scalar is f32, i32 or i64");
    if (const json *value = member(argument, "default", where, /*optional=*/true); value && !value->is_null()) {
      ScalarValue parsed;
      parsed.known = true;
      if (is_float && value->is_number() && std::isfinite(float(value->get<double>())))
        parsed.floating = float(value->get<double>());
      else if (!is_float && value->is_number_integer())
        parsed.integer = scalar.dtype == TILEFOLD_I32 ? integer(argument, "default", where, INT32_MIN, INT32_MAX)
                                                      : integer(argument, "default", where, INT64_MIN, INT64_MAX);
      else
        fail(where, "the default is no finite " + std::string(dtype_name(scalar.dtype)));
      scalar.default_value = parsed;
    }
    manifest_.argument_order.emplace_back(false, int(manifest_.scalars.size()));
    manifest_.symbols.scalars.push_back({name, is_float});
    manifest_.scalars.push_back(std::move(scalar));
  }

  void requirements(const json &root) {
    for (const json &value : array(root, "requirements", "body", /*optional=*/true)) {
      Requirement requirement;
      requirement.argument = string(value, "argument", "requirements");
      const std::string where = "requirement on '" + requirement.argument + "'";
      if (status_ && !names_.count(requirement.argument))
        fail(where, "there is no such argument");
      requirement.expected = string(value, "expected", where);
      if (const json *condition = member(value, "condition", where))
        requirement.condition = expression(*condition, where);
      requirement.values = expressions(array(value, "values", where, /*optional=*/true), where);
      manifest_.requirements.push_back(std::move(requirement));
    }
  }

  void workspaces(const json &root) {
    for (const json &value : array(root, "workspaces", "body", /*optional=*/true)) {
      WorkspaceDeclaration workspace;
      workspace.name = string(value, "name", "workspaces");
      const std::string where = "workspace '" + workspace.name + "'";
      declare(workspace.name, where);
      workspace.dtype = dtype(value, "dtype", where);
      const json &shape = array(value, "shape", where);
      if (shape.size() > size_t(max_rank))
        fail(where, "rank " + std::to_string(shape.size()) + ", at most 8 is supported");
      workspace.shape = expressions(shape, where);
      const std::string init = string(value, "init", where);
      workspace.zero_once = init == "zero_once";
      if (!workspace.zero_once && init != "any")
        fail(where, "'init' must be any or zero_once, found '" + init + "'");
      // Entered last, so that a workspace's shape cannot refer to the workspace itself.
      manifest_.symbols.tensors.push_back({workspace.name, int(workspace.shape.size()), /*is_argument=*/false});
      manifest_.workspaces.push_back(std::move(workspace));
    }
  }

  void alternatives(const json &root) {
    for (const json &value : array(root, "alternatives", "body")) {
      Alternative alternative;
      alternative.name = string(value, "name", "alternatives");
      const std::string where = "alternative '" + alternative.name + "'";
      if (const json *absent = member(value, "target", where, /*optional=*/true); absent && !absent->is_null())
        alternative.target = target(value, "target", where);
      alternative.guards = expressions(array(value, "guards", where, /*optional=*/true), where + ", guard");
      for (const json &launch : array(value, "launches", where))
        alternative.launches.push_back(this->launch(launch, where));
      manifest_.alternatives.push_back(std::move(alternative));
    }
    if (manifest_.alternatives.empty())
      fail("alternatives", "there are none");
  }

  LaunchDeclaration launch(const json &value, const std::string &alternative) {
    LaunchDeclaration launch;
    launch.kernel = string(value, "kernel", alternative);
    const std::string where = alternative + ", launch of '" + launch.kernel + "'";
    launch.entry = string(value, "entry", where);
    const json &grid = array(value, "grid", where);
    if (grid.size() != 3)
      fail(where, "'grid' must have three extents");
    launch.grid = expressions(grid, where + ", grid");
    launch.block = uint32_t(integer(value, "block", where, 1, 1024));
    launch.cluster = uint32_t(integer(value, "cluster", where, 1, 16, 1));
    launch.shared = uint32_t(integer(value, "shared", where, 0, INT32_MAX, 0));
    for (const json &parameter : array(value, "parameters", where)) {
      launch.parameters.push_back(this->parameter(parameter, where + ", parameter " +
                                                                 std::to_string(launch.parameters.size())));
      const int64_t size = dtype_size(launch.parameters.back().type); // kernel parameters are naturally aligned
      launch.parameter_bytes = (launch.parameter_bytes + size - 1) / size * size + size;
    }
    return launch;
  }

  ParameterRecipe parameter(const json &value, const std::string &where) {
    using Kind = ParameterRecipe::Kind;
    ParameterRecipe recipe;
    if (!status_)
      return recipe;
    if (const json *formula = member(value, "value", where, /*optional=*/true)) {
      recipe.kind = Kind::Value;
      recipe.value = expression(*formula, where);
      recipe.type = dtype(value, "type", where);
      if (recipe.type != TILEFOLD_I32 && recipe.type != TILEFOLD_I64)
        fail(where, "a value parameter is i32 or i64");
      return recipe;
    }
    if (!value.is_object() || value.size() != 1) {
      fail(where, "expected an object with one of pointer, size, stride, scalar, value");
      return recipe;
    }
    const std::string &key = value.begin().key();
    const json &operand = value.begin().value();
    const json &named = operand.is_array() && !operand.empty() ? operand[0] : operand;
    const std::string name = named.is_string() ? named.get_ref<const std::string &>() : std::string();
    recipe.symbol = key == "scalar" ? manifest_.symbols.find_scalar(name) : manifest_.symbols.find_tensor(name);
    if (recipe.symbol < 0) {
      fail(where, "'" + key + "' names no " + (key == "scalar" ? "scalar" : "tensor or workspace"));
      return recipe;
    }
    if (key == "pointer") {
      recipe.kind = Kind::Pointer;
    } else if (key == "scalar") {
      recipe.kind = Kind::Scalar;
      recipe.type = manifest_.scalars[size_t(recipe.symbol)].dtype;
    } else if (key == "size" || key == "stride") {
      recipe.kind = key == "size" ? Kind::Size : Kind::Stride;
      recipe.type = key == "size" ? TILEFOLD_I32 : TILEFOLD_I64;
      const int rank = manifest_.symbols.tensors[size_t(recipe.symbol)].rank;
      if (operand.is_array() && operand.size() == 2 && operand[1].is_number_integer() &&
          operand[1].get<int64_t>() >= 0 && operand[1].get<int64_t>() < rank)
        recipe.dimension = operand[1].get<int>();
      else
        fail(where, "expected a name and a dimension below " + std::to_string(rank));
    } else {
      fail(where, "unknown kind '" + key + "'");
    }
    return recipe;
  }

  void modules(const json &root) {
    for (const json &value : array(root, "modules", "body")) {
      Module module;
      module.target = target(value, "target", "modules");
      const std::string where = "module " + module.target.text();
      module.ptx = string(value, "ptx", where);
      if (module.ptx.find('\0') != std::string::npos)
        fail(where, "the PTX contains a zero byte");
      for (const Module &other : manifest_.modules)
        if (status_ && other.target == module.target)
          fail(where, "present twice");
      for (const json &entry : array(value, "cubins", where, /*optional=*/true)) {
        Cubin cubin;
        cubin.arch = target(entry, "arch", where + ", cubin");
        const json *data = member(entry, "data", where + ", cubin");
        if (data && data->is_binary())
          cubin.data = data->get_binary();
        else
          fail(where, "a cubin's 'data' must be binary");
        module.cubins.push_back(std::move(cubin));
      }
      module.entries = ptx_entries(module.ptx);
      module.version = ptx_version(module.ptx);
      manifest_.modules.push_back(std::move(module));
    }
    if (manifest_.modules.empty())
      fail("modules", "there are none");
    for (Alternative &alternative : manifest_.alternatives)
      find_modules(alternative);
  }

  void find_modules(Alternative &alternative) {
    const std::vector<Module> &modules = manifest_.modules;
    std::string missing;
    for (int i = 0; i < int(modules.size()); ++i) {
      if (alternative.target && !(modules[size_t(i)].target == *alternative.target))
        continue;
      bool complete = true;
      for (const LaunchDeclaration &launch : alternative.launches)
        if (!modules[size_t(i)].entries.count(launch.entry)) {
          complete = false;
          missing = launch.entry;
        }
      if (complete) {
        check_parameters(alternative, modules[size_t(i)]);
        alternative.modules.push_back(i);
      }
    }
    std::sort(alternative.modules.begin(), alternative.modules.end(), [&](int a, int b) {
      return better_target(modules[size_t(a)].target, modules[size_t(b)].target);
    });
    if (alternative.modules.empty())
      fail("alternative '" + alternative.name + "'",
           missing.empty() ? "there is no module for its target" : "no module defines its kernel '" + missing + "'");
  }

  void check_parameters(const Alternative &alternative, const Module &module) {
    const int64_t most = kernel_parameter_bytes(module.version);
    for (const LaunchDeclaration &launch : alternative.launches)
      if (launch.parameter_bytes > most)
        fail("alternative '" + alternative.name + "', launch of '" + launch.kernel + "'",
             std::to_string(launch.parameter_bytes) + " bytes of parameters, a kernel in PTX " +
                 std::to_string(module.version.first) + "." + std::to_string(module.version.second) + " takes at most " +
                 std::to_string(most));
  }

  Manifest &manifest_;
  Status status_;
  std::set<std::string> names_; // of arguments and workspaces
};

uint64_t little_endian(const uint8_t *bytes, int width) {
  uint64_t value = 0;
  for (int i = 0; i < width; ++i)
    value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

} // namespace

Result<Manifest> Manifest::parse(const uint8_t *bytes, size_t size) {
  using Header = ArtifactHeader;
  if (size < sizeof Header::magic - 1 || std::memcmp(bytes, Header::magic, sizeof Header::magic - 1) != 0)
    return Status(TILEFOLD_ERROR_ARTIFACT_MAGIC, "not a Tilefold artifact: it does not start with TILEFOLD");
  if (size < Header::size)
    return Status(TILEFOLD_ERROR_ARTIFACT_LENGTH, "truncated artifact: " + std::to_string(size) +
                                                      " bytes, the header alone has " + std::to_string(Header::size));
  const uint64_t version = little_endian(bytes + Header::version_at, 4);
  const uint64_t flags = little_endian(bytes + Header::flags_at, 4);
  if (version != Header::version || flags != 0)
    return Status(TILEFOLD_ERROR_ARTIFACT_VERSION, "artifact has format version " + std::to_string(version) +
                                                       ", flags " + std::to_string(flags) +
                                                       "; this runtime reads version 1, flags 0");
  const uint64_t length = little_endian(bytes + Header::length_at, 8);
  if (length != size - Header::size)
    return Status(TILEFOLD_ERROR_ARTIFACT_LENGTH, "artifact's header announces a body of " + std::to_string(length) +
                                                      " bytes, there are " + std::to_string(size - Header::size));
  const uint8_t *body = bytes + Header::size;
  Manifest manifest;
  manifest.hash = hash_body(body, length);
  if (std::memcmp(manifest.hash.data(), bytes + Header::hash_at, manifest.hash.size()) != 0)
    return Status(TILEFOLD_ERROR_ARTIFACT_HASH, "artifact is damaged: its body does not have the hash that the header states");
  if (!cbor_is_sane(body, length, cbor_depth_limit))
    return malformed("body", "not valid CBOR, or nested too deeply");
  if (!manifest.document.read_cbor(body, length))
    return malformed("body", "not valid CBOR");
  if (Status status = ManifestReader(manifest).read(); !status)
    return status;
  return manifest;
}

/// A module; its code as how much there is unless it is asked for.
static void write_module(JsonText &text, const json &module, bool include_code) {
  text.object();
  if (!module.contains("cubins"))
    text.key("cubins").array().end();
  for (const auto &[name, member] : *module.get_ptr<const json::object_t *>()) {
    text.key(name);
    if (name != "ptx" || include_code) {
      text.value(member); // machine code cannot be told in JSON
      continue;
    }
    const std::string &ptx = member.get_ref<const std::string &>();
    text.object().key("bytes").natural(ptx.size()).key("lines").natural(size_t(std::count(ptx.begin(), ptx.end(), '\n'))).end();
  }
  text.end();
}

std::string manifest_to_json_text(const Manifest &manifest, bool include_code) {
  static const char digits[] = "0123456789abcdef";
  std::string hash;
  for (uint8_t byte : manifest.hash)
    (hash += digits[byte >> 4]) += digits[byte & 15];
  JsonText text;
  text.object();
  for (const auto &[name, member] : *manifest.document.root().get_ptr<const json::object_t *>()) {
    if (name == "xxh3_128") // the body cannot hold its own
      continue;
    text.key(name);
    if (name != "modules") {
      text.value(member);
      continue;
    }
    text.array();
    for (const json &module : member)
      write_module(text, module, include_code);
    text.end();
  }
  text.key("xxh3_128").string(hash).end();
  return text.take();
}

} // namespace tilefold::runtime
