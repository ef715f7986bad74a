// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/memory.h"

#include "support/host_tensor.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

namespace tilefold::support {
namespace {

TEST(Memory, MoreThanThereIsIsAnError) {
  const auto available = available_memory();
  ASSERT_TRUE(available);
  EXPECT_GT(*available, std::uint64_t(1) << 20);
  EXPECT_TRUE(check_memory(1 << 20, "this").ok());
  const std::uint64_t most = UINT64_MAX;
  const Status status = check_memory(most, "that");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message().rfind("that needs 18446744073709551615 bytes of memory, ", 0), 0u) << status.message();
  EXPECT_NE(status.message().find(" are available"), std::string::npos) << status.message();
}

// 16 TiB are promised to whoever asks, and no machine that runs this has them.
TEST(Memory, TensorsAreNotMadeOfPromises) {
  const auto tensor = HostTensor::create(DType::f32, {std::int64_t(1) << 42});
  ASSERT_FALSE(tensor);
  EXPECT_NE(tensor.message().find("no memory for a tensor of shape [4398046511104]: it needs 17592186044416 bytes of memory, "),
            std::string::npos) << tensor.message();
}

#if !defined(__SANITIZE_ADDRESS__) // whose shadow alone is larger than any limit
/// What is available with a limit `bytes` beyond what is taken now, in a process of its own.
void limited(int resource, rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  if (::setrlimit(__rlimit_resource_t(resource), &limit) != 0)
    std::_Exit(2);
  const auto available = available_memory();
  std::_Exit(available && *available < bytes && check_memory(bytes, "x").message().rfind("x needs ", 0) == 0 ? 0 : 1);
}

TEST(Memory, TheLimitsOfTheProcessCount) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(limited(RLIMIT_AS, rlim_t(1) << 30), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(limited(RLIMIT_DATA, rlim_t(1) << 30), testing::ExitedWithCode(0), "");
}
#endif

} // namespace
} // namespace tilefold::support
