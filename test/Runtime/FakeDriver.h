// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/Runtime/FakeCuda/FakeCuda.h"
#include "test/Runtime/Manifests.h"

#include <dlfcn.h>

#include <algorithm>

namespace tilefold::runtime::test {

/// Points the runtime at the fake driver and gives access to what that recorded.
class FakeDriverTest : public ::testing::Test {
protected:
  FakeDriverTest() : library_(dlopen(TILEFOLD_FAKE_CUDA, RTLD_NOW)) {
    if (!library_)
      throw std::runtime_error(dlerror());
    (void)set_driver_library(TILEFOLD_FAKE_CUDA); // refused after the first test, which set the same
    fake = find<fake::State *()>(fake::state_symbol)();
    fake->clear();
  }

  int context_depth() { return find<int()>(fake::depth_symbol)(); }

  template <class F> F *find(const char *symbol) { return reinterpret_cast<F *>(dlsym(library_, symbol)); }

  int calls_of(const std::string &name) { return int(std::count(fake->calls.begin(), fake->calls.end(), name)); }

  ~FakeDriverTest() override {
    for (cuda::DevicePointer pointer : allocations_)
      find<int(cuda::DevicePointer)>("cuMemFree_v2")(pointer);
  }

  /// Device memory that lives as long as the test. Clears what the fake driver has recorded.
  void *allocate(size_t bytes, int device = 0) {
    using namespace cuda;
    Context context = nullptr;
    DevicePointer pointer = 0;
    find<int(Context *, int)>("cuDevicePrimaryCtxRetain")(&context, device);
    find<int(Context)>("cuCtxPushCurrent_v2")(context);
    find<int(DevicePointer *, size_t)>("cuMemAlloc_v2")(&pointer, bytes);
    find<int(Context *)>("cuCtxPopCurrent_v2")(&context);
    fake->clear();
    allocations_.push_back(pointer);
    return reinterpret_cast<void *>(pointer);
  }

  fake::State *fake = nullptr;

private:
  void *library_;
  std::vector<cuda::DevicePointer> allocations_;
};

} // namespace tilefold::runtime::test
