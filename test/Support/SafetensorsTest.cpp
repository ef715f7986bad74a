// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/safetensors.h"

#include "support/random.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

using namespace tilefold::support;

namespace {

class Safetensors : public testing::Test {
 protected:
  Safetensors() : path_(testing::TempDir() + "tilefold_" + std::to_string(::getpid()) + ".safetensors") {}
  ~Safetensors() override { ::unlink(path_.c_str()); }

  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string &bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  /// A file with this header and `data_size` bytes after it.
  void put_header(const std::string &header, std::size_t data_size) const {
    std::string length(8, '\0');
    const std::uint64_t size = header.size();
    std::memcpy(length.data(), &size, 8);
    put(length + header + std::string(data_size, '\x01'));
  }
  /// Opening fails with a sentence that names the file and contains `text`.
  void expect_refused(const std::string &text) const {
    auto file = SafetensorsFile::open(path_);
    ASSERT_FALSE(file.ok()) << text;
    EXPECT_NE(file.message().find(text), std::string::npos) << file.message();
    EXPECT_NE(file.message().find(path_), std::string::npos) << file.message();
  }

  std::string path_;
};

TEST_F(Safetensors, RoundTripsEveryType) {
  const HostTensor half = normal_tensor(DType::f16, {2, 3, 5}, 1), brain = normal_tensor(DType::bf16, {7}, 2);
  const HostTensor single = normal_tensor(DType::f32, {}, 3), empty(DType::f32, {0, 4});
  const HostTensor words = make_tensor(DType::i32, {3}, [](std::int64_t n) { return double(n - 1); });
  const HostTensor longs = make_tensor(DType::i64, {2}, [](std::int64_t n) { return double(n) * 1e15; });
  const HostTensor flags = make_tensor(DType::i1, {4}, [](std::int64_t n) { return double(n % 2); });
  const std::vector<std::pair<std::string, const HostTensor *>> tensors = {
      {"half", &half}, {"brain", &brain}, {"single", &single}, {"empty", &empty}, {"words", &words}, {"longs", &longs}, {"flags", &flags}};
  ASSERT_TRUE(write_safetensors(path_, tensors, {{"made", "by a test"}}));
  auto file = SafetensorsFile::open(path_);
  ASSERT_TRUE(file.ok()) << file.message();
  EXPECT_EQ(file->entries().size(), tensors.size());
  EXPECT_EQ(file->metadata().at("made"), "by a test");
  for (const auto &[name, tensor] : tensors) {
    auto loaded = file->load(name);
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    EXPECT_TRUE(same_bits(*loaded, *tensor)) << name;
  }
  EXPECT_EQ(file->find("half")->dtype, "F16");
  EXPECT_EQ(file->find("nothing"), nullptr);
}

TEST_F(Safetensors, StridedTensorsAreStoredDenseAndBytesAreStable) {
  const HostTensor dense = normal_tensor(DType::f16, {4, 6}, 1);
  auto strided = dense.with_strides({1, 9}, 1);
  ASSERT_TRUE(strided.ok());
  ASSERT_TRUE(write_safetensors(path_, {{"b", &dense}, {"a", &dense}}));
  const std::string first = bytes();
  ASSERT_TRUE(write_safetensors(path_, {{"a", &*strided}, {"b", &*strided}}));
  EXPECT_EQ(bytes(), first);
  auto shifted = dense.with_strides(dense.strides(), 3); // rows one after the other, but not from the storage's begin
  ASSERT_TRUE(shifted.ok());
  ASSERT_TRUE(write_safetensors(path_, {{"a", &*shifted}, {"b", &dense}}));
  EXPECT_EQ(bytes(), first);
}

TEST_F(Safetensors, NoTensors) {
  ASSERT_TRUE(write_safetensors(path_, {}));
  auto file = SafetensorsFile::open(path_);
  ASSERT_TRUE(file.ok()) << file.message();
  EXPECT_NE(file->load("q").message().find("the file holds none"), std::string::npos);
}

TEST_F(Safetensors, EveryTruncationIsRefused) {
  const HostTensor tensor = normal_tensor(DType::f32, {3}, 1);
  ASSERT_TRUE(write_safetensors(path_, {{"t", &tensor}}));
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(whole.substr(0, size));
    EXPECT_FALSE(SafetensorsFile::open(path_).ok()) << size;
  }
  put(whole + "x");
  expect_refused("1 bytes after its last tensor belong to no tensor");
}

