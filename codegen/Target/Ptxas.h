// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilefold {

/// NVIDIA's assembler, as a program on this machine. Optional: the driver assembles PTX by itself.
struct Ptxas {
  std::string path;
  int major = 0, minor = 0, build = 0; ///< 13, 0, 88
};

/// The one at `path` if given, else the one that TILEFOLD_PTXAS names, else that on PATH or in /usr/local/cuda/bin. Errors: there is
/// none, or the one that was named cannot be run or is another program.
llvm::Expected<Ptxas> findPtxas(llvm::StringRef path = "");

enum class PtxasTrust { Good, Suspect, Broken };

/// What is known of a release: `Broken` ones produce wrong code and are refused, `Suspect` ones have a report against them.
PtxasTrust getTrust(const Ptxas &ptxas, std::string &reason);

/// What ptxas -v tells of one kernel; bytes of local memory.
struct KernelUsage {
  std::string name;
  int registers = 0, spillStores = 0, spillLoads = 0, stack = 0, staticShared = 0;
};

struct Assembly {
  std::vector<uint8_t> cubin;
  std::vector<KernelUsage> kernels;
  std::vector<std::string> losses; ///< "C75xx" messages: potential performance losses
};

/// Assembles PTX for `arch` ("sm_90"). Errors: a broken ptxas, what ptxas says of the PTX.
llvm::Expected<Assembly> assemble(const Ptxas &ptxas, llvm::StringRef ptx, llvm::StringRef arch);

} // namespace tilefold
