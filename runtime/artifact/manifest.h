// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/artifact/expression.h"
#include "runtime/artifact/format.h"
#include "runtime/artifact/json_document.h"
#include "runtime/artifact/ptx.h"
#include "runtime/dtype.h"
#include "runtime/plan/target.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilefold::runtime {

struct TensorDeclaration {
  std::string name;
  tilefold_role role = TILEFOLD_INPUT;
  DType dtype = TILEFOLD_F32;
  int rank = 0;
  std::vector<Expression> shape; ///< the expected shape; empty if any will do (or rank 0)
};

struct ScalarDeclaration {
  std::string name;
  DType dtype = TILEFOLD_F32; ///< F32, I32 or I64
  std::optional<ScalarValue> default_value;
};

/// A check of the arguments that the program itself states.
struct Requirement {
  Expression condition;
  std::string argument;
  std::string expected; ///< {0}, {1}, ... stand for `values`
  std::vector<Expression> values;
};

struct WorkspaceDeclaration {
  std::string name;
  DType dtype = TILEFOLD_F32;
  std::vector<Expression> shape;
  bool zero_once = false;
};

/// What one kernel parameter is filled with; `type` is its machine type.
struct ParameterRecipe {
  enum class Kind { Pointer, Size, Stride, Scalar, Value } kind = Kind::Pointer;
  DType type = TILEFOLD_I64;
  int symbol = 0;    ///< tensor or scalar
  int dimension = 0; ///< of Size and Stride
  std::optional<Expression> value;
};

struct LaunchDeclaration {
  std::string kernel; ///< the name in the source
  std::string entry;  ///< the name in the PTX
  std::vector<Expression> grid; // x, y, z
  uint32_t block = 0;   ///< threads
  uint32_t cluster = 1; ///< blocks
  uint32_t shared = 0;  ///< bytes of dynamic shared memory
  std::vector<ParameterRecipe> parameters;
  int64_t parameter_bytes = 0;
};

struct Alternative {
  std::string name;
  std::optional<Target> target; ///< the module that it must come from; any if absent
  std::vector<Expression> guards;
  std::vector<LaunchDeclaration> launches;
  std::vector<int> modules; ///< those that define all its kernels, the best target first
};

struct Cubin {
  Target arch;
  std::vector<uint8_t> data;
};

struct Module {
  Target target;
  std::string ptx;
  std::vector<Cubin> cubins;
  std::set<std::string> entries; ///< the kernels that the PTX defines
  PtxVersion version;
};

/// A checked artifact: every name is resolved and every formula is typed, so that what remains to fail later is about
/// arguments and devices only.
struct Manifest {
  Hash128 hash{};
  std::string program;
  SymbolTable symbols; ///< tensors: arguments, then workspaces
  std::vector<TensorDeclaration> tensors;
  std::vector<ScalarDeclaration> scalars;
  std::vector<std::pair<bool, int>> argument_order; ///< (is a tensor, index) as declared
  std::vector<Requirement> requirements;
  std::vector<WorkspaceDeclaration> workspaces;
  std::vector<Alternative> alternatives;
  std::vector<Module> modules;
  JsonDocument document;   ///< the whole body, code included

  /// Checks header, hash and schema. Errors: TILEFOLD_ERROR_ARTIFACT_*.
  static Result<Manifest> parse(const uint8_t *bytes, size_t size);
};

/// The manifest as indented JSON; PTX and cubins become their sizes unless `include_code`.
std::string manifest_to_json_text(const Manifest &manifest, bool include_code);

} // namespace tilefold::runtime