TEST_F(Safetensors, DamagedBytesNeverEscapeAsExceptions) {
  const HostTensor tensor = normal_tensor(DType::f16, {2, 2}, 1);
  ASSERT_TRUE(write_safetensors(path_, {{"t", &tensor}}, {{"a", "b"}}));
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (unsigned char value : {0x00, 0x22, 0x2d, 0x5b, 0x7b, 0x39, 0xc3, 0xff}) {
      std::string damaged = whole;
      damaged[at] = char(value);
      put(damaged);
      if (auto file = SafetensorsFile::open(path_); file.ok())
        for (const SafetensorsEntry &entry : file->entries())
          (void)file->load(entry.name).ok();
    }
}

TEST_F(Safetensors, FileErrors) {
  EXPECT_NE(SafetensorsFile::open(path_ + ".not").message().find("No such file"), std::string::npos);
  EXPECT_NE(SafetensorsFile::open(testing::TempDir()).message().find("not a regular file"), std::string::npos);
  put("GGUF");
  expect_refused("it has 4 bytes");
  put(std::string("\x00\x00\x00\x00\x00\x00\x00\x7f", 8) + "{}");
  expect_refused("more than the 100000000 that the format allows");
  put(std::string("\x00\x01\x00\x00\x00\x00\x00\x00", 8) + "{}");
  expect_refused("its header needs 256 bytes, but only 2 follow");
}

