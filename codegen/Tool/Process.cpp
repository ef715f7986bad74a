// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/Process.h"
#include "codegen/Tool/CommandLine.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <llvm/Support/ErrorHandling.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>

namespace tilefold::cli {

int runProcess(const std::string &name, CLI::App &app, const std::function<int()> &command) {
  auto fail = [&](int code, const std::string &message) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), message.c_str());
    return code;
  };
  // What was printed may still be on its way to a full disk.
  auto finish = [&](int code) {
    errno = 0;
    if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout))
      return fail(code ? code : 2, fmt::format("standard output cannot be written{}{}", errno ? ": " : "",
                                               errno ? std::strerror(errno) : ""));
    return code;
  };
  // What LLVM's back end cannot do, such as instructions that a target has not, it tells by ending the process.
  llvm::ScopedFatalErrorHandler fatal([](void *tool, const char *reason, bool) {
    std::fprintf(stderr, "%s: LLVM cannot compile this for the target: %s\n", static_cast<const char *>(tool), reason);
    std::_Exit(2);
  }, const_cast<char *>(name.c_str()));
  try {
    return finish(command());
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return finish(app.exit(error)); // --help, --version
    return fail(2, std::string(error.what()) + "; see --help");
  } catch (const UsageError &error) {
    return fail(2, error.message);
  } catch (const RunError &error) {
    return fail(1, error.message);
  } catch (const std::bad_alloc &) { // what is large is asked for before (support/memory.h)
    return fail(1, "out of memory");
  } catch (const std::exception &error) { // no room for what is printed
    return fail(1, error.what());
  } catch (...) { // a kernel's own
    return fail(1, "something was thrown that is no std::exception");
  }
}

} // namespace tilefold::cli
