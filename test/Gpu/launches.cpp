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

AttentionCase small_case() { return {.name = "launch", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 70, .keys = 300}; }

AttentionInputs inputs_of(const SuiteArtifact &suite, std::uint64_t seed) {
  return make_inputs(small_case(), suite.head_dim, suite.dtype, Fill::normal, seed);
}

bool same(const AttentionResult &a, const AttentionResult &b) { return same_bits(a.o, b.o) && same_bits(a.lse, b.lse); }

Result<AttentionResult> results_of(PreparedAttention &prepared) {
  Result<HostTensor> o = prepared.o.download(), lse = prepared.lse.download();
  if (!o)
    return o.status();
  if (!lse)
    return lse.status();
  return AttentionResult{*std::move(o), *std::move(lse), 0, {}, {}};
}

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

/// J4: threads without a context prepare and launch, each on its own stream and tensors, all at once.
Outcome threads(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  const Gpu::Frame frame(gpu);
  constexpr int count = 8, rounds = 50;
  std::vector<AttentionResult> expected;
  std::vector<std::unique_ptr<PreparedAttention>> prepared;
  std::vector<std::unique_ptr<OwnStream>> streams;
  for (int t = 0; t < count; ++t) {
    const Result<AttentionResult> alone = run_attention(gpu, suite.artifact, inputs_of(suite, 100 + t), {});
    if (!outcome.check("run alone", alone.status()))
      return outcome;
    expected.push_back(*alone);
  }
  for (int t = 0; t < count; ++t) {
    auto call = prepare_attention(gpu, suite.artifact, inputs_of(suite, 100 + t), {});
    streams.push_back(std::make_unique<OwnStream>(gpu));
    if (!outcome.check("prepare", call.status()) || !outcome.check("stream", streams.back()->status()))
      return outcome;
    prepared.push_back(*std::move(call));
  }
  std::vector<Status> statuses(count);
  std::vector<std::thread> workers;
  for (int t = 0; t < count; ++t)
    workers.emplace_back([&, t] {
      for (int i = 0; i < rounds && statuses[t]; ++i)
        statuses[t] = prepared[t]->call.launch(streams[t]->get());
    });
  for (std::thread &worker : workers)
    worker.join();
  int wrong = 0;
  for (int t = 0; t < count; ++t) {
    if (!outcome.check("launch", statuses[t]) ||
        !outcome.check("run", TILEFOLD_CUDA(gpu.driver(), cuStreamSynchronize(streams[t]->get()))))
      return outcome;
    const Result<AttentionResult> result = results_of(*prepared[t]);
    wrong += !result || !same(*result, expected[t]);
  }
  outcome.at_most("threads with wrong results", wrong, 0);
  return outcome;
}

/// J10, J11: a capture in global mode goes on while another thread launches; replays read what the tensors hold then.
Outcome capture(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  const MoreDriver &more = gpu.more();
  if (!more.cuStreamBeginCapture || !more.cuStreamEndCapture || !more.cuGraphInstantiate || !more.cuGraphLaunch) {
    outcome.skipped = "the driver has no stream capture";
    return outcome;
  }
  const Gpu::Frame frame(gpu);
  const AttentionInputs first = inputs_of(suite, 1), second = inputs_of(suite, 2);
  const Result<AttentionResult> expected = run_attention(gpu, suite.artifact, second, {});
  auto captured = prepare_attention(gpu, suite.artifact, first, {});
  auto other = prepare_attention(gpu, suite.artifact, second, {});
  OwnStream stream(gpu), other_stream(gpu);
  for (const Status &status : {expected.status(), captured.status(), other.status(), stream.status(), other_stream.status()})
    if (!outcome.check("set-up", status))
      return outcome;

  auto cuda = [&](const char *what, int result) {
    return outcome.check(what, runtime::cuda_status(gpu.driver(), result, what, __FILE__, __LINE__));
  };
  if (!cuda("cuStreamBeginCapture", more.cuStreamBeginCapture(stream.get(), capture_global)))
    return outcome;
  Status other_status;
  std::thread([&] { other_status = (*other)->call.launch(other_stream.get()); }).join();
  const Status launched = (*captured)->call.launch(stream.get());
  void *graph = nullptr, *executable = nullptr;
  const bool ended = cuda("cuStreamEndCapture", more.cuStreamEndCapture(stream.get(), &graph));
  if (!outcome.check("J10 launch of another thread", other_status) || !outcome.check("launch in a capture", launched) || !ended)
    return outcome;
  if (!cuda("cuGraphInstantiate", more.cuGraphInstantiate(&executable, graph, 0)))
    return outcome;
  for (const Status &status : {(*captured)->q.upload(second.q), (*captured)->k.upload(second.k), (*captured)->v.upload(second.v)})
    if (!outcome.check("upload", status))
      return outcome;
  for (int replay = 0; replay < 2; ++replay) {
    if (!outcome.check("poison", (*captured)->o.poison()) || !outcome.check("poison", (*captured)->lse.poison()) ||
        !cuda("cuGraphLaunch", more.cuGraphLaunch(executable, stream.get())) ||
        !outcome.check("run", TILEFOLD_CUDA(gpu.driver(), cuStreamSynchronize(stream.get()))))
      return outcome;
    const Result<AttentionResult> result = results_of(**captured);
    outcome.require("J11 bits of a replay", result && same(*result, *expected));
  }
  if (outcome.check("run", TILEFOLD_CUDA(gpu.driver(), cuStreamSynchronize(other_stream.get())))) {
    const Result<AttentionResult> result = results_of(**other);
    outcome.require("J10 bits of the other thread", result && same(*result, *expected));
  }
  more.cuGraphExecDestroy(executable);
  more.cuGraphDestroy(graph);
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
  auto prepared = prepare_attention(gpu, suite.artifact, inputs_of(suite, 3), {});
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
    AttentionInputs in = inputs_of(suite, 4);
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
  const AttentionInputs in = inputs_of(suite, 5);
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
  const Result<AttentionResult> result = results_of(**prepared);
  outcome.require("bits of the second device", result && same(*result, *expected));
  return outcome;
}

} // namespace

/// J8 comes first: nothing has launched the artifact's kernels before it.
std::vector<Item> launch_items(const std::vector<SuiteArtifact> &artifacts) {
  const std::pair<const char *, Outcome (*)(Session &, const SuiteArtifact &)> tests[] = {
      {"J8 first launch beside a running kernel", first_launch}, {"C7 refused calls", refusals}, {"J4 threads", threads},
      {"J10 J11 capture", capture}, {"J2 J3 second device", second_device}};
  std::vector<Item> items;
  for (const SuiteArtifact &artifact : artifacts)
    if (artifact.head_dim == 64 && artifact.dtype == support::DType::f16 && artifact.causal)
      for (const auto &[name, test] : tests) {
        const SuiteArtifact *suite = &artifact;
        const auto run = test;
        items.push_back({name, artifact.file, artifact.hash, suite, [suite, run](Session &session) { return run(session, *suite); },
                         [](const runtime::DeviceProperties &) {
                           Outcome outcome;
                           outcome.skipped = "not planned ahead";
                           return outcome;
                         }});
      }
  return items;
}

} // namespace tilefold::gpu_suite