struct BadHeader {
  const char *name, *header;
  std::size_t data_size;
  const char *message;
};
class SafetensorsHeader : public Safetensors, public testing::WithParamInterface<BadHeader> {};
TEST_P(SafetensorsHeader, IsRefused) {
  put_header(GetParam().header, GetParam().data_size);
  expect_refused(GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    Errors, SafetensorsHeader,
    testing::Values(
        BadHeader{"Empty", "", 0, "does not start with '{'"},
        BadHeader{"Array", "[]", 0, "does not start with '{'"},
        BadHeader{"NotJson", "{\"q\":", 0, "not valid JSON"},
        BadHeader{"TrailingText", "{} x", 0, "not valid JSON"},
        BadHeader{"NotUtf8", "{\"\xff\":{}}", 0, "not valid JSON"},
        BadHeader{"Twice", R"({"q":{"dtype":"F16","shape":[0],"data_offsets":[0,0]},"q":{"dtype":"F16","shape":[0],"data_offsets":[0,0]}})",
                  0, "names 'q' twice"},
        BadHeader{"Deep", R"({"q":[[[[[[[[[[[[[[]]]]]]]]]]]]]]})", 0, "nested too deeply"},
        BadHeader{"EntryNotObject", R"({"q":7})", 0, "tensor 'q' needs exactly the fields"},
        BadHeader{"NoShape", R"({"q":{"dtype":"F16","data_offsets":[0,0]}})", 0, "tensor 'q' needs exactly the fields"},
        BadHeader{"UnknownField", R"({"q":{"dtype":"F16","shape":[0],"data_offsets":[0,0],"x":1}})", 0, "tensor 'q' needs exactly"},
        BadHeader{"DtypeNotString", R"({"q":{"dtype":16,"shape":[0],"data_offsets":[0,0]}})", 0, "tensor 'q' has a dtype that is not a string"},
        BadHeader{"UnknownDtype", R"({"q":{"dtype":"F17","shape":[0],"data_offsets":[0,0]}})", 0, "'F17', which the format does not know"},
        BadHeader{"ShapeNotArray", R"({"q":{"dtype":"F16","shape":3,"data_offsets":[0,0]}})", 0, "shape that is not an array"},
        BadHeader{"NegativeExtent", R"({"q":{"dtype":"F16","shape":[-1],"data_offsets":[0,0]}})", 0, "not an integer >= 0"},
        BadHeader{"FractionalExtent", R"({"q":{"dtype":"F16","shape":[1.0],"data_offsets":[0,2]}})", 2, "not an integer >= 0"},
        BadHeader{"HugeExtent", R"({"q":{"dtype":"F16","shape":[18446744073709551615],"data_offsets":[0,0]}})", 0, "not an integer >= 0"},
        BadHeader{"ProductOverflow", R"({"q":{"dtype":"F16","shape":[4294967296,4294967296,2],"data_offsets":[0,0]}})", 0, "exceeds 64 bits"},
        BadHeader{"BytesOverflow", R"({"q":{"dtype":"F16","shape":[9223372036854775807],"data_offsets":[0,0]}})", 0, "exceeds 64 bits"},
        BadHeader{"OffsetsNotPair", R"({"q":{"dtype":"F16","shape":[1],"data_offsets":[0]}})", 2, "not two integers"},
        BadHeader{"OffsetNegative", R"({"q":{"dtype":"F16","shape":[1],"data_offsets":[-2,0]}})", 2, "not two integers"},
        BadHeader{"EndBeforeBegin", R"({"q":{"dtype":"F16","shape":[1],"data_offsets":[2,0]}})", 2, "before it begins"},
        BadHeader{"WrongSize", R"({"q":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4, "tensor 'q' has 4 bytes of data, but F32 [2] needs 8"},
        BadHeader{"HalfByte", R"({"q":{"dtype":"F4","shape":[3],"data_offsets":[0,1]}})", 1, "F4 [3] needs 2"},
        BadHeader{"Overlap", R"({"q":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"k":{"dtype":"F16","shape":[2],"data_offsets":[2,6]}})",
                  6, "tensor 'k' begins at byte 2 of the data, but the tensors before it end at byte 4"},
        BadHeader{"Hole", R"({"q":{"dtype":"F16","shape":[1],"data_offsets":[2,4]}})", 4, "tensor 'q' begins at byte 2"},
        BadHeader{"BeyondTheFile", R"({"q":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}})", 6, "tensor 'q' ends at byte 8 of the data, but there are only 6"},
        BadHeader{"MetadataNotObject", R"({"__metadata__":[]})", 0, "__metadata__ is not an object"},
        BadHeader{"MetadataNotText", R"({"__metadata__":{"a":1}})", 0, "__metadata__ entry 'a' is not a string"}),
    [](const auto &info) { return info.param.name; });

TEST_F(Safetensors, LoadErrors) {
  put_header(R"({"d":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"b":{"dtype":"BOOL","shape":[1],"data_offsets":[8,9]}})", 9);
  auto file = SafetensorsFile::open(path_);
  ASSERT_TRUE(file.ok()) << file.message(); // types that we cannot load may stand beside those that we can
  EXPECT_NE(file->load("d").message().find("its dtype is F64; supported are F16"), std::string::npos);
  EXPECT_NE(file->load("q").message().find("no such tensor; the file holds 'd', 'b'"), std::string::npos);
  EXPECT_TRUE(file->load("b").ok());
  std::string damaged = bytes();
  damaged.back() = 2;
  put(damaged);
  EXPECT_NE(SafetensorsFile::open(path_)->load("b").message().find("has the value 2; expected 0 or 1"), std::string::npos);
  put(damaged.substr(0, damaged.size() - 1)); // shrinks under an open file
  EXPECT_NE(file->load("b").message().find("ends too early"), std::string::npos);
}

TEST_F(Safetensors, WriteErrors) {
  const HostTensor tensor(DType::f32, {2});
  HostTensor flag(DType::i1, {1});
  flag.poison();
  const auto refused = [&](const std::vector<std::pair<std::string, const HostTensor *>> &tensors, const char *text) {
    const Status status = write_safetensors(path_, tensors);
    EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
    EXPECT_NE(::access(path_.c_str(), F_OK), 0) << "a broken file was left behind";
  };
  refused({{"q", nullptr}}, "tensor 'q' is missing");
  refused({{"", &tensor}}, "cannot have the name ''");
  refused({{"__metadata__", &tensor}}, "cannot have the name '__metadata__'");
  refused({{"q", &tensor}, {"q", &tensor}}, "two tensors have the name 'q'");
  refused({{"\xff", &tensor}}, "not valid UTF-8");
  refused({{"flag", &flag}}, "an i1 element that is neither 0 nor 1");
  EXPECT_NE(write_safetensors("/nonexistent/x", {}).message().find("No such file"), std::string::npos);
  if (::access("/dev/full", W_OK) == 0) {
    EXPECT_NE(write_safetensors("/dev/full", {{"q", &tensor}}).message().find("No space"), std::string::npos);
    EXPECT_EQ(::access("/dev/full", F_OK), 0); // a device is not removed
  }
}

TEST(SafetensorsExample, RealDataIsThere) {
  auto file = SafetensorsFile::open(TILEFOLD_EXAMPLE_DATA "/minilm_qkv.safetensors");
  ASSERT_TRUE(file.ok()) << file.message();
  for (const char *name : {"q", "k", "v"}) {
    auto tensor = file->load(name);
    ASSERT_TRUE(tensor.ok()) << tensor.message();
    EXPECT_EQ(tensor->dtype(), DType::f16);
    EXPECT_EQ(tensor->shape(), (Shape{1, 12, 246, 32}));
  }
}

} // namespace
