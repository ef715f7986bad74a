// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// F11: whatever is thrown inside the runtime, a status comes out of the C interface. Allocations throw here, one after the other.
#include "test/Runtime/Manifests.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <stdexcept>

namespace {

enum class Thrown { nothing, no_memory, error, number };
thread_local Thrown thrown = Thrown::nothing;
thread_local int allowed = 0; ///< allocations until then

} // namespace

void *operator new(std::size_t bytes) {
  if (thrown != Thrown::nothing && allowed-- <= 0) {
    const Thrown what = thrown;
    thrown = Thrown::nothing; // once; what is thrown may allocate itself
    if (what == Thrown::error)
      throw std::runtime_error("a broken invariant");
    if (what == Thrown::number)
      throw 7;
    throw std::bad_alloc();
  }
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

namespace tilefold::runtime::test {
namespace {

class OutOfMemory : public testing::TestWithParam<Thrown> {
protected:
  /// Whether an allocation of `function` failed, after `n` that did not; it must then have said so.
  template <class Function> bool fails(Function function, int n) {
    allowed = n;
    thrown = GetParam();
    const tilefold_status status = function();
    const bool failed = thrown == Thrown::nothing;
    thrown = Thrown::nothing;
    if (!failed) {
      EXPECT_EQ(status, TILEFOLD_OK) << tilefold_last_error();
      return false;
    }
    const bool memory = GetParam() == Thrown::no_memory;
    EXPECT_EQ(status, memory ? TILEFOLD_ERROR_MEMORY : TILEFOLD_ERROR_INTERNAL) << "allocation " << n;
    EXPECT_STREQ(tilefold_last_error(), memory                        ? "out of host memory"
                                        : GetParam() == Thrown::error ? "a broken invariant"
                                                                      : "unknown exception");
    return true;
  }
  /// The first, the second, ... allocation fails, until there is none left. Returns how many did.
  template <class Function> int fail_each_allocation(Function function) {
    int n = 0;
    while (fails(function, n) && !HasFailure())
      ++n;
    return n;
  }
};
INSTANTIATE_TEST_SUITE_P(Throwing, OutOfMemory, testing::Values(Thrown::no_memory, Thrown::error, Thrown::number));

// The JSON library allocates in destructors as well, from which nothing can be thrown: none of them may come to that.
TEST_P(OutOfMemory, LoadingAnArtifact) {
  for (const json &manifest : {scale_manifest(), decode_manifest()}) {
    const std::vector<uint8_t> bytes = write_artifact(manifest);
    EXPECT_GT(fail_each_allocation([&] {
                tilefold_artifact *artifact = nullptr;
                const tilefold_status status = tilefold_artifact_from_memory(bytes.data(), bytes.size(), &artifact);
                EXPECT_EQ(artifact != nullptr, status == TILEFOLD_OK);
                tilefold_artifact_destroy(artifact);
                return status;
              }),
              100);
  }
}

// What is wrong with it is found while there is little memory, too.
TEST_P(OutOfMemory, LoadingWhatIsNone) {
  json manifest = scale_manifest();
  manifest["alternatives"].push_back({{"name", {1, {2, 3}}}});
  const std::vector<uint8_t> bytes = write_artifact(manifest);
  for (int n = 0;; ++n) {
    allowed = n;
    thrown = GetParam();
    tilefold_artifact *artifact = nullptr;
    const tilefold_status status = tilefold_artifact_from_memory(bytes.data(), bytes.size(), &artifact);
    const bool failed = thrown == Thrown::nothing;
    thrown = Thrown::nothing;
    ASSERT_EQ(artifact, nullptr);
    if (!failed) {
      EXPECT_EQ(status, TILEFOLD_ERROR_ARTIFACT_FORMAT);
      break;
    }
    ASSERT_EQ(status, GetParam() == Thrown::no_memory ? TILEFOLD_ERROR_MEMORY : TILEFOLD_ERROR_INTERNAL) << "allocation " << n;
  }
}

TEST_P(OutOfMemory, Printing) {
  const std::vector<uint8_t> bytes = write_artifact(scale_manifest());
  tilefold_artifact *artifact = nullptr;
  ASSERT_EQ(tilefold_artifact_from_memory(bytes.data(), bytes.size(), &artifact), TILEFOLD_OK);
  for (int include_code : {0, 1})
    EXPECT_GT(fail_each_allocation([&] {
                char *text = nullptr;
                const tilefold_status status = tilefold_artifact_json(artifact, include_code, &text);
                tilefold_free(text);
                return status;
              }),
              10);
  float x[4] = {}, y[4] = {};
  Arguments arguments;
  arguments.tensor("x", x, TILEFOLD_F32, {4}).tensor("y", y, TILEFOLD_F32, {4}).f32("factor", 2);
  const tilefold_device_properties device = a100;
  EXPECT_GT(fail_each_allocation([&] {
              char *text = nullptr;
              const tilefold_status status = tilefold_plan_json(artifact, &device, &arguments.view(), &text);
              tilefold_free(text);
              return status;
            }),
            10);
  tilefold_artifact_destroy(artifact);
}

TEST_P(OutOfMemory, Calls) {
  const std::vector<uint8_t> bytes = write_artifact(scale_manifest());
  tilefold_artifact *artifact = nullptr;
  ASSERT_EQ(tilefold_artifact_from_memory(bytes.data(), bytes.size(), &artifact), TILEFOLD_OK);
  float x[4] = {}, y[4] = {};
  Arguments arguments;
  arguments.tensor("x", x, TILEFOLD_F32, {4}).tensor("y", y, TILEFOLD_F32, {4}).f32("factor", 2);
  const tilefold_device_properties device = a100;
  EXPECT_GT(fail_each_allocation([&] {
              uint64_t workspace = 0;
              return tilefold_workspace_size(artifact, &device, &arguments.view(), &workspace);
            }),
            3);
  EXPECT_GT(fail_each_allocation([&] {
              int64_t shape[4];
              int32_t rank = 0;
              return tilefold_expected_shape(artifact, &device, &arguments.view(), "y", shape, 4, &rank);
            }),
            0);
  EXPECT_GT(fail_each_allocation([&] {
              tilefold_call *call = nullptr;
              const tilefold_status status = tilefold_call_create(&call);
              tilefold_call_destroy(call);
              return status;
            }),
            0);
  tilefold_artifact_destroy(artifact);
}

} // namespace
} // namespace tilefold::runtime::test
