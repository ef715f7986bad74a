// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/host_tensor.h"

#include "support/memory.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>
#include <stdexcept>

namespace tilefold::support {

namespace {

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

/// Bytes from which on the system is asked whether it has them.
constexpr std::size_t asked_first = std::size_t(1) << 20;

/// a * b and a + b for values >= 0; false on overflow.
bool multiply(std::int64_t a, std::int64_t b, std::int64_t &product) {
  if (b != 0 && a > int64_max / b)
    return false;
  product = a * b;
  return true;
}
bool add(std::int64_t a, std::int64_t b, std::int64_t &sum) {
  if (a > int64_max - b)
    return false;
  sum = a + b;
  return true;
}

/// Calls visit(offset) for every element in row-major order.
template <typename Visit>
void for_each_offset(const Shape &shape, const Shape &strides, std::int64_t count, Visit visit) {
  if (count == 0)
    return;
  const std::size_t rank = shape.size();
  Shape index(rank, 0);
  std::int64_t offset = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    visit(offset);
    for (std::size_t d = rank; d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape[d])
        break;
      offset -= index[d] * strides[d];
      index[d] = 0;
    }
  }
}

template <typename T>
T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename T>
void write(std::byte *to, T value) {
  std::memcpy(to, &value, sizeof value);
}

double read_element(DType dtype, const std::byte *from) {
  switch (dtype) {
  case DType::f16:
    return f16_to_f32(read<std::uint16_t>(from));
  case DType::bf16:
    return bf16_to_f32(read<std::uint16_t>(from));
  case DType::f32:
    return read<float>(from);
  case DType::i32:
    return read<std::int32_t>(from);
  case DType::i64:
    return double(read<std::int64_t>(from));
  case DType::i1:
    return read<std::uint8_t>(from);
  }
  return 0;
}

} // namespace

std::string to_string(const Shape &shape) {
  std::string text = "[";
  for (std::size_t d = 0; d < shape.size(); ++d)
    text += (d ? ", " : "") + std::to_string(shape[d]);
  return text + "]";
}

Shape dense_strides(const Shape &shape) {
  Shape strides(shape.size(), 1);
  // An extent of 0 counts as 1, so that the strides of an empty tensor stay distinct from a broadcast's.
  for (std::size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<std::int64_t>(shape[d], 1);
  return strides;
}

Result<std::int64_t> element_count(const Shape &shape, const std::string &what) {
  std::int64_t count = 1, nonzero = 1; // `nonzero` keeps [2^40, 2^40, 0] an error: its strides would not fit
  for (std::int64_t extent : shape) {
    if (extent < 0)
      return Status::error(what + " has the shape " + to_string(shape) + ", but extents must not be negative");
    if (!multiply(nonzero, std::max<std::int64_t>(extent, 1), nonzero))
      return Status::error(what + " has the shape " + to_string(shape) + ", whose number of elements exceeds 64 bits");
    count *= extent;
  }
  return count;
}

HostTensor::HostTensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), strides_(dense_strides(shape_)) {
  auto count = element_count(shape_);
  if (!count || *count > int64_max / std::int64_t(byte_size(dtype)))
    throw std::length_error("HostTensor: " + to_string(shape_) + " is not a shape");
  count_ = *count;
  storage_.resize(std::size_t(count_) * byte_size(dtype_));
}

Result<HostTensor> HostTensor::create(DType dtype, Shape shape, Shape strides, std::int64_t offset) {
  auto count = element_count(shape);
  if (!count)
    return count.status();
  if (strides.empty())
    strides = dense_strides(shape);
  if (strides.size() != shape.size())
    return Status::error("tensor has the shape " + to_string(shape) + " but the strides " + to_string(strides) +
                         "; there must be one stride for each extent");
  if (offset < 0)
    return Status::error("tensor has the offset " + std::to_string(offset) + ", but offsets must not be negative");
  std::int64_t elements = offset; // that the storage holds
  if (*count > 0) {
    bool fits = true;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (strides[d] < 0)
        return Status::error("tensor of shape " + to_string(shape) + " has the strides " + to_string(strides) + ", that of dimension " +
                             std::to_string(d) + " is " + std::to_string(strides[d]) + ", expected 0 or more");
      std::int64_t reach = 0;
      fits = fits && multiply(shape[d] - 1, strides[d], reach) && add(elements, reach, elements);
    }
    if (!fits || elements >= int64_max / std::int64_t(byte_size(dtype)))
      return Status::error("tensor of shape " + to_string(shape) + " and strides " + to_string(strides) +
                           " needs more bytes than 64 bits can count");
    ++elements;
  }
  const std::size_t bytes = std::size_t(elements) * byte_size(dtype);
  const std::string wish = "no memory for a tensor of shape " + to_string(shape) + ": it";
  if (bytes >= asked_first)
    if (Status status = check_memory(bytes, wish); !status)
      return status;
  HostTensor tensor(dtype, {0});
  try {
    tensor.storage_.resize(bytes);
  } catch (const std::bad_alloc &) {
    return Status::error(wish + " needs " + std::to_string(bytes) + " bytes");
  } catch (const std::length_error &) {
    return Status::error(wish + " needs " + std::to_string(bytes) + " bytes");
  }
  tensor.shape_ = std::move(shape);
  tensor.strides_ = std::move(strides);
  tensor.count_ = *count;
  tensor.offset_ = offset;
  return tensor;
}

