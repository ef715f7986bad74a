// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Gpu/supervisor.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilefold::gpu_suite {

namespace {

struct Child {
  pid_t pid = -1;
  int descriptor = -1;
};

Child start(std::vector<std::string> command, int from) {
  int ends[2];
  if (pipe(ends) != 0)
    return {};
  command.insert(command.end(), {"--from", std::to_string(from), "--report", std::to_string(ends[1])});
  std::vector<char *> arguments;
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    execv("/proc/self/exe", arguments.data());
    _exit(127);
  }
  close(ends[1]);
  return {pid, ends[0]};
}

/// How the child ended, in words; empty if it went well.
std::string reap(const Child &child) {
  int status = 0;
  waitpid(child.pid, &status, 0);
  close(child.descriptor);
  if (WIFSIGNALED(status))
    return std::string("the process was ended by signal ") + strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "the process ended with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

void Reporter::write(const nlohmann::json &line) const {
  const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(descriptor_, text.data() + at, text.size() - at);
    if (written <= 0)
      _exit(1); // the parent is gone
    at += std::size_t(written);
  }
}

Supervised supervise(const SupervisorOptions &options, void (*on_item)(const nlohmann::json &)) {
  Supervised result;
  auto add = [&](nlohmann::json line) {
    if (!line.contains("item")) {
      result.others.push_back(std::move(line));
      return;
    }
    on_item(line);
    result.items.push_back(std::move(line));
  };
  auto fail = [&](int item, const std::string &why) {
    add({{"item", item}, {"verdict", "fail"}, {"criteria", {{"process", {{"failed", true}, {"detail", why}}}}}});
  };
  std::signal(SIGPIPE, SIG_IGN);
  int next = 0;
  for (int children = 0; next < options.items && children < options.max_children; ++children) {
    const Child child = start(options.command, next);
    if (child.pid < 0)
      break;
    std::string pending, why;
    bool begun = false; // the child works on `next`; before that it compiles
    for (;;) {
      pollfd wait{child.descriptor, POLLIN, 0};
      // Loading and compiling all artifacts comes before the first item: the driver compiles one in a few seconds.
      const int patience = begun ? options.seconds : 20 * options.seconds;
      const int ready = poll(&wait, 1, patience * 1000);
      if (ready == 0) {
        why = "nothing came for " + std::to_string(patience) + " s";
        kill(child.pid, SIGKILL);
        break;
      }
      char buffer[65536];
      const ssize_t count = read(child.descriptor, buffer, sizeof buffer);
      if (count <= 0)
        break;
      pending.append(buffer, std::size_t(count));
      for (std::size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
        nlohmann::json line = nlohmann::json::parse(pending.substr(0, end), nullptr, false);
        if (line.is_discarded())
          continue;
        begun |= line.contains("ready");
        if (line.contains("item"))
          next = line["item"].get<int>() + 1;
        add(std::move(line));
      }
    }
    const std::string ended = reap(child);
    if (why.empty())
      why = ended;
    if (next >= options.items)
      break;
    // An item that a child has reported as failed is done; else the child did not survive `next`.
    const bool reported = begun && !result.items.empty() && result.items.back()["item"] == next - 1 &&
                          result.items.back().value("fatal", false);
    if (!reported) {
      std::fprintf(stderr, "gpu-suite: item %d: %s\n", next, why.c_str());
      if (!begun) { // not the item's fault: nothing can run
        fail(next++, why.empty() ? "the process ended early" : why);
        break;
      }
      fail(next++, why.empty() ? "the process ended early" : why);
    }
  }
  for (; next < options.items; ++next)
    fail(next, "not run: too many processes before it did not survive");
  return result;
}

} // namespace tilefold::gpu_suite
