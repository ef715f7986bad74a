// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/host_run.h"
#include "runtime/artifact/manifest.h"
#include "runtime/driver/device.h"

#include <chrono>
#include <cmath>

namespace tilefold::runtime {

namespace {

/// Device memory of one run, freed at its end. The context must be current.
class DeviceMemory {
public:
  explicit DeviceMemory(const Driver &driver) : driver_(driver) {}
  ~DeviceMemory() {
    for (cuda::DevicePointer pointer : pointers_)
      (void)driver_.cuMemFree(pointer);
  }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// At least `bytes`, filled with 0xff (NaN in every floating-point type), aligned to 256.
  Result<cuda::DevicePointer> allocate(size_t bytes) {
    cuda::DevicePointer pointer = 0;
    bytes = std::max<size_t>(bytes, 1);
    if (Status status = TILEFOLD_CUDA(driver_, cuMemAlloc(&pointer, bytes)); !status)
      return Status(status.code(), std::to_string(bytes) + " bytes of device memory: " + status.message(), {}, status.cuda());
    pointers_.push_back(pointer);
    if (Status status = TILEFOLD_CUDA(driver_, cuMemsetD8Async(pointer, 0xff, bytes, nullptr)); !status)
      return status;
    return pointer;
  }

private:
  const Driver &driver_;
  std::vector<cuda::DevicePointer> pointers_;
};

class Stream {
public:
  explicit Stream(const Driver &driver)
      : driver_(driver), status_(TILEFOLD_CUDA(driver, cuStreamCreate(&handle_, cuda::stream_non_blocking))) {}
  ~Stream() {
    if (handle_)
      (void)driver_.cuStreamDestroy(handle_);
  }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  const Status &status() const { return status_; }
  cuda::Stream handle() const { return handle_; }

private:
  const Driver &driver_;
  cuda::Stream handle_ = nullptr;
  Status status_;
};

class Event {
public:
  explicit Event(const Driver &driver) : driver_(driver), status_(TILEFOLD_CUDA(driver, cuEventCreate(&handle_, 0))) {}
  ~Event() {
    if (handle_)
      (void)driver_.cuEventDestroy(handle_);
  }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
  const Status &status() const { return status_; }
  cuda::Event handle() const { return handle_; }

private:
  const Driver &driver_;
  cuda::Event handle_ = nullptr;
  Status status_;
};

Status add_scalar(const ScalarDeclaration &declared, double value, Arguments &arguments) {
  if (declared.dtype == TILEFOLD_F32) {
    arguments.f32(declared.name, value);
    return {};
  }
  // Beyond 2^53 a double may be the neighbour of the integer that was meant.
  if (!(std::fabs(value) <= 9007199254740992.0) || value != std::floor(value))
    return {TILEFOLD_ERROR_ARGUMENT, "argument '" + declared.name + "' is " + std::to_string(value) +
                                         ", expected an integer from -2^53 to 2^53", declared.name};
  if (declared.dtype == TILEFOLD_I32)
    arguments.i32(declared.name, int64_t(value));
  else
    arguments.i64(declared.name, int64_t(value));
  return {};
}

Result<HostRunTimes> time_call(const Driver &driver, const Call &call, cuda::Stream stream, int repeat) {
  Event begin(driver), end(driver);
  for (const Event *event : {&begin, &end})
    if (!event->status())
      return event->status();
  if (Status status = TILEFOLD_CUDA(driver, cuEventRecord(begin.handle(), stream)); !status)
    return status;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeat; ++i)
    if (Status status = call.launch(stream); !status)
      return status;
  const auto stop = std::chrono::steady_clock::now();
  if (Status status = TILEFOLD_CUDA(driver, cuEventRecord(end.handle(), stream)); !status)
    return status;
  if (Status status = TILEFOLD_CUDA(driver, cuStreamSynchronize(stream)); !status)
    return status;
  float milliseconds = 0;
  if (Status status = TILEFOLD_CUDA(driver, cuEventElapsedTime(&milliseconds, begin.handle(), end.handle())); !status)
    return status;
  return HostRunTimes{1e3 * double(milliseconds) / repeat,
                      std::chrono::duration<double, std::micro>(stop - start).count() / repeat};
}

} // namespace

Status add_scalars(const Manifest &manifest, const std::map<std::string, double> &scalars, Arguments &arguments) {
  for (const auto &[name, value] : scalars) {
    const int index = manifest.symbols.find_scalar(name);
    if (index < 0)
      return {TILEFOLD_ERROR_ARGUMENT, "argument '" + name + "' is given as a scalar, program '" + manifest.program +
                                           "' has no such scalar", name};
    if (Status status = add_scalar(manifest.scalars[size_t(index)], value, arguments); !status)
      return status;
  }
  return {};
}

DType dtype_of(support::DType dtype) { return *dtype_from_name(support::name(dtype)); }

