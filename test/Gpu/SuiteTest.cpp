// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The suite judged by a GPU that is known to be right, and by some that are known to be wrong.
#include "runtime/artifact/writer.h"
#include "test/Runtime/Manifests.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

using nlohmann::json;
using namespace tilefold::runtime::test;

namespace {

json tensor(const char *name, const char *role, const std::string &dtype, json shape) {
  json argument = {{"name", name}, {"kind", "tensor"}, {"role", role}, {"dtype", dtype}, {"rank", shape.size()}};
  if (std::string(role) == "output")
    argument["shape"] = std::move(shape);
  return argument;
}

json check(const char *argument, json condition) {
  return {{"condition", std::move(condition)}, {"argument", argument}, {"expected", "something else"}, {"values", json::array()}};
}

/// An attention program whose one kernel does what the entry's name says; see OracleDriver.cpp.
json manifest(const std::string &entry, const std::string &dtype, int head_dim) {
  json parameters = json::array();
  for (auto [name, rank] : {std::pair<const char *, int>{"q", 4}, {"k", 4}, {"v", 4}, {"o", 4}, {"lse", 3}}) {
    parameters.push_back({{"pointer", name}});
    for (int d = 0; d < rank; ++d)
      parameters.push_back({{"size", {name, d}}});
    for (int d = 0; d < rank; ++d)
      parameters.push_back({{"stride", {name, d}}});
  }
  parameters.push_back({{"scalar", "scale"}});
  const json q_shape = {size("q", 0), size("q", 1), size("q", 2), size("q", 3)};
  auto launches = [&](const std::string &name) {
    return json::array({{{"kernel", "attention"}, {"entry", name}, {"grid", {size("q", 2), size("q", 1), size("q", 0)}},
                         {"block", 128}, {"shared", 0}, {"parameters", parameters}}});
  };
  const json positive = json::array({op("gt", {{"scalar", "scale"}}, {{"float", 0.0}})});
  json guards = positive;
  for (const char *name : {"q", "k", "v", "o"}) {
    guards.push_back(op("eq", op("mod", {{"address", name}}, 16), 0));
    guards.push_back(op("eq", stride(name, 3), 1));
    for (int d = 0; d < 3; ++d)
      guards.push_back(op("or", op("eq", op("mod", stride(name, d), 8), 0), op("le", size(name, d), 1)));
  }
  const json idle = {{"eq", {op("mul", size("q", 2), op("mul", size("q", 1), size("q", 0))), 0}}};
  json requirements = {check("q", op("or", op("eq", size("q", 3), head_dim), idle)),
                       check("k", op("eq", size("k", 3), size("q", 3))),
                       check("k", op("eq", size("k", 0), size("q", 0))),
                       check("k", op("or", op("gt", size("k", 1), 0), idle)),
                       check("k", op("eq", op("mod", size("q", 1), op("max", size("k", 1), 1)), 0))};
  for (int d = 0; d < 4; ++d)
    requirements.push_back(check("v", op("eq", size("v", d), size("k", d))));
  return {{"format", 1},
          {"program", "oracle"},
          {"arguments",
           {tensor("q", "input", dtype, q_shape), tensor("k", "input", dtype, q_shape), tensor("v", "input", dtype, q_shape),
            tensor("o", "output", dtype, q_shape), tensor("lse", "output", "f32", {size("q", 0), size("q", 1), size("q", 2)}),
            {{"name", "scale"}, {"kind", "scalar"}, {"dtype", "f32"}, {"default", 1 / std::sqrt(double(head_dim))}},
            {{"name", "splits"}, {"kind", "scalar"}, {"dtype", "i32"}, {"default", 0}}}},
          {"requirements", requirements},
          {"alternatives",
           {{{"name", "fast"}, {"guards", guards}, {"launches", launches(entry + "_fast")}},
            {{"name", "strided"}, {"guards", positive}, {"launches", launches(entry + "_strided")}},
            {{"name", "any"}, {"guards", json::array()}, {"launches", launches(entry + "_any")}}}},
          {"modules",
           {{{"target", "sm_80"},
             {"ptx", ptx_text("sm_80", {{(entry + "_fast").c_str(), 44}, {(entry + "_strided").c_str(), 44}, {(entry + "_any").c_str(), 44}})}}}}};
}

class SuiteTest : public ::testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(::testing::TempDir()) /
             (std::string("gpu-suite-") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void add(const std::string &file, const std::string &entry, const std::string &dtype = "f16", int head_dim = 64) {
    const auto bytes = tilefold::runtime::write_artifact(manifest(entry + "_" + dtype, dtype, head_dim));
    std::ofstream(folder / (file + ".tfa"), std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  }

  /// Exit code; what was printed is in `output`.
  int suite(const std::string &arguments) {
    const std::string command = std::string("TILEFOLD_CUDA_LIBRARY=" TILEFOLD_ORACLE_CUDA " " TILEFOLD_GPU_SUITE " ") + folder.string() +
                                " " + arguments + " 2>&1";
    output.clear();
    FILE *pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
      output.append(buffer, count);
    return WEXITSTATUS(pclose(pipe));
  }
  bool printed(const std::string &text) { return output.find(text) != std::string::npos; }

  std::filesystem::path folder;
  std::string output;
};

TEST_F(SuiteTest, ListsAndPlansWithoutADriver) {
  add("fa2-d64-f16", "attention");
  add("decode-d64-f16", "attention");
  EXPECT_EQ(suite("--list"), 0) << output;
  EXPECT_TRUE(printed("fa2-d64-f16: A23 129x1000")) << output;
  EXPECT_TRUE(printed("decode-d64-f16: H3 C8 splits, 1x1000, splits 129")) << output;
  EXPECT_EQ(suite("--dry --filter fa2"), 0) << output;
  EXPECT_TRUE(printed(", 0 failed")) << output;
}

TEST_F(SuiteTest, RightResultsPass) {
  add("fa2-d64-f16-causal", "attention_causal");
  add("fa2-d64-bf16", "attention", "bf16");
  EXPECT_EQ(suite("--out " + (folder / "out.json").string() + " --commit abc --filter -d64 --filter x"), 0) << output;
  EXPECT_TRUE(printed(", 0 failed")) << output;
  std::ifstream file(folder / "out.json");
  const json document = json::parse(file);
  EXPECT_EQ(document["commit"], "abc");
  EXPECT_EQ(document["about"]["card"], "Fake");
  EXPECT_EQ(document["artifacts"].size(), 2u);
  EXPECT_GT(document["summary"]["passed"], 100);
  int seen = 0;
  for (const json &result : document["results"])
    if (result["case"] == "A23 129x1000") {
      ++seen;
      EXPECT_EQ(result["verdict"], "pass");
      EXPECT_LE(result["criteria"]["o norm"]["measured"], result["criteria"]["o norm"]["limit"]);
    }
  EXPECT_EQ(seen, 2);
}

TEST_F(SuiteTest, RefusalsThreadsAndLoading) {
  add("fa2-d64-f16-causal", "attention_causal");
  for (const char *item : {"\"C7 refused calls\"", "\"J4 threads\"", "\"J5 corrupt code\"", "\"J27 refused launch\"", "\"J7 load and unload\""}) {
    EXPECT_EQ(suite(std::string("--filter ") + item), 0) << output;
    EXPECT_TRUE(printed("1 passed, 0 failed")) << item << output;
  }
}

TEST_F(SuiteTest, Variants) {
  add("fa2-with-softcap-d64-f16", "attention_with_softcap");
  add("fa2-with-huge_bias-d64-f16", "attention_with_huge_bias");
  EXPECT_EQ(suite("--filter A1"), 0) << output;
  EXPECT_TRUE(printed(", 0 failed")) << output;
  add("fa2-with-huge_bias-d64-f16", "attention");
  EXPECT_EQ(suite("--filter \"A10 a huge\""), 1) << output;
  EXPECT_TRUE(printed("A10 log-sum of a row of huge scores")) << output;
  add("fa2-with-alibi-d64-f16", "attention_with_softcap"); // not what the name says
  EXPECT_EQ(suite("--filter alibi --filter A18"), 1) << output;
}

// G17: artifacts of one program whose bits must agree, and do not.
TEST_F(SuiteTest, DepthOfTheRing) {
  add("fa2-d64-f16", "attention");
  add("fa2-with-one_stage-d64-f16", "attention_with_one_stage");
  EXPECT_EQ(suite("--filter G17"), 0) << output;
  add("fa2-with-three_stages-d64-f16", "attention_loses_bits");
  EXPECT_EQ(suite("--filter G17"), 1) << output;
  EXPECT_TRUE(printed("1 passed, 1 failed")) << output;
}

TEST_F(SuiteTest, WrongResultsFail) {
  add("fa2-d64-f16", "attention_forgets_a_row");
  EXPECT_EQ(suite("--filter 17x33"), 1) << output;
  EXPECT_TRUE(printed("unwritten elements 64")) << output;
  add("fa2-d64-f16", "attention_loses_bits");
  EXPECT_EQ(suite("--filter 17x33"), 1) << output;
  EXPECT_TRUE(printed("o norm")) << output;
  add("fa2-d64-f16", "attention_writes_outside");
  EXPECT_EQ(suite("--filter 17x33"), 1) << output;
  EXPECT_TRUE(printed("bytes written outside 2")) << output;
  add("fa2-d64-f16", "attention_causal"); // not what the name says
  EXPECT_EQ(suite("--filter 17x33"), 1) << output;
}

TEST_F(SuiteTest, GoesOnAfterAFaultAndAHang) {
  add("fa1-d64-f16", "attention_hangs");
  add("fa2-d64-f16", "attention");
  EXPECT_EQ(suite("--filter 17x33 --seconds 2"), 1) << output;
  EXPECT_TRUE(printed("fa1-d64-f16: 17x33")) << output;
  EXPECT_TRUE(printed("nothing came for 2 s")) << output;
  EXPECT_TRUE(printed("1 passed, 1 failed")) << output;
}

TEST_F(SuiteTest, RefusesBadInput) {
  EXPECT_EQ(suite("--list"), 2);
  EXPECT_TRUE(printed("no artifact")) << output;
  add("whatever", "attention");
  EXPECT_EQ(suite("--list"), 2);
  EXPECT_TRUE(printed("is not named")) << output;
  std::filesystem::remove(folder / "whatever.tfa");
  add("fa2-with-wings-d64-f16", "attention");
  EXPECT_EQ(suite("--list"), 2);
  EXPECT_TRUE(printed("there is no variant 'wings'")) << output;
}

} // namespace
