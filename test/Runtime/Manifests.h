// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-made manifests that the runtime's tests share.
#pragma once

#include "runtime/artifact/manifest.h"
#include "runtime/artifact/writer.h"
#include "runtime/plan/plan.h"
#include "runtime/tilefold.hpp"

#include <gtest/gtest.h>

namespace tilefold::runtime::test {

using nlohmann::json;

inline constexpr DeviceProperties h200{9, 0, 132, 232448};
inline constexpr DeviceProperties a100{8, 0, 108, 166912};
inline constexpr DeviceProperties rtx4090{8, 9, 128, 101376};
inline constexpr DeviceProperties b200{10, 0, 148, 232448};
inline constexpr DeviceProperties t4{7, 5, 40, 65536};

inline std::string ptx_text(const std::string &target, std::initializer_list<std::pair<const char *, int>> entries) {
  std::string text = ".version 8.0\n.target " + target + "\n.address_size 64\n";
  for (const auto &[name, parameters] : entries) {
    text += ".visible .entry " + std::string(name) + "(\n";
    for (int i = 0; i < parameters; ++i)
      text += "  .param .b64 p" + std::to_string(i) + (i + 1 < parameters ? ",\n" : "\n");
    text += ")\n{ ret; }\n";
  }
  return text;
}

inline json size(const char *tensor, int dimension) { return {{"size", {tensor, dimension}}}; }
inline json stride(const char *tensor, int dimension) { return {{"stride", {tensor, dimension}}}; }
inline json op(const char *name, json a, json b) { return {{name, json::array({std::move(a), std::move(b)})}}; }

/// y = factor * x: the smallest program; the fake GPU can execute it.
inline json scale_manifest() {
  return {
      {"format", 1},
      {"producer", {{"tilefold", "0.1.0"}}},
      {"program", "scale"},
      {"arguments",
       {{{"name", "x"}, {"kind", "tensor"}, {"role", "input"}, {"dtype", "f32"}, {"rank", 1}},
        {{"name", "y"}, {"kind", "tensor"}, {"role", "output"}, {"dtype", "f32"}, {"rank", 1}, {"shape", {size("x", 0)}}},
        {{"name", "factor"}, {"kind", "scalar"}, {"dtype", "f32"}, {"default", 2.0}}}},
      {"alternatives",
       {{{"name", "any"},
         {"guards", json::array()},
         {"launches",
          {{{"kernel", "scale_kernel"},
            {"entry", "scale"},
            {"grid", {op("ceildiv", size("x", 0), 128), 1, 1}},
            {"block", 128},
            {"shared", 0},
            {"parameters",
             {{{"pointer", "x"}}, {{"pointer", "y"}}, {{"size", {"x", 0}}}, {{"stride", {"x", 0}}}, {{"scalar", "factor"}}}}}}}}}},
      {"modules", {{{"target", "sm_80"}, {"ptx", ptx_text("sm_80", {{"scale", 5}})}}}},
  };
}

/// The shape of Flash-Decoding: two launches, workspaces, guards, requirements, two targets.
inline json decode_manifest() {
  const json heads_divide = op("eq", op("mod", size("q", 1), op("max", size("k", 1), 1)), 0);
  const json splits = {{"select",
                        {op("gt", {{"scalar", "splits"}}, 0), {{"scalar", "splits"}},
                         op("ceildiv", {{"device", "multiprocessor_count"}}, op("max", size("k", 1), 1))}}};
  auto launches = [&](const char *split_entry, int shared) {
    return json::array(
        {{{"kernel", "split"},
          {"entry", split_entry},
          {"grid", {splits, size("k", 1), size("q", 0)}},
          {"block", 128},
          {"cluster", 1},
          {"shared", shared},
          {"parameters",
           {{{"pointer", "q"}}, {{"pointer", "k"}}, {{"pointer", "partial"}}, {{"size", {"k", 2}}}, {{"stride", {"q", 2}}},
            {{"size", {"partial", 1}}}, {{"stride", {"partial", 0}}}, {{"scalar", "scale"}}, {{"value", splits}, {"type", "i32"}}}}},
         {{"kernel", "combine"},
          {"entry", "combine"},
          {"grid", {size("q", 1), size("q", 0), 1}},
          {"block", 64},
          {"parameters", {{{"pointer", "partial"}}, {{"pointer", "counter"}}, {{"pointer", "o"}}}}}});
  };
  return {
      {"format", 1},
      {"program", "decode"},
      {"arguments",
       {{{"name", "q"}, {"kind", "tensor"}, {"role", "input"}, {"dtype", "f16"}, {"rank", 4}},
        {{"name", "k"}, {"kind", "tensor"}, {"role", "input"}, {"dtype", "f16"}, {"rank", 4}},
        {{"name", "o"},
         {"kind", "tensor"},
         {"role", "output"},
         {"dtype", "f16"},
         {"rank", 4},
         {"shape", {size("q", 0), size("q", 1), size("q", 2), size("q", 3)}}},
        {{"name", "scale"}, {"kind", "scalar"}, {"dtype", "f32"}},
        {{"name", "splits"}, {"kind", "scalar"}, {"dtype", "i32"}, {"default", 0}}}},
      {"requirements",
       {{{"condition", op("eq", size("k", 3), size("q", 3))},
         {"argument", "k"},
         {"expected", "a head dim of {0} as q has, got {1}"},
         {"values", {size("q", 3), size("k", 3)}}},
        {{"condition", heads_divide},
         {"argument", "k"},
         {"expected", "a head count that divides q's {0}"},
         {"values", {size("q", 1)}}},
        {{"condition", op("ge", {{"scalar", "splits"}}, 0)},
         {"argument", "splits"},
         {"expected", "0 (choose) or a number of splits"},
         {"values", json::array()}}}},
      {"workspaces",
       {{{"name", "partial"}, {"dtype", "f32"}, {"init", "any"}, {"shape", {size("q", 0), splits, size("q", 3)}}},
        {{"name", "counter"}, {"dtype", "i32"}, {"init", "zero_once"}, {"shape", {size("q", 0)}}}}},
      {"alternatives",
       {{{"name", "fast"},
         {"guards",
          {op("eq", stride("k", 3), 1), op("eq", op("mod", {{"address", "k"}}, 16), 0), op("eq", op("mod", stride("k", 2), 8), 0)}},
         {"launches", launches("split_fast", 98304)}},
        {{"name", "plain"}, {"guards", json::array()}, {"launches", launches("split_plain", 40960)}}}},
      {"modules",
       {{{"target", "sm_80"},
         {"ptx", ptx_text("sm_80", {{"split_fast", 9}, {"split_plain", 9}, {"combine", 3}})},
         {"cubins", {{{"arch", "sm_89"}, {"data", json::binary({1, 2, 3})}}}}},
        {{"target", "sm_90a"}, {"ptx", ptx_text("sm_90a", {{"split_fast", 9}, {"split_plain", 9}, {"combine", 3}})}}}},
  };
}

inline Artifact open(const json &manifest) {
  const std::vector<uint8_t> bytes = write_artifact(manifest);
  Result<Artifact> artifact = Artifact::from_memory(bytes.data(), bytes.size());
  if (!artifact)
    throw std::runtime_error(artifact.status().message());
  return *std::move(artifact);
}

/// An address that is good for planning: aligned, and away from those of other slots.
inline void *address(uint64_t slot) { return reinterpret_cast<void *>((uint64_t(1) << 40) * (slot + 1)); }

struct DecodeShape {
  int64_t batch = 2, heads = 8, kv_heads = 2, keys = 1000, head_dim = 128;
};
inline Arguments decode_arguments(const DecodeShape &s = {}) {
  Arguments arguments;
  arguments.tensor("q", address(0), TILEFOLD_F16, {s.batch, s.heads, 1, s.head_dim})
      .tensor("k", address(1), TILEFOLD_F16, {s.batch, s.kv_heads, s.keys, s.head_dim})
      .tensor("o", address(2), TILEFOLD_F16, {s.batch, s.heads, 1, s.head_dim})
      .f32("scale", 0.125);
  return arguments;
}

} // namespace tilefold::runtime::test
