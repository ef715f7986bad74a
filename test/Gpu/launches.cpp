// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is about launching and not about numbers: threads, streams, capture, refused calls, several devices. Right here means
// the same bits as one plain launch gives.
#include "test/Gpu/suite.h"

#include <cmath>
#include <thread>

namespace tilefold::gpu_suite {

using support::HostTensor;

namespace {

constexpr int capture_global = 0, not_ready = 600;

/// Ends by itself after two seconds, should nobody set the flag.
constexpr const char *spin_ptx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 flag)
{
  .reg .pred %p<3>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [flag];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u64 %rd3, %globaltimer;
  add.u64 %rd4, %rd3, 2000000000;
AGAIN:
  ld.volatile.global.u32 %r1, [%rd2];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  mov.u64 %rd5, %globaltimer;
  setp.lt.u64 %p2, %rd5, %rd4;
  @%p2 bra AGAIN;
DONE:
  ret;
}
)";

class OwnStream {
public:
  explicit OwnStream(const Gpu &gpu)
      : driver_(gpu.driver()), status_(TILEFOLD_CUDA(gpu.driver(), cuStreamCreate(&handle_, cuda::stream_non_blocking))) {}
  ~OwnStream() {
    if (handle_)
      (void)driver_.cuStreamDestroy(handle_);
  }
  OwnStream(const OwnStream &) = delete;
  OwnStream &operator=(const OwnStream &) = delete;
  cuda::Stream get() const { return handle_; }
  const Status &status() const { return status_; }

private:
  const runtime::Driver &driver_;
  cuda::Stream handle_ = nullptr;
  Status status_;
};

/// J4: threads that never had a context load the code, prepare and launch, each on its own stream and tensors, all at once.
Outcome threads(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  const Gpu::Frame frame(gpu);
  constexpr int count = 8, rounds = 50;
  struct Worker {
    std::unique_ptr<PreparedAttention> bound;
    std::unique_ptr<OwnStream> stream;
    AttentionResult expected;
    Status status;
  };
  std::vector<Worker> workers(count);
  for (int t = 0; t < count; ++t) {
    const AttentionInputs inputs = small_inputs(suite, 100 + t);
    const Result<AttentionResult> alone = run_attention(gpu, suite.artifact, inputs, {});
    auto bound = bind_attention(gpu, suite.artifact, inputs, {});
    auto stream = std::make_unique<OwnStream>(gpu);
    for (const Status &status : {alone.status(), bound.status(), stream->status()})
      if (!outcome.check("set-up", status))
        return outcome;
    workers[t] = {*std::move(bound), std::move(stream), *alone, {}};
  }
  std::vector<std::thread> threads;
  for (Worker &worker : workers)
    threads.emplace_back([&worker, &suite] {
      // A copy of its own, of which nobody has loaded anything yet; the code stays loaded while the call lives.
      const Result<runtime::Artifact> copy = changed(suite.artifact, [](nlohmann::json &) {});
      PreparedAttention &bound = *worker.bound;
      worker.status = copy ? bound.call.prepare(*copy, bound.arguments.view(), bound.options) : copy.status();
      if (worker.status)
        worker.status = bound.call.init_workspace(worker.stream->get());
      for (int i = 0; i < rounds && worker.status; ++i)
        worker.status = bound.call.launch(worker.stream->get());
    });
  for (std::thread &thread : threads)
    thread.join();
  int wrong = 0;
  for (Worker &worker : workers) {
    if (!outcome.check("launch", worker.status) ||
        !outcome.check("run", TILEFOLD_CUDA(gpu.driver(), cuStreamSynchronize(worker.stream->get()))))
      return outcome;
    const Result<AttentionResult> result = worker.bound->results();
    wrong += !result || !same(*result, worker.expected);
  }
  outcome.at_most("threads with wrong results", wrong, 0);
  return outcome;
}

