// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as the command line sees it. This is the border between code that is built without exceptions because MLIR
// is visible, and the tool around it, whose option parser and runtime throw: no MLIR header on this side.
#pragma once
#include "codegen/Tool/tool.h"

#include <memory>
#include <optional>

namespace tilefold::sim {
struct KernelCode;
}

namespace tilefold::cli {

using Scalars = std::map<std::string, double>;
using Shape = support::Shape; // not the language's own

/// An argument of a program.
struct Argument {
  std::string name, role; ///< "input", "output", "inout", "scalar"
  support::DType dtype = support::DType::f32;
  int rank = 0;
  std::optional<double> fallback; ///< of a scalar that may be left out
};

/// Which settings of its Config a program was made by.
struct Taken {
  bool dtype = false, headDim = false, causal = false, sharedBytes = false;
};

struct Request {
  std::string emit = "artifact"; ///< tile, layout, schedule, base, ptx, cubin, artifact
  std::string target{support::portable_target};
  std::vector<std::string> printAfter, cubins;
  int warps = 0, stages = 0; ///< 0: the schedule's own choice
  Config config; ///< what of it the program has taken goes into the manifest
  Taken taken;
};

/// What the instances of one launch do, from the IR: loads and stores clipped at the edges of the tensors, products whole,
/// rows that do not exist included.
struct LaunchWork {
  std::string kernel;
  std::int64_t grid[3] = {};
  double instances = 0;
  double productFlops = 0; ///< of dots and weighs, two an element
  double exponentials = 0;
  double elementOperations = 0; ///< on elements of tiles, one each; a division counts as eight
  std::map<std::string, double> loaded, stored; ///< bytes by tensor
};

struct ProgramWork {
  std::vector<LaunchWork> launches;
  std::map<std::string, double> tensorBytes; ///< of arguments and workspaces, each once
  std::vector<std::string> workspaces;
};

/// What code generation made of a kernel, where tensors are dense and aligned.
struct KernelShape {
  std::int64_t threads = 0, sharedBytes = 0;
};

/// The kernels of an artifact as code for the simulator. Each is compiled when it is asked for the first time.
class HostKernels {
public:
  HostKernels(HostKernels &&) noexcept;
  ~HostKernels();
  /// Errors: an operation that the simulator does not model, on the kernel's line.
  support::Result<const sim::KernelCode *> find(const std::string &entry);
  /// The base module that they are made from, as text with locations.
  std::string base() const;

private:
  friend class Module;
  struct Impl;
  explicit HostKernels(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

struct Simulatable {
  std::string artifact;
  HostKernels kernels;
};

/// A program that was traced from a kernel, or read from a file of IR (at any stage of the compiler).
class Module {
public:
  /// Errors are the diagnostics, on the kernel's or the file's own lines.
  static support::Result<Module> trace(const AnyKernel &kernel, const std::string &name);
  static support::Result<Module> parse(const std::string &path);
  Module(Module &&) noexcept;
  Module &operator=(Module &&) noexcept;
  ~Module();

  /// Of the program; a module from a file may have none.
  const std::vector<Argument> &arguments() const;
  const Argument *find(const std::string &name) const;

  /// Allocates outputs that are absent and checks everything that can be checked before a run.
  support::Status prepare(Tensors &tensors, const Scalars &scalars) const;
  /// Runs on the interpreter, with a line of progress on terminals. Gives how many elements of outputs were left unwritten, by name.
  support::Result<std::map<std::string, std::int64_t>> interpret(Tensors &tensors, const Scalars &scalars, unsigned threads) const;
  /// The bytes of what was asked for. Passes that were to be printed after are printed to standard error.
  support::Result<std::string> compile(const Request &request) const;
  /// An artifact, and the same kernels for the simulator. This object must live as long as they do.
  support::Result<Simulatable> compileForSimulator(const Request &request) const;
  /// "tile"; of a file, the stage that its kernels have come to: "layout", "schedule" or "base".
  std::string stage() const;
  /// Whether it says how its kernels are launched; a file may hold kernels alone.
  bool hasProgram() const;
  /// The passes that lead from there to what `emit` names.
  std::vector<std::string> passes(const std::string &emit) const;
  /// The head dim that an attention kernel states for its queries in a requirement.
  std::optional<int> headDim() const;
  /// By the kernels' names, of the first alternative; compiles them for `target` to the base level.
  support::Result<std::map<std::string, KernelShape>> kernelShapes(const std::string &target) const;
  /// For tensors of these shapes, which need not exist.
  support::Result<ProgramWork> countWork(const std::map<std::string, support::Shape> &shapes, const Scalars &scalars) const;

private:
  friend class HostKernels; // whose kernels live in this object's context
  struct Impl;
  explicit Module(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// "name" as an identifier of PTX: "fa1-rows" becomes "fa1_rows".
std::string identifier(std::string name);

} // namespace tilefold::cli
