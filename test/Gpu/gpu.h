// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory and the few driver functions that the suite needs beyond the runtime's.
#pragma once

#include "runtime/driver/device.h"
#include "runtime/tilefold.hpp"
#include "test/Gpu/placement.h"

#include <memory>
#include <string>
#include <vector>

namespace tilefold::gpu_suite {

namespace cuda = runtime::cuda;
using runtime::Status;
template <class T> using Result = runtime::Result<T>;

/// CUDA_MEMCPY2D of cuda.h.
struct Copy2D {
  std::size_t source_x = 0, source_y = 0;
  unsigned source_type = 0;
  const void *source_host = nullptr;
  cuda::DevicePointer source_device = 0;
  void *source_array = nullptr;
  std::size_t source_pitch = 0;
  std::size_t target_x = 0, target_y = 0;
  unsigned target_type = 0;
  void *target_host = nullptr;
  cuda::DevicePointer target_device = 0;
  void *target_array = nullptr;
  std::size_t target_pitch = 0;
  std::size_t bytes = 0, rows = 0;
};

/// Null where a driver (or the tests' stand-in for one) lacks them.
struct MoreDriver {
  int (*cuMemGetInfo)(std::size_t *free, std::size_t *total) = nullptr;
  int (*cuMemcpy2DUnaligned)(const Copy2D *copy) = nullptr;
  int (*cuStreamQuery)(cuda::Stream stream) = nullptr;
  int (*cuStreamBeginCapture)(cuda::Stream stream, int mode) = nullptr;
  int (*cuStreamEndCapture)(cuda::Stream stream, void **graph) = nullptr;
  int (*cuGraphInstantiate)(void **executable, void *graph, unsigned long long flags) = nullptr;
  int (*cuGraphLaunch)(void *executable, cuda::Stream stream) = nullptr;
  int (*cuGraphExecDestroy)(void *executable) = nullptr;
  int (*cuGraphDestroy)(void *graph) = nullptr;
};

/// One device, its context current on the creating thread while the object lives, and an arena of its memory.
class Gpu {
public:
  static Result<std::unique_ptr<Gpu>> open(int ordinal);
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  const runtime::Driver &driver() const { return driver_; }
  const MoreDriver &more() const { return more_; }
  const runtime::DeviceContext &device() const { return device_; }
  int ordinal() const { return device_.ordinal; }
  cuda::Stream stream() const { return stream_; }
  std::string card() const;
  double free_gigabytes() const;

  /// Aligned to 256. Freed when the innermost `Frame` ends.
  Result<cuda::DevicePointer> allocate(std::size_t bytes);
  Status fill(cuda::DevicePointer at, unsigned char byte, std::size_t bytes);
  /// Waits for everything; the errors of earlier launches come out here.
  Status synchronize();

  class Frame {
  public:
    explicit Frame(Gpu &gpu) : gpu_(gpu), used_(gpu.used_), blocks_(gpu.blocks_.size()) {}
    ~Frame();
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;

  private:
    Gpu &gpu_;
    std::size_t used_, blocks_;
  };

private:
  Gpu(const runtime::Driver &driver, const runtime::DeviceContext &device);
  const runtime::Driver &driver_;
  const runtime::DeviceContext &device_;
  runtime::ContextScope scope_;
  MoreDriver more_;
  cuda::Stream stream_ = nullptr;
  cuda::DevicePointer arena_ = 0;
  std::size_t used_ = 0;
  std::vector<cuda::DevicePointer> blocks_; ///< too large for the arena
};

/// A tensor on the device inside a field of 0xff bytes, which are NaN in every floating-point type: what a kernel reads
/// outside of the tensor shows in its results, what it writes there shows in `damage`.
class DeviceTensor {
public:
  static Result<DeviceTensor> create(Gpu &gpu, support::DType dtype, const Placement &placement);

  /// Element [0, ..., 0].
  void *data() const { return reinterpret_cast<void *>(base_ + guard + std::uint64_t(placement_.lead) * byte_size(dtype_)); }
  const Placement &placement() const { return placement_; }
  void add_to(runtime::Arguments &arguments, const std::string &name) const;

  Status poison();
  /// `dense`: the same shape and dtype, row-major.
  Status upload(const support::HostTensor &dense);
  Result<support::HostTensor> download();
  /// Bytes around and between the elements that are no longer 0xff, as of the last download. Not looked at between the
  /// elements of very large tensors.
  std::int64_t damage() const { return damage_; }

private:
  static constexpr std::uint64_t guard = 4096;
  Gpu *gpu_ = nullptr;
  support::DType dtype_ = support::DType::f32;
  Placement placement_;
  cuda::DevicePointer base_ = 0;
  std::uint64_t bytes_ = 0; ///< guards included
  std::int64_t damage_ = 0;

  bool is_large() const { return bytes_ > (std::uint64_t(256) << 20); }
  template <class Visit> void for_each_row(Visit visit) const;
  Status copy_matrices(support::HostTensor &dense, bool to_device);
};

} // namespace tilefold::gpu_suite