/// A launch captured in a graph. The capture is in global mode, which other threads' launches must not disturb.
class Graph {
public:
  explicit Graph(const Gpu &gpu) : gpu_(gpu) {}
  ~Graph() {
    if (executable_)
      gpu_.more().cuGraphExecDestroy(executable_);
    if (graph_)
      gpu_.more().cuGraphDestroy(graph_);
  }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  static bool available(const MoreDriver &more) {
    return more.cuStreamBeginCapture && more.cuStreamEndCapture && more.cuGraphInstantiate && more.cuGraphLaunch;
  }
  Status begin(cuda::Stream stream) {
    return status("cuStreamBeginCapture", gpu_.more().cuStreamBeginCapture(stream, capture_global));
  }
  Status end(cuda::Stream stream) {
    if (Status ended = status("cuStreamEndCapture", gpu_.more().cuStreamEndCapture(stream, &graph_)); !ended)
      return ended;
    return status("cuGraphInstantiate", gpu_.more().cuGraphInstantiate(&executable_, graph_, 0));
  }
  /// The results of a replay; `call` is what was captured. Nothing is left in them of what was there before.
  Result<AttentionResult> replay(PreparedAttention &call, cuda::Stream stream) const {
    for (DeviceTensor *result : {&call.o, &call.lse})
      if (Status status = result->poison(); !status)
        return status;
    if (Status launched = status("cuGraphLaunch", gpu_.more().cuGraphLaunch(executable_, stream)); !launched)
      return launched;
    if (Status done = TILEFOLD_CUDA(gpu_.driver(), cuStreamSynchronize(stream)); !done)
      return done;
    return call.results();
  }

private:
  Status status(const char *what, int result) const { return runtime::cuda_status(gpu_.driver(), result, what, __FILE__, __LINE__); }
  const Gpu &gpu_;
  void *graph_ = nullptr, *executable_ = nullptr;
};

constexpr const char *no_capture = "the driver has no stream capture";

/// J10, J11: a capture goes on while another thread launches; replays read what the tensors hold then.
Outcome capture(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  if (!Graph::available(gpu.more())) {
    outcome.skipped = no_capture;
    return outcome;
  }
  const Gpu::Frame frame(gpu);
  const AttentionInputs first = small_inputs(suite, 1), second = small_inputs(suite, 2);
  const Result<AttentionResult> expected = run_attention(gpu, suite.artifact, second, {});
  auto captured = prepare_attention(gpu, suite.artifact, first, {});
  auto other = prepare_attention(gpu, suite.artifact, second, {});
  OwnStream stream(gpu), other_stream(gpu);
  for (const Status &status : {expected.status(), captured.status(), other.status(), stream.status(), other_stream.status()})
    if (!outcome.check("set-up", status))
      return outcome;

  Graph graph(gpu);
  if (!outcome.check("begin of a capture", graph.begin(stream.get())))
    return outcome;
  Status other_status;
  std::thread([&] { other_status = (*other)->call.launch(other_stream.get()); }).join();
  const Status launched = (*captured)->call.launch(stream.get()), ended = graph.end(stream.get());
  if (!outcome.check("J10 launch of another thread", other_status) || !outcome.check("launch in a capture", launched) ||
      !outcome.check("end of a capture", ended))
    return outcome;
  for (const Status &status : {(*captured)->q.upload(second.q), (*captured)->k.upload(second.k), (*captured)->v.upload(second.v)})
    if (!outcome.check("upload", status))
      return outcome;
  for (int times = 0; times < 2; ++times) {
    const Result<AttentionResult> result = graph.replay(**captured, stream.get());
    if (!outcome.check("replay", result.status()))
      return outcome;
    outcome.require("J11 bits of a replay", same(*result, *expected));
  }
  if (outcome.check("run", TILEFOLD_CUDA(gpu.driver(), cuStreamSynchronize(other_stream.get())))) {
    const Result<AttentionResult> result = (*other)->results();
    outcome.require("J10 bits of the other thread", result && same(*result, *expected));
  }
  return outcome;
}

