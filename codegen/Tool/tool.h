// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole command line for kernels, and compilation inside a program. No compiler header is needed to use it.
//
//     int main(int argc, char **argv) {
//       return tilefold::tool(argc, argv, {{"mine", tilefold::FlashAttention2<tilefold::f16>{}}});
//     }
#pragma once
#include "dsl/tilefold.h"
#include "support/chip.h"
#include "support/host_tensor.h"
#include "support/reference.h"
#include "support/status.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilefold {

/// A kernel of any type.
using AnyKernel = std::function<void(Program &)>;

/// A setting of a Config, which reads like a plain T. That it was read is noted, in copies as well: an option for what a
/// program never asks for is an error.
template <class T> class Setting {
public:
  Setting(T value) : value(value) {}
  Setting &operator=(T to) {
    value = to;
    return *this;
  }
  operator T() const {
    if (isRead)
      *isRead = true;
    return value;
  }
  /// The same setting, whose readers set `*flag`.
  Setting noting(std::shared_ptr<bool> flag) const {
    Setting result(value);
    result.isRead = std::move(flag);
    return result;
  }

private:
  T value;
  std::shared_ptr<bool> isRead;
};

/// What the command line, or the tensors of a file, ask of a program that can be made in several ways.
struct Config {
  Setting<support::DType> dtype = support::DType::f16; ///< f16, bf16 or f32
  Setting<int> head_dim = 128;
  Setting<bool> causal = false;
  /// Shared memory of a block, in bytes, on the devices that the program is made for: all of them, or the target's own.
  Setting<int> shared_bytes = *support::promised_shared_bytes(support::portable_target);
};

/// make(T()) for the T = f16, bf16 or f32 that `dtype` names:
/// `for_dtype(c.dtype, [&]<class T>(T) { return FlashAttention2<T>{.head_dim = c.head_dim}; })`.
template <class Make> AnyKernel for_dtype(support::DType dtype, Make make) {
  if (dtype == support::DType::f16) return make(f16());
  if (dtype == support::DType::bf16) return make(bf16());
  return make(f32());
}

/// Tensors by argument name.
using Tensors = std::map<std::string, support::HostTensor>;

/// What the tool may know of a program beyond its kernel; all of it may be left out.
struct About {
  /// One line for --help.
  std::string summary = {};
  /// The tensors of a run that is given none, as --random takes them.
  std::string random = {};
  /// For --check of attention programs (q, k, v to o and lse): the variant as fp64 attention knows it. The tool adds the scale.
  std::function<support::AttentionOptions(const Config &)> attention = {};
  /// For --check of any other program: the outputs' elements in row-major order, from the inputs. Integers and masks must be these;
  /// of floating-point outputs the error's norm may be u times the reference's, and each error 3 u times its largest element, with
  /// u as for attention (docs/semantics.md).
  std::function<std::map<std::string, std::vector<double>>(const Tensors &inputs)> outputs = {};
};

/// A program under its name on the command line (letters, digits, '-' and '_'; no two alike): one kernel, or a function that
/// makes it for a Config.
struct NamedKernel {
  std::string name;
  std::function<AnyKernel(const Config &)> make;
  bool configurable = false;
  About about;

  template <class K> NamedKernel(std::string name, K kernel, About about = {}) : name(std::move(name)), about(std::move(about)) {
    static_assert(std::invocable<const K &, Program &> || std::invocable<const K &, const Config &>,
                  "a kernel is callable with a Program &, or is a function that makes one for a Config");
    configurable = !std::invocable<const K &, Program &>;
    if constexpr (std::invocable<const K &, Program &>)
      make = [kernel = AnyKernel(std::move(kernel))](const Config &) { return kernel; };
    else
      make = std::move(kernel);
  }
};

/// `run`, `compile`, `info` and `explain` for these kernels; --help says the rest. Returns the process's exit code: 0 right,
/// 1 wrong numbers or a failed run, 2 bad usage or input, with a sentence on standard error that names the argument.
int tool(int argc, char **argv, std::vector<NamedKernel> kernels);

/// The bytes of an artifact for `target` ("sm_80" and later): a file for tilefold-run, or for runtime::Artifact::from_memory.
/// `name` becomes the program's. The error holds the compiler's diagnostics, with the kernel's own lines.
support::Result<std::vector<std::uint8_t>> compile(const AnyKernel &kernel, std::string_view target = "sm_80",
                                                   std::string_view name = "kernel");

} // namespace tilefold
