// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in for the driver whose GPU knows attention: an entry "attention", "attention_causal" or one of the deliberately
// wrong ones below is executed on the CPU by the fp64 reference, from nothing but the kernel's parameters. So the suite itself
// can be tested where there is no GPU: right results must pass all its cases, wrong ones must fail.
#define cuLaunchKernelEx recorded_launch
#include "test/Runtime/FakeCuda/FakeCuda.cpp"
#undef cuLaunchKernelEx

#include "support/reference.h"
#include "test/Numerics/variant_references.h"

#include <cmath>
#include <limits>
#include <mutex>

using namespace tilefold::support;

namespace {

/// A view as kernels receive it: pointer, extents, strides in elements.
struct View {
  std::byte *data;
  DType dtype;
  Shape sizes, strides;

  std::int64_t count() const {
    std::int64_t n = 1;
    for (std::int64_t size : sizes)
      n *= size;
    return n;
  }
  std::byte *at(std::int64_t n) const {
    std::int64_t offset = 0;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      offset += n % sizes[d] * strides[d];
      n /= sizes[d];
    }
    return data + offset * std::int64_t(byte_size(dtype));
  }
  HostTensor read() const {
    HostTensor tensor(dtype, sizes);
    for (std::int64_t n = 0; n < count(); ++n)
      std::memcpy(tensor.data() + std::size_t(n) * byte_size(dtype), at(n), byte_size(dtype));
    return tensor;
  }
  void write(std::int64_t n, double value) const {
    if (dtype == DType::f32) {
      const auto single = float(value);
      std::memcpy(at(n), &single, sizeof single);
    } else { // a NaN as GPUs make it
      const std::uint16_t bits = std::isnan(value) ? 0x7fff : dtype == DType::f16 ? f64_to_f16(value) : f64_to_bf16(value);
      std::memcpy(at(n), &bits, sizeof bits);
    }
  }
};

struct Parameters {
  const std::vector<std::uint64_t> &values;
  std::size_t next = 0;
  std::uint64_t take() { return values.at(next++); }
  View view(DType dtype, std::size_t rank) {
    View view{reinterpret_cast<std::byte *>(take()), dtype, {}, {}};
    for (std::size_t d = 0; d < rank; ++d)
      view.sizes.push_back(std::int32_t(take()));
    for (std::size_t d = 0; d < rank; ++d)
      view.strides.push_back(std::int64_t(take()));
    return view;
  }
};

bool has(const std::string &entry, const char *word) { return entry.find(word) != std::string::npos; }

void attention(const Launch &launch) {
  const DType dtype = has(launch.entry, "bf16") ? DType::bf16 : DType::f16;
  Parameters parameters{launch.parameters};
  const View q = parameters.view(dtype, 4), k = parameters.view(dtype, 4), v = parameters.view(dtype, 4);
  const View o = parameters.view(dtype, 4), lse = parameters.view(DType::f32, 3);
  // "attention_causal_f16_fast", "attention_with_softcap_f16_fast"
  AttentionOptions options;
  for (std::string_view name : tilefold::numerics::variant_names)
    if (has(launch.entry, ("_with_" + std::string(name) + "_f").c_str()) || has(launch.entry, ("_with_" + std::string(name) + "_b").c_str()))
      options = *tilefold::numerics::variant_reference(name);
  options.scale = bit_copy<float>(std::uint32_t(parameters.take()));
  options.causal |= has(launch.entry, "attention_causal");
  const auto reference = reference_attention(q.read(), k.read(), v.read(), options);
  if (!reference)
    return;
  const std::int64_t columns = o.sizes[3];
  const bool shorter = has(launch.entry, "forgets_a_row"), looser = has(launch.entry, "loses_bits"), wider = has(launch.entry, "writes_outside");
  for (std::int64_t n = 0; n < o.count() - (shorter ? columns : 0); ++n)
    o.write(n, looser ? reference->o[std::size_t(n)] * (1 + (n % 2 ? 4e-3 : -4e-3)) : reference->o[std::size_t(n)]);
  for (std::int64_t n = 0; n < lse.count(); ++n)
    lse.write(n, reference->lse[std::size_t(n)]);
  if (wider && o.count() > 0)
    std::memset(o.at(o.count() - 1) + 2, 0, 2);
}

} // namespace

extern "C" int cuLaunchKernelEx(const LaunchConfig *config, Function function, void **parameters, void **extra) {
  static std::mutex one_at_a_time; // the launch is found again as the last one
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  if (config->block_x > 128)
    return 1; // CUDA_ERROR_INVALID_VALUE: its kernels are compiled for 128 threads
  if (const int result = recorded_launch(config, function, parameters, extra); result != success)
    return result;
  const Launch launch = state().launches.back();
  if (has(launch.entry, "faults"))
    return 700; // CUDA_ERROR_ILLEGAL_ADDRESS
  if (has(launch.entry, "hangs"))
    for (;;) {
    }
  if (has(launch.entry, "attention")) // anything else is recorded only
    attention(launch);
  return success;
}
