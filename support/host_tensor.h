// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor in host memory that owns its storage. Copying copies the storage.
#pragma once

#include "support/dtype.h"
#include "support/status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilefold::support {

using Shape = std::vector<std::int64_t>;

/// "[2, 12, 241, 32]".
std::string to_string(const Shape &shape);

/// Row-major strides in elements.
Shape dense_strides(const Shape &shape);

/// Number of elements of `shape`, or an error when an extent is negative or the product leaves i64. `what` names the
/// tensor in the sentence.
Result<std::int64_t> element_count(const Shape &shape, const std::string &what = "tensor");

class HostTensor {
 public:
  /// An empty f32 tensor of shape [0].
  HostTensor() : HostTensor(DType::f32, {0}) {}

  /// Dense row-major, filled with zero bytes. The extents must be valid (`element_count`); use `create` for extents that
  /// come from outside.
  HostTensor(DType dtype, Shape shape);

  /// Checked. `strides` are in elements, >= 0 (0 broadcasts), one for each extent; empty means dense. `offset` elements lie
  /// before the first one, which makes misaligned tensors. The storage ends with the last element that the strides reach.
  /// Errors: negative extent or stride, sizes beyond i64, strides of another rank, no memory.
  static Result<HostTensor> create(DType dtype, Shape shape, Shape strides = {}, std::int64_t offset = 0);

  DType dtype() const { return dtype_; }
  const Shape &shape() const { return shape_; }
  const Shape &strides() const { return strides_; }
  std::int64_t rank() const { return std::int64_t(shape_.size()); }
  std::int64_t size(std::size_t dim) const { return shape_[dim]; }
  std::int64_t stride(std::size_t dim) const { return strides_[dim]; }
  std::int64_t count() const { return count_; }
  bool dense() const;

  /// The first element. Reading or writing reaches it at `data() + at(index) * byte_size(dtype())`.
  std::byte *data() { return storage_.data() + std::size_t(offset_) * byte_size(dtype_); }
  const std::byte *data() const { return storage_.data() + std::size_t(offset_) * byte_size(dtype_); }

  /// All bytes that the tensor owns, gaps between strided rows and the leading `offset` included.
  std::vector<std::byte> &storage() { return storage_; }
  const std::vector<std::byte> &storage() const { return storage_; }

  /// Offset in elements from `data()` of a multi-index, or of the n-th element in row-major order.
  std::int64_t at(const Shape &index) const;
  std::int64_t at_linear(std::int64_t n) const;

  /// One element, `element` elements from `data()`. i64 beyond 2^53 loses bits in `get`; `get_int` is exact. Setting rounds
  /// to nearest even (floats) or truncates towards zero (integers; the value must be in range); i1 becomes value != 0.
  double get(std::int64_t element) const;
  std::int64_t get_int(std::int64_t element) const;
  void set(std::int64_t element, double value);
  void set_int(std::int64_t element, std::int64_t value);

  /// Element values in row-major order of the index, whatever the strides.
  std::vector<double> to_f64() const;
  std::vector<float> to_f32() const;

  /// The same values, dense; the bits of the elements are kept.
  HostTensor to_dense() const;
  /// The same values under other strides (`create`'s rules, except that a stride of 0 needs an extent of 1 or 0).
  Result<HostTensor> with_strides(Shape strides, std::int64_t offset = 0) const;
  /// The same storage layout seen with the dimensions in another order: dimension d of the result is `order[d]` of this.
  HostTensor permuted(const std::vector<std::size_t> &order) const;

  /// Sets every byte of the storage, gaps included, to 0xff: NaN in each floating-point type, -1 in the integers, an
  /// impossible i1. What a kernel forgot to write, or reads outside its tensor, then shows.
  void poison();

 private:
  DType dtype_;
  Shape shape_, strides_;
  std::int64_t count_ = 0, offset_ = 0;
  std::vector<std::byte> storage_;
};

/// The bits of both tensors agree, element by element (dtype and shape as well; strides may differ).
bool same_bits(const HostTensor &a, const HostTensor &b);

/// A tensor of f(index n in row-major order), rounded to `dtype`.
HostTensor make_tensor(DType dtype, Shape shape, const std::function<double(std::int64_t)> &f);

} // namespace tilefold::support
