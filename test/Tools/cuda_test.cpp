// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `run --on cuda` sends to a device, by a driver that records it.
#include "codegen/Tool/tool.h"
#include "examples/attention_programs.h"
#include "test/Runtime/FakeDriver.h"

namespace tilefold {
namespace {

class RunOnCuda : public runtime::test::FakeDriverTest {
protected:
  /// Shared memory of a block of `fa2` at head dim 256.
  unsigned sharedBytes(std::string device) {
    std::vector<std::string> words{"mine", "run", "--random", "1,1,8,8,256", "--on", "cuda", "--device", device};
    std::vector<char *> pointers;
    for (std::string &word : words)
      pointers.push_back(word.data());
    EXPECT_EQ(tool(int(pointers.size()), pointers.data(), {fa2()}), 0);
    EXPECT_EQ(fake->launches.size(), 1u);
    return fake->launches.empty() ? 0 : fake->launches.front().shared;
  }
};

TEST_F(RunOnCuda, TakesTheMemoryOfTheDevice) { EXPECT_GT(sharedBytes("0"), 101376u); }
TEST_F(RunOnCuda, CodeForSm80RunsEverywhere) { EXPECT_LE(sharedBytes("1"), 101376u); }
TEST_F(RunOnCuda, UnknownDevicesGetTheSame) { EXPECT_LE(sharedBytes("2"), 101376u); }

} // namespace
} // namespace tilefold
