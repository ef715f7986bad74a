// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding, trusting and reading ptxas, with shell scripts in its place.
#include "codegen/Target/Ptxas.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace tilefold;

namespace {

/// An executable script that is removed at the end.
class Script {
public:
  explicit Script(llvm::StringRef text) {
    int descriptor;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("ptxas", "sh", descriptor, path));
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << "#!/bin/sh\n" << text;
    EXPECT_FALSE(llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_read | llvm::sys::fs::owner_all));
  }
  ~Script() { llvm::sys::fs::remove(path); }
  llvm::SmallString<128> path;
};

// Answers --version; otherwise tells of two kernels and writes the output file ("$5": -v -arch=.. in -o out).
constexpr const char *kGoodScript = R"(
if [ "$1" = --version ]; then echo "Cuda compilation tools, release 13.1, V13.1.80"; exit 0; fi
cat >&2 <<END
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
ptxas info    : Compiling entry function 'first' for 'sm_90'
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 1024 bytes smem
ptxas info    : Compiling entry function 'second' for 'sm_90'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers
END
printf cubin > "$5"
)";

TEST(Ptxas, FindsAndReadsItsVersion) {
  Script script(kGoodScript);
  auto ptxas = findPtxas(script.path);
  ASSERT_TRUE(bool(ptxas)) << llvm::toString(ptxas.takeError());
  EXPECT_EQ(ptxas->major, 13);
  EXPECT_EQ(ptxas->minor, 1);
  EXPECT_EQ(ptxas->build, 80);
}

/// Why there is no ptxas at `path`.
std::string refusal(llvm::StringRef path) {
  auto ptxas = findPtxas(path);
  return ptxas ? "" : llvm::toString(ptxas.takeError());
}

TEST(Ptxas, WrongPathIsAnErrorThatNamesIt) {
  const std::string text = refusal("/nowhere/ptxas");
  EXPECT_NE(text.find("'/nowhere/ptxas', which cannot be run"), std::string::npos) << text;
}

TEST(Ptxas, AnotherProgramIsAnErrorWithWhatItSaid) {
  Script script("echo hello; exit 3");
  const std::string text = refusal(script.path);
  EXPECT_NE(text.find("exit code 3 and says: hello"), std::string::npos) << text;
}

TEST(Ptxas, WrongChoiceOfTheEnvironmentIsNamed) {
  setenv("TILEFOLD_PTXAS", "/nowhere/ptxas", 1);
  const std::string text = refusal("");
  unsetenv("TILEFOLD_PTXAS");
  EXPECT_EQ(text.find("TILEFOLD_PTXAS: expected a ptxas"), 0u) << text;
}

TEST(Ptxas, TrustDependsOnTheRelease) {
  std::string reason;
  EXPECT_EQ(getTrust({"", 12, 8, 93}, reason), PtxasTrust::Broken);
  EXPECT_NE(reason.find("12.8"), std::string::npos);
  EXPECT_EQ(getTrust({"", 13, 0, 88}, reason), PtxasTrust::Suspect);
  EXPECT_EQ(getTrust({"", 12, 9, 86}, reason), PtxasTrust::Good);
}

TEST(Ptxas, ReportsUsageAndLosses) {
  Script script(kGoodScript);
  auto ptxas = findPtxas(script.path);
  ASSERT_TRUE(bool(ptxas)) << llvm::toString(ptxas.takeError());
  auto assembly = assemble(*ptxas, "// PTX", "sm_90");
  ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(std::string(assembly->cubin.begin(), assembly->cubin.end()), "cubin");
  ASSERT_EQ(assembly->losses.size(), 1u);
  EXPECT_NE(assembly->losses[0].find("C7510"), std::string::npos);
  ASSERT_EQ(assembly->kernels.size(), 2u);
  EXPECT_EQ(assembly->kernels[0].name, "first");
  EXPECT_EQ(assembly->kernels[0].registers, 255);
  EXPECT_EQ(assembly->kernels[0].stack, 8);
  EXPECT_EQ(assembly->kernels[0].spillStores, 12);
  EXPECT_EQ(assembly->kernels[0].spillLoads, 16);
  EXPECT_EQ(assembly->kernels[0].staticShared, 1024);
  EXPECT_EQ(assembly->kernels[1].spillStores, 0);
}

TEST(Ptxas, BrokenReleasesAreRefused) {
  auto assembly = assemble({"/nowhere/ptxas", 12, 8, 61}, "// PTX", "sm_90");
  ASSERT_FALSE(bool(assembly));
  EXPECT_NE(llvm::toString(assembly.takeError()).find("12.8"), std::string::npos);
}

TEST(Ptxas, RefusedPtxIsAnErrorWithWhatItSaid) {
  Script script("echo 'ptxas t.ptx, line 1; fatal : Parsing error'; exit 255");
  auto assembly = assemble({script.path.str().str(), 13, 1, 0}, "garbage", "sm_90");
  ASSERT_FALSE(bool(assembly));
  std::string text = llvm::toString(assembly.takeError());
  EXPECT_NE(text.find("ptxas refuses the PTX for sm_90"), std::string::npos);
  EXPECT_NE(text.find("Parsing error"), std::string::npos);
}

} // namespace