/// J11: graphs of three lengths, captured one after the other and replayed in turn. A length is a parameter of the launch, so
/// each graph keeps its own, whatever was planned since.
Outcome captured_lengths(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  if (!Graph::available(gpu.more())) {
    outcome.skipped = no_capture;
    return outcome;
  }
  const Gpu::Frame frame(gpu);
  OwnStream stream(gpu);
  if (!outcome.check("stream", stream.status()))
    return outcome;
  struct Captured {
    std::unique_ptr<PreparedAttention> call;
    AttentionResult expected;
    std::unique_ptr<Graph> graph;
  };
  std::vector<Captured> all;
  for (std::int64_t keys : {100, 5000, 0}) {
    AttentionCase test = small_case();
    test.keys = keys;
    const AttentionInputs inputs = make_inputs(test, suite.head_dim, suite.dtype, Fill::normal, 6);
    const Result<AttentionResult> expected = run_attention(gpu, suite.artifact, inputs, {});
    auto call = prepare_attention(gpu, suite.artifact, inputs, {});
    auto graph = std::make_unique<Graph>(gpu);
    if (!outcome.check("run", expected.status()) || !outcome.check("prepare", call.status()) ||
        !outcome.check("begin of a capture", graph->begin(stream.get())))
      return outcome;
    const Status launched = (*call)->call.launch(stream.get()), ended = graph->end(stream.get());
    if (!outcome.check("launch in a capture", launched) || !outcome.check("end of a capture", ended))
      return outcome;
    all.push_back({*std::move(call), *expected, std::move(graph)});
  }
  for (int times = 0; times < 2; ++times)
    for (Captured &each : all) {
      const Result<AttentionResult> result = each.graph->replay(*each.call, stream.get());
      if (!outcome.check("replay", result.status()))
        return outcome;
      outcome.require("J11 bits of a replay", same(*result, each.expected), std::to_string(each.call->k.placement().sizes[2]) + " keys");
    }
  return outcome;
}

/// J8: the first launch does not wait for a kernel that runs on another stream.
Outcome first_launch(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  if (!gpu.more().cuStreamQuery) {
    outcome.skipped = "the driver has no cuStreamQuery";
    return outcome;
  }
  const Gpu::Frame frame(gpu);
  const runtime::Driver &driver = gpu.driver();
  auto prepared = prepare_attention(gpu, suite.artifact, small_inputs(suite, 3), {});
  const Result<cuda::DevicePointer> flag = gpu.allocate(4);
  OwnStream spinning(gpu), working(gpu), setting(gpu);
  for (const Status &status : {prepared.status(), flag.status(), spinning.status(), working.status(), setting.status()})
    if (!outcome.check("set-up", status))
      return outcome;
  cuda::ModuleHandle module = nullptr;
  cuda::Function spin = nullptr;
  if (!outcome.check("flag", gpu.fill(*flag, 0, 4)) || !outcome.check("flag", gpu.synchronize()) ||
      !outcome.check("spin", TILEFOLD_CUDA(driver, cuModuleLoadDataEx(&module, spin_ptx, 0, nullptr, nullptr))) ||
      !outcome.check("spin", TILEFOLD_CUDA(driver, cuModuleGetFunction(&spin, module, "spin"))))
    return outcome;
  if (driver.cuFuncLoad)
    (void)driver.cuFuncLoad(spin);
  cuda::LaunchConfig config{1, 1, 1, 1, 1, 1, 0, spinning.get(), nullptr, 0};
  cuda::DevicePointer address = *flag;
  void *parameters[] = {&address};
  if (!outcome.check("spin", TILEFOLD_CUDA(driver, cuLaunchKernelEx(&config, spin, parameters, nullptr))))
    return outcome;
  outcome.check("launch", (*prepared)->call.launch(working.get()));
  outcome.check("run", TILEFOLD_CUDA(driver, cuStreamSynchronize(working.get())));
  outcome.require("J8 done while the other kernel runs", gpu.more().cuStreamQuery(spinning.get()) == not_ready);
  outcome.check("flag", TILEFOLD_CUDA(driver, cuMemsetD8Async(address, 1, 4, setting.get())));
  outcome.check("spin", TILEFOLD_CUDA(driver, cuStreamSynchronize(spinning.get())));
  (void)driver.cuModuleUnload(module);
  return outcome;
}

