// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/binding.h"
#include "support/limits.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

namespace tilefold::runtime {

namespace {

Status wrong(const std::string &name, const std::string &what) {
  return {TILEFOLD_ERROR_ARGUMENT, "argument '" + name + "' " + what, name};
}

std::string dimension_text(int dimension) { return " in dimension " + std::to_string(dimension); }

/// Lowest and highest byte offsets (inclusive of the last element's bytes) that a tensor with elements reaches.
struct Reach {
  int64_t low = 0, high = 0;
};

bool compute_reach(const TensorValue &tensor, int64_t element_size, Reach &reach) {
  int64_t low = 0, high = 0;
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    int64_t span = 0;
    if (__builtin_mul_overflow(tensor.sizes[i] - 1, tensor.strides[i], &span) ||
        __builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high))
      return false;
  }
  return !__builtin_mul_overflow(low, element_size, &reach.low) && !__builtin_add_overflow(high, int64_t(1), &high) &&
         !__builtin_mul_overflow(high, element_size, &reach.high);
}

bool has_elements(const TensorValue &tensor) {
  return std::find(tensor.sizes.begin(), tensor.sizes.end(), 0) == tensor.sizes.end();
}

Status bind_tensor(const TensorDeclaration &declared, const tilefold_tensor &given, Binding mode, TensorValue &bound) {
  const std::string &name = declared.name;
  if (given.dtype != declared.dtype)
    return wrong(name, "has element type " + std::string(dtype_name(given.dtype)) + ", expected " +
                           std::string(dtype_name(declared.dtype)));
  if (given.rank != declared.rank)
    return wrong(name, "has rank " + std::to_string(given.rank) + ", expected " + std::to_string(declared.rank));
  if (given.rank > 0 && !given.sizes)
    return wrong(name, "has a null pointer for its sizes");
  const size_t rank = size_t(declared.rank);
  bound.known = true;
  bound.address = reinterpret_cast<uintptr_t>(given.data);
  bound.sizes.assign(given.sizes, given.sizes + rank);
  for (size_t i = 0; i < rank; ++i)
    if (!support::is_extent(bound.sizes[i]))
      return wrong(name, "has extent " + std::to_string(bound.sizes[i]) + dimension_text(int(i)) +
                             ", expected " + support::extent_range);
  if (given.strides) {
    bound.strides.assign(given.strides, given.strides + rank);
  } else {
    bound.strides.assign(rank, 1);
    for (size_t i = rank; i-- > 1;)
      if (__builtin_mul_overflow(bound.strides[i], bound.sizes[i], &bound.strides[i - 1]))
        return wrong(name, "of shape " + shape_text(bound.sizes) + " has strides beyond 64 bits, expected fewer elements");
  }
  if (!has_elements(bound))
    return {};
  Reach reach;
  if (!compute_reach(bound, dtype_size(declared.dtype), reach))
    return wrong(name, "of shape " + shape_text(bound.sizes) + " and strides " + shape_text(bound.strides) +
                           " reaches beyond 64 bits, expected a tensor that fits memory");
  if (mode == Binding::ShapesOnly)
    return {};
  if (!given.data)
    return wrong(name, "is a null pointer, expected device memory for shape " + shape_text(bound.sizes));
  const int64_t element_size = dtype_size(declared.dtype);
  if (bound.address % uint64_t(element_size) != 0)
    return wrong(name, "has address " + std::to_string(bound.address) + ", expected a multiple of its element size " +
                           std::to_string(element_size));
  int64_t end = 0;
  if (bound.address > uint64_t(INT64_MAX) || __builtin_add_overflow(int64_t(bound.address), reach.high, &end) ||
      int64_t(bound.address) < -reach.low)
    return wrong(name, "of shape " + shape_text(bound.sizes) + " and strides " + shape_text(bound.strides) +
                           " leaves the address space, expected a tensor that fits memory");
  return {};
}

Status bind_scalar(const ScalarDeclaration &declared, const tilefold_scalar &given, ScalarValue &bound) {
  const std::string &name = declared.name;
  if (given.dtype != declared.dtype)
    return wrong(name, "has type " + std::string(dtype_name(given.dtype)) + ", expected " +
                           std::string(dtype_name(declared.dtype)));
  bound.known = true;
  if (declared.dtype == TILEFOLD_F32) {
    // Casting a finite double beyond FLT_MAX is undefined, so the bound comes first.
    const bool fits = std::isfinite(given.floating) && std::fabs(given.floating) <= double(3.402823466e+38f);
    if (!fits)
      return wrong(name, "is " + std::to_string(given.floating) + ", expected a finite f32");
    bound.floating = double(float(given.floating));
    return {};
  }
  if (declared.dtype == TILEFOLD_I32 && (given.integer < INT32_MIN || given.integer > INT32_MAX))
    return wrong(name, "is " + std::to_string(given.integer) + ", expected a value that fits i32");
  bound.integer = given.integer;
  return {};
}

