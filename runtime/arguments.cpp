// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tilefold.hpp"

namespace tilefold::runtime {

Arguments::Arguments(const Arguments &other) : tensors_(other.tensors_), scalars_(other.scalars_) { rebuild_view(); }

Arguments &Arguments::operator=(const Arguments &other) {
  tensors_ = other.tensors_;
  scalars_ = other.scalars_;
  rebuild_view();
  return *this;
}

Arguments &Arguments::tensor(std::string name, const void *data, DType dtype, std::vector<int64_t> sizes,
                             std::vector<int64_t> strides) {
  tensors_.push_back({std::move(name), data, dtype, std::move(sizes), std::move(strides)});
  rebuild_view();
  return *this;
}

Arguments &Arguments::f32(std::string name, double value) {
  scalars_.push_back({std::move(name), TILEFOLD_F32, value, 0});
  rebuild_view();
  return *this;
}

Arguments &Arguments::i32(std::string name, int64_t value) {
  scalars_.push_back({std::move(name), TILEFOLD_I32, 0, value});
  rebuild_view();
  return *this;
}

Arguments &Arguments::i64(std::string name, int64_t value) {
  scalars_.push_back({std::move(name), TILEFOLD_I64, 0, value});
  rebuild_view();
  return *this;
}

/// Done at every change, so that `view` is a read: threads may share one object.
void Arguments::rebuild_view() {
  tensor_views_.clear();
  scalar_views_.clear();
  for (const OwnedTensor &tensor : tensors_) {
    // Strides of another rank than the sizes have no C form; rank -1 makes binding refuse the tensor by name.
    const bool matches = tensor.strides.empty() || tensor.strides.size() == tensor.sizes.size();
    tensor_views_.push_back({tensor.name.c_str(), tensor.data, tensor.dtype,
                             matches ? int32_t(tensor.sizes.size()) : -1, tensor.sizes.data(),
                             tensor.strides.empty() ? nullptr : tensor.strides.data()});
  }
  for (const OwnedScalar &scalar : scalars_)
    scalar_views_.push_back({scalar.name.c_str(), scalar.dtype, scalar.floating, scalar.integer});
  view_ = {tensor_views_.data(), tensor_views_.size(), scalar_views_.data(), scalar_views_.size()};
}

} // namespace tilefold::runtime
