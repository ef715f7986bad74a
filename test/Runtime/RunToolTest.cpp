// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilefold-run as a process: on the fake GPU, without any, and with wrong input.
#include "test/Runtime/Manifests.h"
#include "support/safetensors.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace tilefold::runtime::test {
namespace {

class RunToolTest : public ::testing::Test {
protected:
  RunToolTest() {
    char pattern[] = "/tmp/tilefold-run-XXXXXX";
    folder = mkdtemp(pattern);
    write("scale.tilefold", scale_manifest());
    write("decode.tilefold", decode_manifest());
    const support::HostTensor x = support::make_tensor(support::DType::f32, {300}, [](int64_t i) { return double(i); });
    EXPECT_TRUE(support::write_safetensors(folder + "/x.safetensors", {{"x", &x}}).ok());
  }
  ~RunToolTest() override { (void)std::system(("rm -rf " + folder).c_str()); }

  void write(const std::string &file, const json &manifest) {
    const std::vector<uint8_t> bytes = write_artifact(manifest);
    std::ofstream(folder + "/" + file, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  }

  /// Exit code; `output` holds both streams.
  int run(const std::string &arguments, const char *driver = TILEFOLD_FAKE_CUDA) {
    const std::string command = "cd " + folder + " && TILEFOLD_CUDA_LIBRARY=" + driver + " " TILEFOLD_RUN " " + arguments + " > log 2>&1";
    const int status = std::system(command.c_str());
    std::ifstream log(folder + "/log");
    output.assign(std::istreambuf_iterator<char>(log), {});
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string folder, output;
};

TEST_F(RunToolTest, RunsAndWritesOutputs) {
  ASSERT_EQ(run("scale.tilefold --in x.safetensors --out y.safetensors --scalar factor=0.5 --repeat 3"), 0) << output;
  EXPECT_NE(output.find("scale: "), std::string::npos);
  auto file = support::SafetensorsFile::open(folder + "/y.safetensors");
  ASSERT_TRUE(file.ok()) << file.message();
  auto y = file->load("y");
  ASSERT_TRUE(y.ok()) << y.message();
  ASSERT_EQ(y->shape(), (support::Shape{300}));
  EXPECT_EQ(y->to_f64()[299], 149.5);
}

TEST_F(RunToolTest, StandardOutputHasTheTensorsAlone) {
  ASSERT_EQ(run("scale.tilefold --in x.safetensors --out y.safetensors --scalar factor=0.5"), 0) << output;
  ASSERT_EQ(run("scale.tilefold --in x.safetensors --out - --scalar factor=0.5 --repeat 2 2> told | cmp - y.safetensors && cat told"), 0) << output;
  EXPECT_NE(output.find("mean of 2 calls"), std::string::npos) << output;
}

TEST_F(RunToolTest, WithoutADriverItSaysSo) {
  EXPECT_EQ(run("scale.tilefold --in x.safetensors --out y.safetensors", "/nonexistent.so"), 1);
  EXPECT_NE(output.find("tilefold-run: no usable NVIDIA driver"), std::string::npos) << output;
  EXPECT_EQ(run("scale.tilefold --info", "/nonexistent.so"), 0);
  EXPECT_EQ(json::parse(output)["program"], "scale");
  EXPECT_EQ(run("scale.tilefold --in x.safetensors --plan --capability 8.0", "/nonexistent.so"), 0) << output;
  EXPECT_EQ(json::parse(output)["launches"][0]["blocks"], 3);
}

// Whatever prints says so if nobody could read it.
TEST_F(RunToolTest, AFullDiskIsAnError) {
  const char *text = "standard output cannot be written: No space left on device";
  const std::pair<const char *, const char *> rows[] = {
      {"--help", text},
      {"scale.tilefold --info", text},
      {"scale.tilefold --in x.safetensors --plan --capability 8.0", text},
      {"scale.tilefold --in x.safetensors --out y.safetensors --repeat 1", text},
      {"scale.tilefold --in x.safetensors --out -", "--out: cannot write the tensors: No space left on device"}};
  for (const auto &[arguments, message] : rows) {
    const std::string command = "cd " + folder + " && TILEFOLD_CUDA_LIBRARY=" TILEFOLD_FAKE_CUDA " " TILEFOLD_RUN " " + std::string(arguments) + " > /dev/full 2> log";
    const int status = std::system(command.c_str());
    std::ifstream log(folder + "/log");
    output.assign(std::istreambuf_iterator<char>(log), {});
    EXPECT_EQ(WEXITSTATUS(status), 1) << arguments;
    EXPECT_NE(output.find(message), std::string::npos) << arguments << ": " << output;
  }
}

TEST_F(RunToolTest, UsageErrorsAreSentences) {
  const struct {
    const char *arguments, *message;
  } rows[] = {
      {"", "ARTIFACT: expected the file of one, got none"},
      {"scale.tilefold", "--in: expected a file with the inputs, got none"},
      {"scale.tilefold --in x.safetensors", "--out: expected a file for the outputs, got none"},
      {"scale.tilefold --in", "--in: expected a value, got none"},
      {"scale.tilefold --colour red", "--colour: expected an option of --help\n"},
      {"scale.tilefold --scaler factor=2", "--scaler: expected an option of --help; did you mean '--scalar'?"},
      {"scale.tilefold --in x.safetensors --out --plan", "--out: expected a value, got the option '--plan'"},
      {"scale.tilefold x.safetensors --info", "'x.safetensors' is one argument too many: expected one ARTIFACT, which is 'scale.tilefold'"},
      {"scale.tilefold --in x.safetensors --plan --capability nine", "--capability: expected a major and a minor number such as 9.0, got 'nine'"},
      {"missing.tilefold --info", "cannot open 'missing.tilefold'"},
      {"x.safetensors --info", "not a Tilefold artifact"},
      {"scale.tilefold --in missing.safetensors --out y.safetensors", "missing.safetensors"},
      {"scale.tilefold --in x.safetensors --out y.safetensors --scalar factor", "--scalar: expected NAME=VALUE, got 'factor'"},
      {"scale.tilefold --in x.safetensors --out y.safetensors --scalar factor=two", "--scalar factor: expected a number, got 'two'"},
      {"scale.tilefold --in x.safetensors --out y.safetensors --scalar factor=inf", "argument 'factor' is inf, expected a finite f32"},
      {"scale.tilefold --in x.safetensors --out y.safetensors --scalar n=2", "argument 'n' is given as a scalar"},
      {"scale.tilefold --in x.safetensors --out y.safetensors --device 5", "device 5 does not exist"},
      {"scale.tilefold --in x.safetensors --out y.safetensors --repeat -1", "--repeat: expected a count from 0 to 1000000000, got '-1'"},
      {"scale.tilefold --in x.safetensors --out y.safetensors --scalar factor=1 --scalar factor=2", "--scalar: 'factor' is given twice"},
      {"scale.tilefold --in x.safetensors --out y.safetensors --out z.safetensors", "--out: is given twice, expected once"},
      {"scale.tilefold --in x.safetensors --out ''", "--out: expected a value, got ''"},
      {"scale.tilefold --in x.safetensors --out ./x.safetensors", "--out: './x.safetensors' is an input"},
      {"scale.tilefold --in x.safetensors --out scale.tilefold", "--out: 'scale.tilefold' is the artifact"},
      {"scale.tilefold --in x.safetensors --out y.safetensors --capability 8.0", "--capability: is for --plan"},
      {"scale.tilefold --in x.safetensors --plan --capability 7.5", "--capability: expected that of one of sm_80, sm_86"},
      {"scale.tilefold --in x.safetensors --plan --out y.safetensors", "--out: has no effect with --plan"},
      {"scale.tilefold --in x.safetensors --plan --capability 8.0 --device 0", "--device: has no effect with --capability"},
      {"decode.tilefold --in x.safetensors --plan --capability 8.0 --scalar splits=2.5", "argument 'splits' is 2.500000, expected an integer"},
      {"decode.tilefold --in x.safetensors --plan --capability 8.0 --scalar parts=2", "argument 'parts' is given as a scalar, program 'decode' has no such scalar"},
      {"scale.tilefold --info --in x.safetensors", "--in: has no effect with --info"},
  };
  for (const auto &row : rows) {
    EXPECT_EQ(run(row.arguments), 2) << row.arguments;
    EXPECT_NE(output.find(row.message), std::string::npos) << row.arguments << ": " << output;
  }
  EXPECT_EQ(run("--help"), 0);
  EXPECT_NE(output.find("examples:"), std::string::npos);
}

} // namespace
} // namespace tilefold::runtime::test