std::string declared_names(const Manifest &manifest) {
  std::string names;
  for (auto [is_tensor, index] : manifest.argument_order) {
    if (!names.empty())
      names += ", ";
    names += is_tensor ? manifest.tensors[size_t(index)].name : manifest.scalars[size_t(index)].name;
  }
  return names;
}

Status unknown(const Manifest &manifest, const std::string &name) {
  return wrong(name, "is unknown; program '" + manifest.program + "' takes " + declared_names(manifest));
}

} // namespace

std::string shape_text(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Result<FormulaEnvironment> bind_arguments(const Manifest &manifest, const tilefold_arguments &arguments,
                                          const tilefold_device_properties &device, Binding mode) {
  if ((arguments.tensor_count && !arguments.tensors) || (arguments.scalar_count && !arguments.scalars))
    return Status(TILEFOLD_ERROR_USAGE, "the arguments have a count but no array");
  FormulaEnvironment environment;
  environment.device = device;
  environment.tensors.resize(manifest.symbols.tensors.size());
  environment.scalars.resize(manifest.symbols.scalars.size());
  for (size_t i = 0; i < arguments.tensor_count; ++i) {
    const tilefold_tensor &given = arguments.tensors[i];
    if (!given.name)
      return Status(TILEFOLD_ERROR_USAGE, "tensor " + std::to_string(i) + " has no name");
    const int index = manifest.symbols.find_tensor(given.name);
    if (index < 0 || !manifest.symbols.tensors[size_t(index)].is_argument) {
      if (const int scalar = manifest.symbols.find_scalar(given.name); scalar >= 0)
        return wrong(given.name, "is a tensor, expected a scalar of type " +
                                     std::string(dtype_name(manifest.scalars[size_t(scalar)].dtype)));
      return unknown(manifest, given.name);
    }
    TensorValue &bound = environment.tensors[size_t(index)];
    if (bound.known)
      return wrong(given.name, "is given twice, expected once");
    if (Status status = bind_tensor(manifest.tensors[size_t(index)], given, mode, bound); !status)
      return status;
  }
  for (size_t i = 0; i < arguments.scalar_count; ++i) {
    const tilefold_scalar &given = arguments.scalars[i];
    if (!given.name)
      return Status(TILEFOLD_ERROR_USAGE, "scalar " + std::to_string(i) + " has no name");
    const int index = manifest.symbols.find_scalar(given.name);
    if (index < 0) {
      const int tensor = manifest.symbols.find_tensor(given.name);
      if (tensor >= 0 && manifest.symbols.tensors[size_t(tensor)].is_argument)
        return wrong(given.name, "is a scalar, expected a tensor of rank " +
                                     std::to_string(manifest.tensors[size_t(tensor)].rank));
      return unknown(manifest, given.name);
    }
    ScalarValue &bound = environment.scalars[size_t(index)];
    if (bound.known)
      return wrong(given.name, "is given twice, expected once");
    if (Status status = bind_scalar(manifest.scalars[size_t(index)], given, bound); !status)
      return status;
  }
  for (auto [is_tensor, index] : manifest.argument_order) {
    if (is_tensor) {
      const TensorDeclaration &declared = manifest.tensors[size_t(index)];
      if (!environment.tensors[size_t(index)].known && mode == Binding::Complete)
        return wrong(declared.name, "is missing, expected a tensor of type " + std::string(dtype_name(declared.dtype)) +
                                        " and rank " + std::to_string(declared.rank));
      continue;
    }
    const ScalarDeclaration &declared = manifest.scalars[size_t(index)];
    ScalarValue &bound = environment.scalars[size_t(index)];
    if (bound.known)
      continue;
    if (!declared.default_value)
      return wrong(declared.name, "is missing, expected a scalar of type " + std::string(dtype_name(declared.dtype)) +
                                      " (it has no default)");
    bound = *declared.default_value;
  }
  return environment;
}

namespace {

/// Memory of a tensor seen modulo a period: the dimensions whose stride is a multiple of the period vanish, the others span
/// `length` bytes from `begin`. Two tensors whose remainders are apart never share a byte, wherever they are.
struct Residue {
  int64_t begin, length;
};

bool residue(const TensorValue &tensor, int64_t element_size, int64_t period, Residue &result) {
  int64_t low = 0, high = element_size;
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    int64_t bytes = 0, span = 0;
    if (tensor.sizes[i] <= 1)
      continue;
    if (__builtin_mul_overflow(tensor.strides[i], element_size, &bytes))
      return false;
    if (bytes % period == 0)
      continue;
    if (__builtin_mul_overflow(bytes, tensor.sizes[i] - 1, &span) || span <= -period || span >= period)
      return false;
    (span < 0 ? low : high) += span;
  }
  result.length = high - low;
  result.begin = ((int64_t(tensor.address % uint64_t(period)) + low) % period + period) % period;
  return result.length <= period;
}

bool proven_apart(const TensorValue &a, int64_t a_size, const TensorValue &b, int64_t b_size) {
  Reach reach_a, reach_b;
  if (!compute_reach(a, a_size, reach_a) || !compute_reach(b, b_size, reach_b))
    return false;
  const int64_t base_a = int64_t(a.address), base_b = int64_t(b.address);
  if (base_a + reach_a.high <= base_b + reach_b.low || base_b + reach_b.high <= base_a + reach_a.low)
    return true;
  for (size_t i = 0; i < a.strides.size(); ++i) {
    int64_t period = 0;
    if (__builtin_mul_overflow(a.strides[i], a_size, &period) || period == INT64_MIN)
      continue;
    period = period < 0 ? -period : period;
    Residue ra{}, rb{};
    if (period == 0 || !residue(a, a_size, period, ra) || !residue(b, b_size, period, rb))
      continue;
    const int64_t gap = ((rb.begin - ra.begin) % period + period) % period; // from a's start on to b's
    if (gap >= ra.length && period - gap >= rb.length)
      return true;
  }
  return false;
}

/// Two dimensions through which different elements of a tensor lie on one byte; nothing if no two do by themselves.
std::optional<std::pair<size_t, size_t>> sharing_dimensions(const TensorValue &tensor) {
  const auto is_walked = [&](size_t dim) { return tensor.sizes[dim] > 1 && tensor.strides[dim] != 0 && tensor.strides[dim] != INT64_MIN; };
  for (size_t d = 0; d < tensor.sizes.size(); ++d)
    for (size_t e = 0; e < d; ++e) {
      if (!is_walked(d) || !is_walked(e))
        continue;
      // So many steps along one lead as far, forwards or backwards, as so many along the other.
      const int64_t a = std::abs(tensor.strides[d]), b = std::abs(tensor.strides[e]), common = std::gcd(a, b);
      if (b / common < tensor.sizes[d] && a / common < tensor.sizes[e])
        return std::pair(e, d);
    }
  return std::nullopt;
}

} // namespace

