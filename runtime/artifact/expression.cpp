// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/expression.h"
#include "runtime/artifact/format.h"

#include <nlohmann/json.hpp>

#include <climits>
#include <cmath>
#include <cstdio>

namespace tilefold::runtime {

using Op = Expression::Op;
using nlohmann::json;

namespace {

enum class Kind { Arithmetic, Comparison, Logical, Select };

struct OpRow {
  const char *name;
  Op op;
  Kind kind;
  int least, most; // operands
  const char *infix;
};
constexpr int any = INT_MAX;
constexpr OpRow op_table[] = {
    {"add", Op::Add, Kind::Arithmetic, 1, any, " + "},
    {"sub", Op::Sub, Kind::Arithmetic, 2, 2, " - "},
    {"mul", Op::Mul, Kind::Arithmetic, 1, any, " * "},
    {"floordiv", Op::FloorDiv, Kind::Arithmetic, 2, 2, nullptr},
    {"ceildiv", Op::CeilDiv, Kind::Arithmetic, 2, 2, nullptr},
    {"mod", Op::Mod, Kind::Arithmetic, 2, 2, " % "},
    {"min", Op::Min, Kind::Arithmetic, 1, any, nullptr},
    {"max", Op::Max, Kind::Arithmetic, 1, any, nullptr},
    {"lt", Op::Lt, Kind::Comparison, 2, 2, " < "},
    {"le", Op::Le, Kind::Comparison, 2, 2, " <= "},
    {"gt", Op::Gt, Kind::Comparison, 2, 2, " > "},
    {"ge", Op::Ge, Kind::Comparison, 2, 2, " >= "},
    {"eq", Op::Eq, Kind::Comparison, 2, 2, " == "},
    {"ne", Op::Ne, Kind::Comparison, 2, 2, " != "},
    {"and", Op::And, Kind::Logical, 0, any, " and "},
    {"or", Op::Or, Kind::Logical, 0, any, " or "},
    {"not", Op::Not, Kind::Logical, 1, 1, nullptr},
    {"select", Op::Select, Kind::Select, 3, 3, nullptr},
};

constexpr const char *device_properties[] = {"multiprocessor_count", "compute_capability", "max_shared_memory"};

int64_t device_property(const tilefold_device_properties &device, int index) {
  switch (index) {
  case 0:
    return device.multiprocessor_count;
  case 1:
    return int64_t(device.capability_major) * 10 + device.capability_minor;
  default:
    return device.max_shared_memory;
  }
}

Status malformed(std::string message) { return {TILEFOLD_ERROR_ARTIFACT_FORMAT, std::move(message)}; }

} // namespace

int SymbolTable::find_tensor(std::string_view name) const {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name)
      return int(i);
  return -1;
}

int SymbolTable::find_scalar(std::string_view name) const {
  for (size_t i = 0; i < scalars.size(); ++i)
    if (scalars[i].name == name)
      return int(i);
  return -1;
}

class ExpressionParser {
public:
  explicit ExpressionParser(const SymbolTable &symbols) : symbols_(symbols) {}

  /// Appends the nodes of `value`, gives the index of its root and appends its text.
  Result<int> parse(const json &value, std::string &text, int depth = 0) {
    if (depth > max_formula_depth)
      return malformed("formula is nested deeper than " + std::to_string(max_formula_depth));
    if (value.is_boolean())
      return integer(value.get<bool>(), text);
    if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX))
      return malformed("integer " + value.dump() + " does not fit 64 bits");
    if (value.is_number_integer())
      return integer(value.get<int64_t>(), text);
    if (!value.is_object() || value.size() != 1)
      return malformed(std::string("expected a formula (an integer or an object with one key), found ") +
                       value.type_name());
    const std::string &key = value.begin().key();
    const json &operand = value.begin().value();
    if (key == "size" || key == "stride")
      return dimension_of(key, operand, text);
    if (key == "address")
      return address(operand, text);
    if (key == "scalar")
      return scalar(operand, text);
    if (key == "device")
      return device(operand, text);
    if (key == "float")
      return floating(operand, text);
    for (const OpRow &row : op_table)
      if (key == row.name)
        return operation(row, operand, text, depth);
    return malformed("unknown operation '" + key + "' in a formula");
  }

  std::vector<Expression::Node> nodes;