/// C7: refused calls say which argument is at fault, launch nothing and leave no error behind.
Outcome refusals(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  struct Wrong {
    const char *what, *argument;
    std::function<void(AttentionInputs &, AttentionRun &)> break_it;
  };
  const auto dtype = suite.dtype;
  const std::int64_t d = suite.head_dim;
  const Wrong wrong[] = {
      {"F6 another head dim", "q", [&](AttentionInputs &in, AttentionRun &) { in.q = HostTensor(dtype, {2, 4, 70, d + 8}); }},
      {"k of another head dim", "k", [&](AttentionInputs &in, AttentionRun &) { in.k = HostTensor(dtype, {2, 2, 300, d + 8}); }},
      {"F3 heads 4/3", "k", [&](AttentionInputs &in, AttentionRun &) { in.k = in.v = HostTensor(dtype, {2, 3, 300, d}); }},
      {"C6 no key heads", "k", [&](AttentionInputs &in, AttentionRun &) { in.k = in.v = HostTensor(dtype, {2, 0, 300, d}); }},
      {"another batch", "k", [&](AttentionInputs &in, AttentionRun &) { in.k = in.v = HostTensor(dtype, {1, 2, 300, d}); }},
      {"v shorter than k", "v", [&](AttentionInputs &in, AttentionRun &) { in.v = HostTensor(dtype, {2, 2, 299, d}); }},
      {"scale not finite", "scale", [](AttentionInputs &, AttentionRun &run) { run.scale = HUGE_VAL; }},
  };
  for (const Wrong &each : wrong) {
    AttentionInputs in = small_inputs(suite, 4);
    AttentionRun run;
    each.break_it(in, run);
    const Gpu::Frame frame(gpu);
    const auto prepared = prepare_attention(gpu, suite.artifact, in, run);
    const Status status = prepared.status();
    outcome.require(each.what, status.code() == TILEFOLD_ERROR_ARGUMENT && status.argument() == each.argument,
                    std::string(tilefold_status_name(status.code())) + ": " + status.message());
  }
  outcome.check("no error is left", gpu.synchronize());
  return outcome;
}

/// J2, J3: the same artifact on a second device while the first is current.
Outcome second_device(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  const Result<int> count = runtime::device_count();
  if (!count || *count < 2) {
    outcome.skipped = "there is one device";
    return outcome;
  }
  Gpu &first = *session.gpu;
  const AttentionInputs in = small_inputs(suite, 5);
  const Result<AttentionResult> expected = run_attention(first, suite.artifact, in, {});
  if (!outcome.check("run on the first device", expected.status()))
    return outcome;
  Result<std::unique_ptr<Gpu>> second = Gpu::open(first.ordinal() == 0 ? 1 : 0);
  if (!outcome.check("open", second.status()))
    return outcome;
  const Gpu::Frame frame(**second);
  auto prepared = prepare_attention(**second, suite.artifact, in, {});
  if (!outcome.check("prepare", prepared.status()))
    return outcome;
  {
    const runtime::ContextScope scope(first.driver(), first.device().context); // the other one is current
    outcome.check("launch", (*prepared)->call.launch((*second)->stream()));
  }
  outcome.check("run", (*second)->synchronize());
  const Result<AttentionResult> result = (*prepared)->results();
  outcome.require("bits of the second device", result && same(*result, *expected));
  return outcome;
}

} // namespace

/// J8 comes first: nothing has launched the artifact's kernels before it.
std::vector<Item> launch_items(const std::vector<SuiteArtifact> &artifacts) {
  return items_of_one_configuration(artifacts, {{"J8 first launch beside a running kernel", first_launch},
                                                {"C7 refused calls", refusals},
                                                {"J4 threads", threads},
                                                {"J10 J11 capture", capture},
                                                {"J11 captures of several lengths", captured_lengths},
                                                {"J2 J3 second device", second_device}});
}

} // namespace tilefold::gpu_suite
