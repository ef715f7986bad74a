// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/status.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilefold::runtime {

/// Names that formulas may use, in the order in which a `FormulaEnvironment` holds their values.
struct SymbolTable {
  struct TensorSymbol {
    std::string name;
    int rank;
    bool is_argument; ///< workspaces have sizes and strides but no address that a formula may see
  };
  struct ScalarSymbol {
    std::string name;
    bool is_float;
  };
  std::vector<TensorSymbol> tensors;
  std::vector<ScalarSymbol> scalars;

  int find_tensor(std::string_view name) const; ///< -1 if there is none
  int find_scalar(std::string_view name) const;
};

/// A tensor whose sizes and strides (elements) are known.
struct TensorValue {
  bool known = false;
  uint64_t address = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

/// The declared dtype says which of the two is meant. A float is already rounded to f32.
struct ScalarValue {
  bool known = false;
  int64_t integer = 0;
  double floating = 0;
};

struct FormulaEnvironment {
  std::vector<TensorValue> tensors; // as SymbolTable::tensors
  std::vector<ScalarValue> scalars; // as SymbolTable::scalars
  tilefold_device_properties device{};
};

/// A formula of the manifest, parsed once. Integers are i64; overflow and division by zero are errors, never wrapped
/// values. `and`, `or` and `select` evaluate only what they need, so `or(eq(n, 0), eq(mod(m, n), 0))` is safe.
/// Division and modulo round towards minus infinity. Comparisons with a NaN are false, except `ne`.
class Expression {
public:
  /// Parses and type-checks. The error has no argument name; the caller says whose formula it is.
  static Result<Expression> parse(const nlohmann::json &json, const SymbolTable &symbols);

  Result<int64_t> evaluate(const FormulaEnvironment &environment) const;

  /// Reads like source: `size(q, 3) <= 128`.
  const std::string &text() const { return text_; }

  enum class Op {
    Integer, Float, Size, Stride, Address, IntegerScalar, FloatScalar, Device,
    Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max,
    Lt, Le, Gt, Ge, Eq, Ne, And, Or, Not, Select,
  };

private:
  friend class ExpressionParser;
  friend class ExpressionEvaluator;

  struct Node {
    Op op = Op::Integer;
    bool is_float = false;
    int64_t integer = 0; // literal
    double floating = 0; // literal
    int symbol = 0;      // tensor, scalar or device property
    int dimension = 0;
    std::vector<int> operands;
  };
  std::vector<Node> nodes_; // operands precede their users; the last node is the root
  std::string text_;
};

} // namespace tilefold::runtime