private:
  int append(Expression::Node node) {
    nodes.push_back(std::move(node));
    return int(nodes.size()) - 1;
  }

  int integer(int64_t value, std::string &text) {
    Expression::Node node;
    node.integer = value;
    text += std::to_string(value);
    return append(std::move(node));
  }

  Result<int> floating(const json &operand, std::string &text) {
    if (!operand.is_number())
      return malformed("'float' takes a number");
    Expression::Node node;
    node.op = Op::Float;
    node.is_float = true;
    node.floating = operand.get<double>();
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", node.floating);
    text += buffer;
    return append(std::move(node));
  }

  Result<int> dimension_of(const std::string &key, const json &operand, std::string &text) {
    if (!operand.is_array() || operand.size() != 2 || !operand[0].is_string() || !operand[1].is_number_integer())
      return malformed("'" + key + "' takes a tensor's name and a dimension");
    const std::string &name = operand[0].get_ref<const std::string &>();
    const int tensor = symbols_.find_tensor(name);
    if (tensor < 0)
      return malformed("'" + key + "' of unknown tensor '" + name + "'");
    const int rank = symbols_.tensors[size_t(tensor)].rank;
    const bool in_range = operand[1].is_number_unsigned() ? operand[1].get<uint64_t>() < uint64_t(rank)
                                                          : operand[1].get<int64_t>() >= 0 && operand[1].get<int64_t>() < rank;
    if (!in_range)
      return malformed("'" + key + "' of dimension " + operand[1].dump() + " of '" + name + "', which has rank " +
                       std::to_string(rank));
    Expression::Node node;
    node.op = key == "size" ? Op::Size : Op::Stride;
    node.symbol = tensor;
    node.dimension = operand[1].get<int>();
    text += key + "(" + name + ", " + std::to_string(node.dimension) + ")";
    return append(std::move(node));
  }

  Result<int> address(const json &operand, std::string &text) {
    const int tensor = operand.is_string() ? symbols_.find_tensor(operand.get_ref<const std::string &>()) : -1;
    if (tensor < 0 || !symbols_.tensors[size_t(tensor)].is_argument)
      return malformed("'address' takes the name of a tensor argument");
    Expression::Node node;
    node.op = Op::Address;
    node.symbol = tensor;
    text += "address(" + symbols_.tensors[size_t(tensor)].name + ")";
    return append(std::move(node));
  }

  Result<int> scalar(const json &operand, std::string &text) {
    const int symbol = operand.is_string() ? symbols_.find_scalar(operand.get_ref<const std::string &>()) : -1;
    if (symbol < 0)
      return malformed("'scalar' takes the name of a scalar argument");
    Expression::Node node;
    node.is_float = symbols_.scalars[size_t(symbol)].is_float;
    node.op = node.is_float ? Op::FloatScalar : Op::IntegerScalar;
    node.symbol = symbol;
    text += symbols_.scalars[size_t(symbol)].name;
    return append(std::move(node));
  }

  Result<int> device(const json &operand, std::string &text) {
    if (operand.is_string())
      for (int i = 0; i < int(std::size(device_properties)); ++i)
        if (operand.get_ref<const std::string &>() == device_properties[i]) {
          Expression::Node node;
          node.op = Op::Device;
          node.symbol = i;
          text += device_properties[i];
          return append(std::move(node));
        }
    return malformed("'device' takes multiprocessor_count, compute_capability or max_shared_memory");
  }

  Result<int> operation(const OpRow &row, const json &operands, std::string &text, int depth) {
    if (!operands.is_array() || operands.size() < size_t(row.least) || operands.size() > size_t(row.most))
      return malformed(std::string("'") + row.name + "' takes " + std::to_string(row.least) +
                       (row.most == any ? " or more" : "") + " operands in an array");
    Expression::Node node;
    node.op = row.op;
    if (operands.empty()) // an empty conjunction holds, an empty disjunction does not
      return integer(row.op == Op::And, text);
    text += row.infix ? "(" : std::string(row.name) + "(";
    for (size_t i = 0; i < operands.size(); ++i) {
      if (i)
        text += row.infix ? row.infix : ", ";
      Result<int> operand = parse(operands[i], text, depth + 1);
      if (!operand)
        return operand;
      node.operands.push_back(*operand);
    }
    text += ")";

    auto is_float = [&](size_t i) { return nodes[size_t(node.operands[i])].is_float; };
    switch (row.kind) {
    case Kind::Comparison:
      break; // an integer beside a float is compared as a double
    case Kind::Select:
      if (is_float(0) || is_float(1) != is_float(2))
        return malformed("'select' takes an integer condition and two values of one type");
      node.is_float = is_float(1);
      break;
    case Kind::Arithmetic:
    case Kind::Logical:
      for (size_t i = 0; i < node.operands.size(); ++i)
        if (is_float(i))
          return malformed(std::string("'") + row.name + "' takes integers; floats may only be compared");
      break;
    }
    return append(std::move(node));
  }

  const SymbolTable &symbols_;
};