Status check_overlap(const Manifest &manifest, const FormulaEnvironment &environment) {
  for (size_t i = 0; i < manifest.tensors.size(); ++i) {
    const TensorDeclaration &written = manifest.tensors[i];
    const TensorValue &output = environment.tensors[i];
    if (written.role == TILEFOLD_INPUT || !has_elements(output))
      continue;
    for (size_t d = 0; d < output.sizes.size(); ++d)
      if (output.strides[d] == 0 && output.sizes[d] > 1)
        return wrong(written.name, "has stride 0 and extent " + std::to_string(output.sizes[d]) + dimension_text(int(d)) +
                                       ", expected an output whose elements do not share memory");
    if (const auto shared = sharing_dimensions(output))
      return wrong(written.name, "of shape " + shape_text(output.sizes) + " has strides " + shape_text(output.strides) +
                                     ", by which elements share memory through dimensions " + std::to_string(shared->first) + " and " +
                                     std::to_string(shared->second) + ", expected an output whose elements do not");
    for (size_t j = 0; j < manifest.tensors.size(); ++j) {
      const TensorDeclaration &other = manifest.tensors[j];
      const bool pair_done = other.role != TILEFOLD_INPUT && j < i;
      if (j == i || pair_done || !has_elements(environment.tensors[j]))
        continue;
      if (!proven_apart(output, dtype_size(written.dtype), environment.tensors[j], dtype_size(other.dtype)))
        return wrong(written.name, "overlaps argument '" + other.name + "', expected memory of its own for an output");
    }
  }
  return {};
}

} // namespace tilefold::runtime
