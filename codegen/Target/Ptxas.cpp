// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Target/Ptxas.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <optional>

using namespace llvm;
using namespace tilefold;

static Error error(const Twine &message) { return createStringError(inconvertibleErrorCode(), message); }

/// Runs a program; gives its exit code and appends what it printed on either stream.
static int runProgram(StringRef path, ArrayRef<StringRef> arguments, std::string &output) {
  SmallString<128> log;
  if (sys::fs::createTemporaryFile("tilefold", "log", log)) {
    output += "cannot create a temporary file";
    return -1;
  }
  scope_exit remove([&] { sys::fs::remove(log); });
  SmallVector<StringRef> command{path};
  command.append(arguments.begin(), arguments.end());
  std::string why;
  int code = sys::ExecuteAndWait(path, command, /*Env=*/std::nullopt, {StringRef(""), log.str(), log.str()},
                                 /*SecondsToWait=*/0, /*MemoryLimit=*/0, &why);
  if (auto text = MemoryBuffer::getFile(log))
    output += (*text)->getBuffer();
  output += why;
  return code;
}

static Expected<Ptxas> probe(StringRef path) {
  std::string output;
  const int code = runProgram(path, {"--version"}, output);
  SmallVector<StringRef> match;
  if (code != 0 || !Regex("V([0-9]+)\\.([0-9]+)\\.([0-9]+)").match(output, &match))
    return error("expected a ptxas that tells its version, got '" + path + "', " +
                 (code < 0 ? "which cannot be run: " : "whose --version ends with exit code " + Twine(code) + " and says: ") +
                 StringRef(output).trim());
  Ptxas found;
  found.path = path.str();
  to_integer(match[1], found.major);
  to_integer(match[2], found.minor);
  to_integer(match[3], found.build);
  return found;
}

Expected<Ptxas> tilefold::findPtxas(StringRef path) {
  if (!path.empty())
    return probe(path);
  if (const char *chosen = std::getenv("TILEFOLD_PTXAS"); chosen && *chosen) {
    Expected<Ptxas> found = probe(chosen);
    if (!found)
      return error("TILEFOLD_PTXAS: " + toString(found.takeError()));
    return found;
  }
  if (auto found = sys::findProgramByName("ptxas"))
    return probe(*found);
  if (auto found = sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return probe(*found);
  return error("ptxas is needed, which is neither in TILEFOLD_PTXAS nor on PATH nor in /usr/local/cuda/bin");
}

PtxasTrust tilefold::getTrust(const Ptxas &ptxas, std::string &reason) {
  if (ptxas.major == 12 && ptxas.minor == 8) {
    reason = "ptxas 12.8 miscompiles attention kernels with causal masks; use 12.9 or later";
    return PtxasTrust::Broken;
  }
  if (ptxas.major == 13 && ptxas.minor == 0 && ptxas.build == 88) {
    reason = "there is a report of wrong code by ptxas 13.0.88; compare its results with the driver's own compiler";
    return PtxasTrust::Suspect;
  }
  return PtxasTrust::Good;
}

static void parseUsage(StringRef output, Assembly &assembly) {
  Regex entry("Compiling entry function '([^']+)'"), registers("Used ([0-9]+) registers");
  Regex frame("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  Regex shared("([0-9]+) bytes smem"), loss("\\(C75[0-9][0-9]\\)|Potential Performance Loss");
  SmallVector<StringRef> lines, match;
  output.split(lines, '\n');
  for (StringRef line : lines) {
    if (loss.match(line))
      assembly.losses.push_back(line.trim().str());
    if (entry.match(line, &match))
      assembly.kernels.push_back({match[1].str()});
    if (assembly.kernels.empty())
      continue;
    KernelUsage &kernel = assembly.kernels.back();
    if (frame.match(line, &match)) {
      to_integer(match[1], kernel.stack);
      to_integer(match[2], kernel.spillStores);
      to_integer(match[3], kernel.spillLoads);
    }
    if (registers.match(line, &match))
      to_integer(match[1], kernel.registers);
    if (shared.match(line, &match))
      to_integer(match[1], kernel.staticShared);
  }
}

Expected<Assembly> tilefold::assemble(const Ptxas &ptxas, StringRef ptx, StringRef arch) {
  std::string reason;
  if (getTrust(ptxas, reason) == PtxasTrust::Broken)
    return error(reason);
  SmallString<128> source, result;
  int descriptor;
  if (sys::fs::createTemporaryFile("tilefold", "ptx", descriptor, source) ||
      sys::fs::createTemporaryFile("tilefold", "cubin", result))
    return error("cannot create a temporary file");
  scope_exit remove([&] {
    sys::fs::remove(source);
    sys::fs::remove(result);
  });
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << ptx;

  std::string output, target = ("-arch=" + arch).str();
  if (runProgram(ptxas.path, {"-v", target, source, "-o", result}, output) != 0)
    return error("ptxas refuses the PTX for " + arch + ": " + StringRef(output).trim());
  auto cubin = MemoryBuffer::getFile(result);
  if (!cubin)
    return error("ptxas wrote no cubin: " + StringRef(output).trim());
  Assembly assembly;
  assembly.cubin.assign((*cubin)->getBufferStart(), (*cubin)->getBufferEnd());
  parseUsage(output, assembly);
  return assembly;
}