Result<Expression> Expression::parse(const json &value, const SymbolTable &symbols) {
  ExpressionParser parser(symbols);
  Expression expression;
  Result<int> root = parser.parse(value, expression.text_);
  if (!root)
    return root.status();
  if (parser.nodes.back().is_float)
    return malformed("formula '" + expression.text_ + "' is a float, expected an integer");
  std::string &text = expression.text_;
  if (text.size() > 1 && text.front() == '(') // the outermost parentheses say nothing
    text = text.substr(1, text.size() - 2);
  expression.nodes_ = std::move(parser.nodes);
  return expression;
}

class ExpressionEvaluator {
public:
  ExpressionEvaluator(const Expression &expression, const FormulaEnvironment &environment)
      : expression_(expression), environment_(environment) {}

  std::string error;

  /// False after an error. Exactly one of `integer` and `floating` is written, by the node's type.
  bool evaluate(int index, int64_t &integer, double &floating) {
    const Expression::Node &node = expression_.nodes_[size_t(index)];
    switch (node.op) {
    case Op::Integer:
      integer = node.integer;
      return true;
    case Op::Float:
      floating = node.floating;
      return true;
    case Op::Size:
    case Op::Stride:
    case Op::Address:
      return tensor(node, integer);
    case Op::IntegerScalar:
    case Op::FloatScalar: {
      const ScalarValue &scalar = environment_.scalars[size_t(node.symbol)];
      integer = scalar.integer;
      floating = scalar.floating;
      return scalar.known || fail("uses a scalar whose value is not known here");
    }
    case Op::Device:
      integer = device_property(environment_.device, node.symbol);
      return true;
    case Op::And:
    case Op::Or:
      for (int operand : node.operands) {
        if (!evaluate(operand, integer, floating))
          return false;
        if ((integer != 0) != (node.op == Op::And))
          break;
      }
      integer = integer != 0;
      return true;
    case Op::Not:
      if (!evaluate(node.operands[0], integer, floating))
        return false;
      integer = integer == 0;
      return true;
    case Op::Select:
      if (!evaluate(node.operands[0], integer, floating))
        return false;
      return evaluate(node.operands[integer ? 1 : 2], integer, floating);
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::Eq:
    case Op::Ne:
      return compare(node, integer);
    default:
      return arithmetic(node, integer);
    }
  }

private:
  bool fail(std::string message) {
    error = std::move(message);
    return false;
  }

