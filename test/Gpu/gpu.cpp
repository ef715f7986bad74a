// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Gpu/gpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tilefold::gpu_suite {

using support::HostTensor;

namespace {

constexpr std::size_t arena_bytes = std::size_t(3) << 30;

MoreDriver more_driver() {
  MoreDriver more;
  const char *path = std::getenv("TILEFOLD_CUDA_LIBRARY");
  void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW); // the runtime holds it open already
  auto find = [&](auto &function, const char *symbol) {
    void *address = library ? dlsym(library, symbol) : nullptr;
    std::memcpy(&function, &address, sizeof address);
  };
  find(more.cuMemGetInfo, "cuMemGetInfo_v2");
  find(more.cuMemcpy2DUnaligned, "cuMemcpy2DUnaligned_v2");
  find(more.cuStreamQuery, "cuStreamQuery");
  find(more.cuStreamBeginCapture, "cuStreamBeginCapture_v2");
  find(more.cuStreamEndCapture, "cuStreamEndCapture");
  find(more.cuGraphInstantiate, "cuGraphInstantiateWithFlags");
  find(more.cuGraphLaunch, "cuGraphLaunch");
  find(more.cuGraphExecDestroy, "cuGraphExecDestroy");
  find(more.cuGraphDestroy, "cuGraphDestroy");
  return more;
}

runtime::DType runtime_dtype(support::DType dtype) { return *runtime::dtype_from_name(support::name(dtype)); }

} // namespace

Gpu::Gpu(const runtime::Driver &driver, const runtime::DeviceContext &device)
    : driver_(driver), device_(device), scope_(driver, device.context), more_(more_driver()) {}

Gpu::~Gpu() {
  for (cuda::DevicePointer block : blocks_)
    (void)driver_.cuMemFree(block);
  if (arena_)
    (void)driver_.cuMemFree(arena_);
  if (stream_)
    (void)driver_.cuStreamDestroy(stream_);
}

Result<std::unique_ptr<Gpu>> Gpu::open(int ordinal) {
  Result<const runtime::Driver *> driver = runtime::Driver::get();
  if (!driver)
    return driver.status();
  Result<const runtime::DeviceContext *> device = runtime::get_device(**driver, ordinal);
  if (!device)
    return device.status();
  std::unique_ptr<Gpu> gpu(new Gpu(**driver, **device));
  if (!gpu->scope_.status())
    return gpu->scope_.status();
  if (Status status = TILEFOLD_CUDA(gpu->driver_, cuStreamCreate(&gpu->stream_, cuda::stream_non_blocking)); !status)
    return status;
  if (Status status = TILEFOLD_CUDA(gpu->driver_, cuMemAlloc(&gpu->arena_, arena_bytes)); !status)
    return status;
  return gpu;
}

std::string Gpu::card() const {
  char name[256] = "";
  cuda::Device device = 0;
  if (driver_.cuDeviceGet(&device, device_.ordinal) != cuda::success ||
      driver_.cuDeviceGetName(name, sizeof name, device) != cuda::success)
    return "unknown";
  return name;
}

double Gpu::free_gigabytes() const {
  std::size_t free = 0, total = 0;
  return more_.cuMemGetInfo && more_.cuMemGetInfo(&free, &total) == cuda::success ? double(free) * 1e-9 : 0;
}

Result<cuda::DevicePointer> Gpu::allocate(std::size_t bytes) {
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + 255) / 256 * 256;
  if (used_ + rounded <= arena_bytes) {
    used_ += rounded;
    return cuda::DevicePointer(arena_ + used_ - rounded);
  }
  cuda::DevicePointer block = 0;
  if (Status status = TILEFOLD_CUDA(driver_, cuMemAlloc(&block, rounded)); !status)
    return status;
  blocks_.push_back(block);
  return block;
}

Gpu::Frame::~Frame() {
  for (std::size_t i = blocks_; i < gpu_.blocks_.size(); ++i)
    (void)gpu_.driver_.cuMemFree(gpu_.blocks_[i]);
  gpu_.blocks_.resize(blocks_);
  gpu_.used_ = used_;
}

Status Gpu::fill(cuda::DevicePointer at, unsigned char byte, std::size_t bytes) {
  return bytes == 0 ? Status() : TILEFOLD_CUDA(driver_, cuMemsetD8Async(at, byte, bytes, stream_));
}

Status Gpu::synchronize() {
  if (Status status = TILEFOLD_CUDA(driver_, cuStreamSynchronize(stream_)); !status)
    return status;
  return TILEFOLD_CUDA(driver_, cuStreamSynchronize(nullptr));
}

Result<DeviceTensor> DeviceTensor::create(Gpu &gpu, support::DType dtype, const Placement &placement) {
  DeviceTensor tensor;
  tensor.gpu_ = &gpu;
  tensor.dtype_ = dtype;
  tensor.placement_ = placement;
  tensor.bytes_ = (std::uint64_t(placement.elements) * byte_size(dtype) + 255) / 256 * 256 + 2 * guard;
  Result<cuda::DevicePointer> base = gpu.allocate(tensor.bytes_);
  if (!base)
    return base.status();
  tensor.base_ = *base;
  return tensor;
}

void DeviceTensor::add_to(runtime::Arguments &arguments, const std::string &name) const {
  arguments.tensor(name, data(), runtime_dtype(dtype_), placement_.sizes, placement_.strides);
}

Status DeviceTensor::poison() {
  if (Status status = gpu_->fill(base_, 0xff, bytes_); !status)
    return status;
  return gpu_->synchronize();
}