Result<HostArguments> make_host_arguments(const Artifact &artifact,
                                          const std::map<std::string, const support::HostTensor *> &tensors,
                                          const std::map<std::string, double> &scalars, const DeviceProperties &properties) {
  using support::HostTensor;
  const Manifest &manifest = artifact.manifest();
  HostArguments result;
  // Scalars and inputs first: they decide the outputs' shapes.
  if (Status status = add_scalars(manifest, scalars, result.scalars); !status)
    return status;
  Arguments shapes = result.scalars;
  for (const auto &[name, tensor] : tensors)
    shapes.tensor(name, nullptr, dtype_of(tensor->dtype()), tensor->shape(), tensor->strides());

  for (const TensorDeclaration &declared : manifest.tensors) {
    if (declared.role == TILEFOLD_INPUT)
      continue;
    if (auto given = tensors.find(declared.name); given != tensors.end()) {
      result.outputs.emplace(declared.name, *given->second);
      continue;
    }
    if (declared.role == TILEFOLD_INOUT)
      return Status(TILEFOLD_ERROR_ARGUMENT, "argument '" + declared.name + "' is missing, it is read and written",
                    declared.name);
    Result<std::vector<int64_t>> shape = artifact.expected_shape(shapes.view(), properties, declared.name);
    if (!shape)
      return shape.status();
    const auto dtype = support::dtype_from_name(dtype_name(declared.dtype));
    if (!dtype)
      return Status(TILEFOLD_ERROR_UNSUPPORTED, "argument '" + declared.name + "' has element type " +
                                                    std::string(dtype_name(declared.dtype)) +
                                                    ", which host tensors cannot hold", declared.name);
    support::Result<HostTensor> output = HostTensor::create(*dtype, *shape);
    if (!output)
      return Status(TILEFOLD_ERROR_MEMORY, "argument '" + declared.name + "': " + output.message(), declared.name);
    result.outputs.emplace(declared.name, *std::move(output));
  }
  return result;
}

Result<HostRunResult> run_on_host_tensors(const Artifact &artifact,
                                          const std::map<std::string, const support::HostTensor *> &tensors,
                                          const std::map<std::string, double> &scalars, const HostRunOptions &options) {
  using support::HostTensor;
  const Manifest &manifest = artifact.manifest();
  Result<const Driver *> found = Driver::get();
  if (!found)
    return found.status();
  const Driver &driver = **found;
  Result<const DeviceContext *> device = get_device(driver, options.device);
  if (!device)
    return device.status();
  const DeviceProperties &properties = (*device)->properties;

  Result<HostArguments> made = make_host_arguments(artifact, tensors, scalars, properties);
  if (!made)
    return made.status();
  HostRunResult result;
  result.outputs = std::move(made->outputs);

  ContextScope scope(driver, (*device)->context);
  if (!scope.status())
    return scope.status();
  DeviceMemory memory(driver);
  Arguments arguments = made->scalars;
  std::map<std::string, cuda::DevicePointer> bases;
  auto upload = [&](const std::string &name, const HostTensor &tensor, bool copy) -> Status {
    const std::vector<std::byte> &storage = tensor.storage();
    Result<cuda::DevicePointer> base = memory.allocate(storage.size());
    if (!base)
      return base.status();
    if (copy && !storage.empty())
      if (Status status = TILEFOLD_CUDA(driver, cuMemcpyHtoD(*base, storage.data(), storage.size())); !status)
        return status;
    const uint64_t offset = uint64_t(tensor.data() - storage.data());
    arguments.tensor(name, reinterpret_cast<const void *>(*base + offset), dtype_of(tensor.dtype()), tensor.shape(),
                     tensor.strides());
    bases[name] = *base;
    return {};
  };
  for (const auto &[name, tensor] : tensors)
    if (!result.outputs.count(name))
      if (Status status = upload(name, *tensor, /*copy=*/true); !status)
        return status;
  for (const auto &[name, tensor] : result.outputs) {
    const int index = manifest.symbols.find_tensor(name);
    if (Status status = upload(name, tensor, manifest.tensors[size_t(index)].role == TILEFOLD_INOUT); !status)
      return status;
  }

  Result<uint64_t> workspace_bytes = artifact.workspace_bytes(arguments.view(), properties);
  if (!workspace_bytes)
    return workspace_bytes.status();
  Result<cuda::DevicePointer> workspace = memory.allocate(*workspace_bytes);
  if (!workspace)
    return workspace.status();
  Call call;
  PrepareOptions prepare;
  prepare.device = options.device;
  prepare.workspace = reinterpret_cast<void *>(*workspace);
  prepare.workspace_bytes = *workspace_bytes;
  if (Status status = call.prepare(artifact, arguments.view(), prepare); !status)
    return status;

  // The fills and copies above ran on the default stream; ours does not wait for it by itself.
  if (Status status = TILEFOLD_CUDA(driver, cuStreamSynchronize(nullptr)); !status)
    return status;
  Stream stream(driver);
  if (!stream.status())
    return stream.status();
  if (Status status = call.init_workspace(stream.handle()); !status)
    return status;
  if (Status status = call.launch(stream.handle()); !status)
    return status;
  if (Status status = TILEFOLD_CUDA(driver, cuStreamSynchronize(stream.handle())); !status)
    return status;
  for (auto &[name, tensor] : result.outputs)
    if (!tensor.storage().empty())
      if (Status status = TILEFOLD_CUDA(driver, cuMemcpyDtoH(tensor.storage().data(), bases[name], tensor.storage().size()));
          !status)
        return status;
  if (options.repeat > 0) {
    Result<HostRunTimes> times = time_call(driver, call, stream.handle(), options.repeat);
    if (!times)
      return times.status();
    result.times = *times;
  }
  return result;
}

} // namespace tilefold::runtime