  bool tensor(const Expression::Node &node, int64_t &result) {
    const TensorValue &tensor = environment_.tensors[size_t(node.symbol)];
    if (!tensor.known)
      return fail("uses a tensor whose shape is not known here");
    if (node.op == Op::Address)
      result = int64_t(tensor.address);
    else
      result = (node.op == Op::Size ? tensor.sizes : tensor.strides)[size_t(node.dimension)];
    return true;
  }

  template <class T> static bool holds(Op op, T a, T b) {
    switch (op) {
    case Op::Lt:
      return a < b;
    case Op::Le:
      return a <= b;
    case Op::Gt:
      return a > b;
    case Op::Ge:
      return a >= b;
    case Op::Eq:
      return a == b;
    default:
      return a != b;
    }
  }

  bool compare(const Expression::Node &node, int64_t &result) {
    int64_t integers[2] = {};
    double floats[2] = {};
    bool is_float[2];
    for (int i = 0; i < 2; ++i) {
      const int operand = node.operands[size_t(i)];
      is_float[i] = expression_.nodes_[size_t(operand)].is_float;
      if (!evaluate(operand, integers[i], floats[i]))
        return false;
    }
    if (!is_float[0] && !is_float[1]) {
      result = holds(node.op, integers[0], integers[1]);
      return true;
    }
    for (int i = 0; i < 2; ++i)
      if (!is_float[i])
        floats[i] = double(integers[i]);
    result = holds(node.op, floats[0], floats[1]);
    return true;
  }

  static int64_t floor_divide(int64_t a, int64_t b) {
    const int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  }

  bool combine(Op op, int64_t a, int64_t b, int64_t &result) {
    auto shown = [&](const char *what) {
      return fail(std::string(what) + " of " + std::to_string(a) + " and " + std::to_string(b) + " overflows 64 bits");
    };
    switch (op) {
    case Op::Add:
      return !__builtin_add_overflow(a, b, &result) || shown("the sum");
    case Op::Sub:
      return !__builtin_sub_overflow(a, b, &result) || shown("the difference");
    case Op::Mul:
      return !__builtin_mul_overflow(a, b, &result) || shown("the product");
    case Op::Min:
      result = a < b ? a : b;
      return true;
    case Op::Max:
      result = a > b ? a : b;
      return true;
    default:
      break;
    }
    if (b == 0)
      return fail(std::to_string(a) + " is divided by zero");
    if (b == -1) { // INT64_MIN / -1 is the one quotient that overflows
      result = 0;
      return op == Op::Mod || !__builtin_sub_overflow(int64_t(0), a, &result) || shown("the quotient");
    }
    const int64_t floor = floor_divide(a, b);
    if (op == Op::FloorDiv)
      result = floor;
    else if (op == Op::CeilDiv)
      result = floor + (a % b != 0);
    else
      result = a % b != 0 && (a < 0) != (b < 0) ? a % b + b : a % b; // the sign of the divisor
    return true;
  }

  bool arithmetic(const Expression::Node &node, int64_t &result) {
    double unused = 0;
    if (!evaluate(node.operands[0], result, unused))
      return false;
    for (size_t i = 1; i < node.operands.size(); ++i) {
      int64_t operand = 0;
      if (!evaluate(node.operands[i], operand, unused) || !combine(node.op, result, operand, result))
        return false;
    }
    return true;
  }

  const Expression &expression_;
  const FormulaEnvironment &environment_;
};

Result<int64_t> Expression::evaluate(const FormulaEnvironment &environment) const {
  ExpressionEvaluator evaluator(*this, environment);
  int64_t integer = 0;
  double floating = 0;
  if (!evaluator.evaluate(int(nodes_.size()) - 1, integer, floating))
    return Status(TILEFOLD_ERROR_ARGUMENT, "formula '" + text_ + "': " + evaluator.error);
  return integer;
}

} // namespace tilefold::runtime