bool HostTensor::dense() const {
  if (count_ == 0)
    return true;
  std::int64_t expected = 1;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    if (shape_[d] != 1 && strides_[d] != expected)
      return false;
    expected *= shape_[d];
  }
  return true;
}

std::int64_t HostTensor::at(const Shape &index) const {
  assert(index.size() == shape_.size());
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    assert(index[d] >= 0 && index[d] < shape_[d]);
    offset += index[d] * strides_[d];
  }
  return offset;
}

std::int64_t HostTensor::at_linear(std::int64_t n) const {
  assert(n >= 0 && n < count_);
  std::int64_t offset = 0;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    offset += n % shape_[d] * strides_[d];
    n /= shape_[d];
  }
  return offset;
}

double HostTensor::get(std::int64_t element) const {
  return read_element(dtype_, data() + element * std::int64_t(byte_size(dtype_)));
}

std::int64_t HostTensor::get_int(std::int64_t element) const {
  if (dtype_ == DType::i64)
    return read<std::int64_t>(data() + element * 8);
  return std::int64_t(get(element));
}

void HostTensor::set(std::int64_t element, double value) {
  std::byte *to = data() + element * std::int64_t(byte_size(dtype_));
  switch (dtype_) {
  case DType::f16:
    return write(to, f64_to_f16(value));
  case DType::bf16:
    return write(to, f64_to_bf16(value));
  case DType::f32:
    return write(to, float(value));
  case DType::i32:
    return write(to, std::int32_t(value));
  case DType::i64:
    return write(to, std::int64_t(value));
  case DType::i1:
    return write(to, std::uint8_t(value != 0));
  }
}

void HostTensor::set_int(std::int64_t element, std::int64_t value) {
  if (dtype_ == DType::i64)
    return write(data() + element * 8, value);
  set(element, double(value));
}

std::vector<double> HostTensor::to_f64() const {
  std::vector<double> values;
  values.reserve(std::size_t(count_));
  for_each_offset(shape_, strides_, count_, [&](std::int64_t offset) { values.push_back(get(offset)); });
  return values;
}

std::vector<float> HostTensor::to_f32() const {
  std::vector<float> values;
  values.reserve(std::size_t(count_));
  for_each_offset(shape_, strides_, count_, [&](std::int64_t offset) { values.push_back(float(get(offset))); });
  return values;
}

HostTensor HostTensor::to_dense() const {
  HostTensor result(dtype_, shape_);
  const std::size_t width = byte_size(dtype_);
  if (count_ == 0)
    return result;
  if (dense()) {
    std::memcpy(result.data(), data(), std::size_t(count_) * width);
    return result;
  }
  std::byte *to = result.data();
  for_each_offset(shape_, strides_, count_, [&](std::int64_t offset) {
    std::memcpy(to, data() + offset * std::int64_t(width), width);
    to += width;
  });
  return result;
}

Result<HostTensor> HostTensor::with_strides(Shape strides, std::int64_t offset) const {
  auto result = create(dtype_, shape_, std::move(strides), offset);
  if (!result)
    return result;
  for (std::size_t d = 0; d < shape_.size(); ++d)
    if (count_ > 0 && result->strides_[d] == 0 && shape_[d] > 1)
      return Status::error("tensor of shape " + to_string(shape_) + " cannot keep its values under the strides " +
                           to_string(result->strides_) + ", which broadcast dimension " + std::to_string(d));
  const HostTensor source = to_dense();
  const std::size_t width = byte_size(dtype_);
  const std::byte *from = source.data();
  for_each_offset(shape_, result->strides_, count_, [&](std::int64_t to) {
    std::memcpy(result->data() + to * std::int64_t(width), from, width);
    from += width;
  });
  return result;
}

HostTensor HostTensor::permuted(const std::vector<std::size_t> &order) const {
  assert(order.size() == shape_.size());
  HostTensor result = *this;
  for (std::size_t d = 0; d < order.size(); ++d) {
    result.shape_[d] = shape_[order[d]];
    result.strides_[d] = strides_[order[d]];
  }
  return result;
}

void HostTensor::poison() { std::fill(storage_.begin(), storage_.end(), std::byte{0xff}); }

bool same_bits(const HostTensor &a, const HostTensor &b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape())
    return false;
  const HostTensor left = a.to_dense(), right = b.to_dense();
  return left.storage() == right.storage();
}

HostTensor make_tensor(DType dtype, Shape shape, const std::function<double(std::int64_t)> &f) {
  HostTensor tensor(dtype, std::move(shape));
  for (std::int64_t n = 0; n < tensor.count(); ++n)
    tensor.set(n, f(n));
  return tensor;
}

} // namespace tilefold::support
