// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Runtime/Manifests.h"
#include "runtime/artifact/cbor_check.h"
#include "runtime/artifact/json_text.h"

#include <cstring>
#include <random>

namespace tilefold::runtime::test {
namespace {

Status parse(const std::vector<uint8_t> &bytes) { return Manifest::parse(bytes.data(), bytes.size()).status(); }
Status parse(const json &manifest) { return parse(write_artifact(manifest)); }

/// A file with this body and a header that fits it: what is wrong is the body alone.
std::vector<uint8_t> wrap(const std::vector<uint8_t> &body) {
  std::vector<uint8_t> bytes = write_artifact(json::object());
  bytes.resize(ArtifactHeader::size);
  for (int i = 0; i < 8; ++i)
    bytes[ArtifactHeader::length_at + size_t(i)] = uint8_t(uint64_t(body.size()) >> (8 * i));
  const Hash128 hash = hash_body(body.data(), body.size());
  std::copy(hash.begin(), hash.end(), bytes.begin() + ArtifactHeader::hash_at);
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

TEST(ArtifactTest, HeaderLayout) {
  const std::vector<uint8_t> bytes = write_artifact(scale_manifest());
  EXPECT_EQ(std::memcmp(bytes.data(), "TILEFOLD\1\0\0\0\0\0\0\0", 16), 0);
  // XXH3-128 of nothing, from the xxHash specification's test vectors: the hash is the canonical one, not a seed's.
  const Hash128 empty = hash_body(nullptr, 0);
  const uint8_t expected[16] = {0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8, 0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f};
  EXPECT_EQ(std::memcmp(empty.data(), expected, 16), 0);
}

TEST(ArtifactTest, TheSameManifestGivesTheSameBytes) {
  EXPECT_EQ(write_artifact(decode_manifest()), write_artifact(decode_manifest()));
  EXPECT_NE(write_artifact(decode_manifest()), write_artifact(scale_manifest()));
}

TEST(ArtifactTest, HeaderErrorsAreTyped) {
  const std::vector<uint8_t> good = write_artifact(scale_manifest());
  ASSERT_TRUE(parse(good).ok());
  auto changed = [&](size_t at) {
    std::vector<uint8_t> bytes = good;
    bytes[at] ^= 1;
    return parse(bytes).code();
  };
  EXPECT_EQ(changed(0), TILEFOLD_ERROR_ARTIFACT_MAGIC);
  EXPECT_EQ(changed(ArtifactHeader::version_at), TILEFOLD_ERROR_ARTIFACT_VERSION);
  EXPECT_EQ(changed(ArtifactHeader::flags_at), TILEFOLD_ERROR_ARTIFACT_VERSION);
  EXPECT_EQ(changed(ArtifactHeader::length_at), TILEFOLD_ERROR_ARTIFACT_LENGTH);
  EXPECT_EQ(changed(ArtifactHeader::hash_at), TILEFOLD_ERROR_ARTIFACT_HASH);
  EXPECT_EQ(changed(good.size() - 1), TILEFOLD_ERROR_ARTIFACT_HASH);
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  EXPECT_EQ(parse(longer).code(), TILEFOLD_ERROR_ARTIFACT_LENGTH);
  EXPECT_EQ(parse(std::vector<uint8_t>{}).code(), TILEFOLD_ERROR_ARTIFACT_MAGIC);
}

TEST(ArtifactTest, BodyErrors) {
  EXPECT_EQ(parse(wrap({})).code(), TILEFOLD_ERROR_ARTIFACT_FORMAT);
  EXPECT_EQ(parse(wrap({0xff})).code(), TILEFOLD_ERROR_ARTIFACT_FORMAT);
  EXPECT_EQ(parse(wrap({0x01})).code(), TILEFOLD_ERROR_ARTIFACT_FORMAT);
  EXPECT_EQ(parse(wrap({0xa0, 0xa0})).code(), TILEFOLD_ERROR_ARTIFACT_FORMAT) << "two items";
  EXPECT_EQ(parse(json{{"format", 2}}).code(), TILEFOLD_ERROR_ARTIFACT_VERSION);
  EXPECT_EQ(parse(wrap(std::vector<uint8_t>(1 << 20, 0x81))).code(), TILEFOLD_ERROR_ARTIFACT_FORMAT) << "nested arrays";
}

TEST(ArtifactTest, CborIsCheckedBeforeItIsParsed) {
  auto sane = [](const std::vector<uint8_t> &bytes, int depth = 8) { return cbor_is_sane(bytes.data(), bytes.size(), depth); };
  const std::vector<uint8_t> flat = json::to_cbor(json{{"a", {1, 2, 300}}, {"b", {{"c", 1.5}}}, {"d", "text"}, {"e", {}}});
  EXPECT_TRUE(sane(flat, 2));
  EXPECT_FALSE(sane(flat, 1));
  EXPECT_TRUE(sane({0x9f, 0x9f, 0x9f, 0xff, 0xff, 0xff}, 3)) << "indefinite arrays";
  EXPECT_FALSE(sane({0x9f, 0x9f, 0x9f, 0xff, 0xff, 0xff}, 2));
  EXPECT_FALSE(sane({})) << "nothing";
  EXPECT_FALSE(sane({0xff})) << "a break without a container";
  EXPECT_FALSE(sane({0x9b, 0x7f, 0, 0, 0, 0, 0, 0, 0, 1})) << "2^62 items in one byte";
  EXPECT_FALSE(sane({0xa2, 1, 1, 1})) << "half a pair";
  EXPECT_FALSE(sane({0x5b, 0, 0, 0, 1, 0, 0, 0, 0})) << "a string longer than the file";
  EXPECT_FALSE(sane({0x1c})) << "a reserved length";
}

TEST(ArtifactTest, SchemaErrorsSayWhereAndWhat) {
  const struct {
    const char *pointer; // the member that is replaced, or removed if the value is "remove"
    json value;
    const char *message;
  } rows[] = {
      {"/program", "remove", "body: 'program' is missing"},
      {"/arguments", 3, "'arguments' must be an array"},
      {"/arguments/0/name", "k", "argument 'k': declared twice"},
      {"/arguments/0/name", "", "empty name"},
      {"/arguments/0/kind", "view", "'kind' must be tensor or scalar, found 'view'"},
      {"/arguments/0/dtype", "f12", "argument 'q': unknown element type 'f12'"},
      {"/arguments/0/rank", -1, "'rank' must be an integer from 0 to 8"},
      {"/arguments/0/rank", 9, "'rank' must be an integer from 0 to 8"},
      {"/arguments/0/rank", 3, "dimension 3 of 'q', which has rank 3"},
      {"/arguments/0/role", "workspace", "'role' must be input, output or inout"},
      {"/arguments/2/shape", {1, 2}, "shape of 'o': expected an array of 4 formulas"},
      {"/arguments/3/dtype", "f64", "a scalar is f32, i32 or i64"},
      {"/arguments/3/default", "x", "argument 'scale': the default is no finite f32"},
      {"/arguments/3/default", 1e300, "argument 'scale': the default is no finite f32"},
      {"/arguments/4/default", 1.5, "argument 'splits': the default is no finite i32"},
      {"/arguments/4/default", 4294967296, "'default' must be an integer from -2147483648 to 2147483647"},
      {"/requirements/0/argument", "z", "requirement on 'z': there is no such argument"},
      {"/requirements/0/condition", {{"size", {"z", 0}}}, "requirement on 'k': 'size' of unknown tensor 'z'"},
      {"/workspaces/0/init", "zero", "workspace 'partial': 'init' must be any or zero_once"},
      {"/workspaces/0/name", "q", "workspace 'q': declared twice"},
      {"/workspaces/0/shape/0", {{"size", {"partial", 0}}}, "'size' of unknown tensor 'partial'"},
      {"/alternatives", json::array(), "alternatives: there are none"},
      {"/alternatives/0/target", "sm_100a", "alternative 'fast': there is no module for its target"},
      {"/alternatives/0/launches/0/grid", {1, 1}, "'grid' must have three extents"},
      {"/alternatives/0/launches/0/block", 0, "'block' must be an integer from 1 to 1024"},
      {"/alternatives/0/launches/0/entry", "nowhere", "no module defines its kernel 'nowhere'"},
      {"/alternatives/0/launches/0/parameters/0", {{"pointer", "z"}}, "'pointer' names no tensor or workspace"},
      {"/alternatives/0/launches/0/parameters/0", {{"size", {"q", 4}}}, "parameter 0: expected a name and a dimension below 4"},
      {"/alternatives/0/launches/0/parameters/0", {{"value", 3}, {"type", "f32"}}, "a value parameter is i32 or i64"},
      {"/alternatives/0/launches/0/parameters/0", 3, "parameter 0: expected an object"},
      {"/modules", json::array(), "modules: there are none"},
      {"/modules/0/target", "ampere", "'ampere' is no target"},
      {"/modules/0/target", "sm_90a", "module sm_90a: present twice"},
      {"/modules/0/ptx", "remove", "module sm_80: 'ptx' is missing"},
      {"/modules/0/cubins/0/data", "text", "a cubin's 'data' must be binary"},
  };
  for (const auto &row : rows) {
    json manifest = decode_manifest();
    const json::json_pointer pointer(row.pointer);
    if (row.value == "remove")
      manifest[pointer.parent_pointer()].erase(pointer.back());
    else
      manifest[pointer] = row.value;
    const Status status = parse(manifest);
    EXPECT_TRUE(status.code() == TILEFOLD_ERROR_ARTIFACT_FORMAT) << row.pointer;
    EXPECT_NE(status.message().find(row.message), std::string::npos) << row.pointer << ": " << status.message();
  }
}

TEST(ArtifactTest, TooManyParametersAreRefused) {
  // Five parameters of the scale program, 36 bytes with their alignment, and so many strides of 8 bytes each.
  auto refusal = [](const char *version, int strides) {
    json manifest = scale_manifest();
    for (int i = 0; i < strides; ++i)
      manifest["alternatives"][0]["launches"][0]["parameters"].push_back({{"stride", {"x", 0}}});
    std::string ptx = ptx_text("sm_80", {{"scale", 5 + strides}});
    manifest["modules"][0]["ptx"] = ptx.replace(ptx.find("8.0"), 3, version);
    return parse(manifest).message();
  };
  EXPECT_EQ(refusal("7.0", 539), "");
  EXPECT_EQ(refusal("7.0", 540), "malformed artifact: alternative 'any', launch of 'scale_kernel': 4360 bytes of parameters, a "
                                 "kernel in PTX 7.0 takes at most 4352");
  EXPECT_NE(refusal("8.0", 540).find("at most 4352"), std::string::npos);
  EXPECT_EQ(refusal("8.1", 540), "");
  EXPECT_EQ(refusal("8.1", 4090), "");
  EXPECT_NE(refusal("8.1", 4091).find("a kernel in PTX 8.1 takes at most 32764"), std::string::npos);
}

TEST(ArtifactTest, VersionIsReadFromThePtx) {
  EXPECT_EQ(ptx_version("//\n// Generated\n//\n\n.version 7.0\n.target sm_80"), (PtxVersion{7, 0}));
  EXPECT_EQ(ptx_version(".version 12.10\n"), (PtxVersion{12, 10}));
  for (const char *none : {"", ".version ", ".version x.1", ".version 8", ".version 8.", ".version 99999999999.0"})
    EXPECT_EQ(ptx_version(none), (PtxVersion{0, 0})) << none;
}

TEST(ArtifactTest, EveryTruncationIsAnError) {
  const std::vector<uint8_t> good = write_artifact(decode_manifest());
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(parse(std::vector<uint8_t>(good.begin(), good.begin() + ptrdiff_t(size))).ok()) << size;
    if (size < ArtifactHeader::size)
      continue;
    const std::vector<uint8_t> body(good.begin() + ArtifactHeader::size, good.begin() + ptrdiff_t(size));
    EXPECT_FALSE(parse(wrap(body)).ok()) << size; // with a header that agrees, so that the CBOR reader sees it
  }
}

TEST(ArtifactTest, DamagedBodiesNeverCrash) {
  const std::vector<uint8_t> good = write_artifact(decode_manifest());
  std::mt19937 random(1);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> body(good.begin() + ArtifactHeader::size, good.end());
    const int changes = 1 + int(random() % 4);
    for (int i = 0; i < changes; ++i)
      body[random() % body.size()] = random() % 2 ? uint8_t(random()) : uint8_t(body[random() % body.size()] ^ (1u << random() % 8));
    const std::vector<uint8_t> bytes = wrap(body);
    Result<Artifact> artifact = Artifact::from_memory(bytes.data(), bytes.size());
    if (!artifact)
      continue;
    ++accepted; // a changed letter in a text, say; it must still plan or refuse, and print
    (void)artifact->plan(decode_arguments().view(), h200);
    (void)artifact->verify(a100);
    (void)artifact->to_json_text(true);
  }
  EXPECT_GT(accepted, 0);
}

TEST(ArtifactTest, DamagedJsonNeverCrashes) {
  // Whole subtrees replaced by values of another type: reaches every branch that a flipped byte seldom does.
  const json good = decode_manifest();
  const json flat = good.flatten();
  const json values[] = {nullptr, -1, 1e30, "x", json::array(), json::object(), true, UINT64_MAX, json::binary({1})};
  for (const auto &item : flat.items()) {
    json::json_pointer pointer(item.key());
    while (!pointer.empty()) {
      for (const json &value : values) {
        json manifest = good;
        manifest[pointer] = value;
        const std::vector<uint8_t> bytes = write_artifact(manifest);
        if (Result<Artifact> artifact = Artifact::from_memory(bytes.data(), bytes.size()); artifact.ok()) {
          (void)artifact->plan(decode_arguments().view(), h200);
          (void)artifact->to_json_text();
        }
      }
      pointer.pop_back();
    }
  }
}

TEST(ArtifactTest, JsonTextSummarisesCode) {
  const Artifact artifact = open(decode_manifest());
  const json summary = json::parse(artifact.to_json_text());
  EXPECT_EQ(summary["program"], "decode");
  EXPECT_TRUE(summary["modules"][0]["ptx"]["lines"].is_number());
  EXPECT_EQ(summary["modules"][0]["cubins"][0]["data"]["bytes"], 3);
  EXPECT_EQ(summary["xxh3_128"].get<std::string>().size(), 32u);
  EXPECT_TRUE(json::parse(artifact.to_json_text(true))["modules"][0]["ptx"].is_string());
}

TEST(ArtifactTest, JsonTextPutsWhatIsShortOnOneLine) {
  const json value = {{"short", {1, {{"of", "a\n, b"}}, json::array()}}, {"wide", {std::string(80, 'x'), std::string(80, 'y')}}};
  EXPECT_EQ(JsonText().value(value).take(), "{\n  \"short\": [1, {\"of\": \"a\\n, b\"}, []],\n  \"wide\": [\n    \"" + std::string(80, 'x') +
                                                "\",\n    \"" + std::string(80, 'y') + "\"\n  ]\n}");
}

TEST(ArtifactTest, PtxEntries) {
  EXPECT_EQ(ptx_entries(".visible .entry a(\n.visible .entry\tb_2 (\n .entry c\n(// .entryx d"), (std::set<std::string>{"a", "b_2", "c"}));
}

TEST(ArtifactTest, MissingFileNamesPathAndReason) {
  const Status status = Artifact::open("/nonexistent/fa2.tilefold").status();
  EXPECT_EQ(status.code(), TILEFOLD_ERROR_IO);
  EXPECT_NE(status.message().find("cannot open '/nonexistent/fa2.tilefold': No such file"), std::string::npos);
}

TEST(ArtifactTest, DevicesArePutOffBeforeTheyAreRead) {
  const Status status = Artifact::open("/dev/zero").status();
  EXPECT_EQ(status.code(), TILEFOLD_ERROR_IO);
  EXPECT_EQ(status.message(), "cannot read '/dev/zero': not a regular file");
}

} // namespace
} // namespace tilefold::runtime::test