/// visit(offset of the row's first element from `data()`, its number in row-major order).
template <class Visit> void DeviceTensor::for_each_row(Visit visit) const {
  const Shape &sizes = placement_.sizes;
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
    return;
  Shape index(sizes.size() - 1, 0);
  std::int64_t offset = 0;
  for (std::int64_t row = 0;; ++row) {
    visit(offset, row);
    std::size_t d = index.size();
    for (; d-- > 0;) {
      offset += placement_.strides[d];
      if (++index[d] < sizes[d])
        break;
      offset -= placement_.strides[d] * sizes[d];
      index[d] = 0;
    }
    if (d == std::size_t(-1))
      return;
  }
}

/// One 2D copy for each matrix of the last two dimensions; for tensors whose storage has no place on the host.
Status DeviceTensor::copy_matrices(HostTensor &dense, bool to_device) {
  const std::size_t element = byte_size(dtype_), rank = placement_.sizes.size();
  if (!gpu_->more().cuMemcpy2DUnaligned)
    return {TILEFOLD_ERROR_UNSUPPORTED, "the driver has no cuMemcpy2DUnaligned"};
  const std::int64_t rows = placement_.sizes[rank - 2], columns = placement_.sizes[rank - 1];
  Status status;
  for_each_row([&](std::int64_t offset, std::int64_t row) {
    if (!status)
      return;
    // A stride beyond the pitch that the driver takes: row by row.
    const bool whole = placement_.strides[rank - 2] * std::int64_t(element) < (std::int64_t(1) << 30) && placement_.strides[rank - 2] > 0;
    if (whole && row % rows != 0)
      return;
    const cuda::DevicePointer at = reinterpret_cast<std::uintptr_t>(data()) + std::uint64_t(offset) * element;
    std::byte *host = dense.data() + row * columns * std::int64_t(element);
    if (!whole) {
      status = to_device ? TILEFOLD_CUDA(gpu_->driver(), cuMemcpyHtoD(at, host, std::size_t(columns) * element))
                         : TILEFOLD_CUDA(gpu_->driver(), cuMemcpyDtoH(host, at, std::size_t(columns) * element));
      return;
    }
    Copy2D copy;
    copy.bytes = std::size_t(columns) * element;
    copy.rows = std::size_t(rows);
    const std::size_t pitch = std::size_t(placement_.strides[rank - 2]) * element;
    if (to_device) {
      copy.source_type = cuda::memory_type_host, copy.source_host = host, copy.source_pitch = copy.bytes;
      copy.target_type = cuda::memory_type_device, copy.target_device = at, copy.target_pitch = pitch;
    } else {
      copy.source_type = cuda::memory_type_device, copy.source_device = at, copy.source_pitch = pitch;
      copy.target_type = cuda::memory_type_host, copy.target_host = host, copy.target_pitch = copy.bytes;
    }
    status = runtime::cuda_status(gpu_->driver(), gpu_->more().cuMemcpy2DUnaligned(&copy), "cuMemcpy2DUnaligned", __FILE__, __LINE__);
  });
  return status;
}

Status DeviceTensor::upload(const HostTensor &dense) {
  const std::size_t element = byte_size(dtype_);
  if (is_large()) {
    if (Status status = poison(); !status)
      return status;
    return copy_matrices(const_cast<HostTensor &>(dense), true); // read only
  }
  std::vector<std::byte> image(bytes_, std::byte(0xff));
  std::byte *first = image.data() + guard + std::size_t(placement_.lead) * element;
  const std::int64_t columns = placement_.sizes.back(), step = placement_.strides.back();
  for_each_row([&](std::int64_t offset, std::int64_t row) {
    const std::byte *from = dense.data() + row * columns * std::int64_t(element);
    std::byte *to = first + offset * std::int64_t(element);
    if (step == 1)
      std::memcpy(to, from, std::size_t(columns) * element);
    else
      for (std::int64_t c = 0; c < columns; ++c)
        std::memcpy(to + c * step * std::int64_t(element), from + c * std::int64_t(element), element);
  });
  return TILEFOLD_CUDA(gpu_->driver(), cuMemcpyHtoD(base_, image.data(), image.size()));
}

Result<HostTensor> DeviceTensor::download() {
  HostTensor dense(dtype_, placement_.sizes);
  const std::size_t element = byte_size(dtype_);
  damage_ = 0;
  auto count_damage = [&](const std::vector<std::byte> &bytes) {
    damage_ += std::count_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte(0xff); });
  };
  if (is_large()) {
    if (Status status = copy_matrices(dense, false); !status)
      return status;
    std::vector<std::byte> margin(guard);
    for (cuda::DevicePointer at : {base_, base_ + bytes_ - guard}) {
      if (Status status = TILEFOLD_CUDA(gpu_->driver(), cuMemcpyDtoH(margin.data(), at, margin.size())); !status)
        return status;
      count_damage(margin);
    }
    return dense;
  }
  std::vector<std::byte> image(bytes_);
  if (Status status = TILEFOLD_CUDA(gpu_->driver(), cuMemcpyDtoH(image.data(), base_, image.size())); !status)
    return status;
  std::byte *first = image.data() + guard + std::size_t(placement_.lead) * element;
  const std::int64_t columns = placement_.sizes.back(), step = placement_.strides.back();
  for_each_row([&](std::int64_t offset, std::int64_t row) {
    std::byte *from = first + offset * std::int64_t(element);
    std::byte *to = dense.data() + row * columns * std::int64_t(element);
    for (std::int64_t c = 0; c < (step == 1 ? 1 : columns); ++c) {
      const std::size_t bytes = step == 1 ? std::size_t(columns) * element : element;
      std::memcpy(to + c * std::int64_t(element), from + c * step * std::int64_t(element), bytes);
      std::memset(from + c * step * std::int64_t(element), 0xff, bytes);
    }
  });
  count_damage(image);
  return dense;
}

} // namespace tilefold::gpu_suite
