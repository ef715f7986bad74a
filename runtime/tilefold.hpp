// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ interface of the Tilefold runtime. Failures are values (`Status`, `Result`), never exceptions other than
// std::bad_alloc; `tilefold.h` offers the same to C and catches even that.
#pragma once

#include "runtime/dtype.h"
#include "runtime/status.h"
#include "runtime/tilefold.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilefold::runtime {

struct Manifest; // artifact/manifest.h
struct Plan;     // plan/plan.h

using DeviceProperties = tilefold_device_properties;

/// Arguments of a call, by name and in any order; owns its copies of names, sizes and strides.
///
///     Arguments arguments;
///     arguments.tensor("q", q, TILEFOLD_F16, {b, h, s, d}).tensor("o", o, TILEFOLD_F16, {b, h, s, d}).f32("scale", 0.125f);
class Arguments {
public:
  Arguments() = default;
  Arguments(const Arguments &other);
  Arguments &operator=(const Arguments &other);

  /// `strides` in elements; empty: contiguous row-major.
  Arguments &tensor(std::string name, const void *data, DType dtype, std::vector<int64_t> sizes,
                    std::vector<int64_t> strides = {});
  Arguments &f32(std::string name, double value);
  Arguments &i32(std::string name, int64_t value);
  Arguments &i64(std::string name, int64_t value);

  /// Valid until the next change of this object.
  const tilefold_arguments &view() const { return view_; }

private:
  void rebuild_view();

  struct OwnedTensor {
    std::string name;
    const void *data;
    DType dtype;
    std::vector<int64_t> sizes, strides;
  };
  struct OwnedScalar {
    std::string name;
    DType dtype;
    double floating;
    int64_t integer;
  };
  std::deque<OwnedTensor> tensors_;
  std::deque<OwnedScalar> scalars_;
  std::vector<tilefold_tensor> tensor_views_; // point into the deques, whose elements stay where they are
  std::vector<tilefold_scalar> scalar_views_;
  tilefold_arguments view_{};
};

/// A compiled program. Immutable and cheap to copy; may be used from any thread.
class Artifact {
public:
  /// Errors: IO, ARTIFACT_*.
  static Result<Artifact> open(const std::string &path);
  static Result<Artifact> from_memory(const void *bytes, size_t size);

  const Manifest &manifest() const { return *manifest_; }
  const std::string &program() const;

  /// The manifest as JSON; PTX and cubins are summarised unless `include_code`.
  std::string to_json_text(bool include_code = false) const;

  // Pure functions of the arguments; the device need not exist (see DeviceProperties).

  /// The launches that `arguments` lead to, exactly as `Call::prepare` computes them.
  Result<Plan> plan(const tilefold_arguments &arguments, const DeviceProperties &device, uint64_t workspace = 0) const;
  Result<uint64_t> workspace_bytes(const tilefold_arguments &arguments, const DeviceProperties &device) const;
  /// The shape that tensor `name` must have, from the other arguments; outputs are allocated by it.
  Result<std::vector<int64_t>> expected_shape(const tilefold_arguments &arguments, const DeviceProperties &device,
                                              std::string_view name) const;
  /// Lists what the artifact lacks on such a device.
  Status verify(const DeviceProperties &device) const;

  /// What the driver's JIT said about this artifact's code on `device`; empty if it was not loaded there.
  std::string jit_log(int device) const;

private:
  friend class Call;
  explicit Artifact(std::shared_ptr<const Manifest> manifest) : manifest_(std::move(manifest)) {}
  std::shared_ptr<const Manifest> manifest_;
};

/// Number of devices. Errors: NO_DRIVER, CUDA.
Result<int> device_count();
Result<DeviceProperties> device_properties(int device);
/// See tilefold_set_driver_library.
Status set_driver_library(const std::string &path);

struct PrepareOptions {
  int device = TILEFOLD_DEVICE_OF_ARGUMENTS;
  void *workspace = nullptr;
  uint64_t workspace_bytes = 0;
};

/// A prepared call: everything that can be computed or checked before a launch has been. Owned by the caller.
class Call {
public:
  Call();
  ~Call();
  Call(Call &&) noexcept;
  Call &operator=(Call &&) noexcept;

  /// On failure the call is what it was before. Errors: ARGUMENT, UNSUPPORTED, NO_DRIVER, CUDA.
  Status prepare(const Artifact &artifact, const tilefold_arguments &arguments, const PrepareOptions &options = {});
  /// Zeroes the `zero_once` parts of the workspace on `stream` (a CUstream).
  Status init_workspace(void *stream) const;
  /// Launches only: no allocation, no synchronisation, no module load; safe during stream capture and from several
  /// threads at once.
  Status launch(void *stream) const;

  /// Ordinal of the device that the call was prepared for, or -1.
  int device() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace tilefold::runtime
