// SPDX-License-Identifier: Apache-2.0
// Devices through libcudart: how many, which the thread uses, their properties in the layout of each release.
#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "tests/drivers/cudart/cudart.hpp"

namespace nvmlab::cudart_test {
namespace {

class BothReleases : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cudart, BothReleases, testing::Values(12, 13));

template <class T>
T at(const std::vector<char>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Offsets as the headers of the releases have them.
struct Layout {
  std::size_t size, total, multiprocessors, major, bus, warp;
};

Layout layout_of(int major) {
  return major == 12 ? Layout{1032, 288, 388, 360, 584, 308} : Layout{1008, 288, 384, 360, 568, 308};
}

TEST_P(BothReleases, TellPropertiesInTheirLayout) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         const Layout layout = layout_of(GetParam());
                         std::vector<char> bytes(layout.size + 16, '\x5a');
                         const char* name = GetParam() == 12 ? "cudaGetDeviceProperties_v2" : "cudaGetDeviceProperties";
                         CUDA_STEP(1, kSuccess, runtime.call<int(char*, int)>(name, bytes.data(), 1));
                         CUDA_STEP(2, 0, std::strcmp(bytes.data(), abi_test::kDefaultName));
                         CUDA_STEP(3, 32, at<int>(bytes, layout.warp));
                         CUDA_STEP(4, 108, at<int>(bytes, layout.multiprocessors));
                         CUDA_STEP(5, 8, at<int>(bytes, layout.major));
                         std::size_t free = 0;
                         std::size_t total = 0;
                         runtime.set_device(1);
                         runtime.call<int(std::size_t*, std::size_t*)>("cudaMemGetInfo", &free, &total);
                         CUDA_STEP(6, total, at<std::size_t>(bytes, layout.total));
                         int bus = -1;
                         runtime.call<int(int*, int, int)>("cudaDeviceGetAttribute", &bus, 33, 1);
                         CUDA_STEP(7, bus, at<int>(bytes, layout.bus));
                         for (std::size_t i = layout.size; i < bytes.size(); ++i)
                           CUDA_STEP(8, '\x5a', bytes[i]);  // nothing behind it is written
                         return 0;
                       }),
            "exit 0");
}

// The first device that has most of what is asked for.
TEST_P(BothReleases, ChooseDevicesByProperties) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         const Layout layout = layout_of(GetParam());
                         std::vector<char> asked(layout.size, 0);
                         const auto choose = [&] {
                           int device = -1;
                           const int code =
                               runtime.call<int(int*, const char*)>("cudaChooseDevice", &device, asked.data());
                           return code == kSuccess ? device : -1000 - code;
                         };
                         const auto set = [&](std::size_t where, int value) {
                           std::memcpy(asked.data() + where, &value, sizeof value);
                         };
                         CUDA_STEP(1, 0, choose());
                         set(layout.major, 8);
                         CUDA_STEP(2, 0, choose());
                         int bus = -1;
                         runtime.call<int(int*, int, int)>("cudaDeviceGetAttribute", &bus, 33, 5);
                         set(layout.bus, bus);
                         CUDA_STEP(3, 5, choose());
                         set(layout.major, 99);  // nobody's
                         CUDA_STEP(4, 5, choose());
                         asked[0] = 'X';
                         CUDA_STEP(5, 5, choose());
                         int device = -1;
                         CUDA_STEP(6, kInvalidValue,
                                   runtime.call<int(int*, const char*)>("cudaChooseDevice", nullptr, asked.data()));
                         CUDA_STEP(7, kInvalidValue,
                                   runtime.call<int(int*, const char*)>("cudaChooseDevice", &device, nullptr));
                         return 0;
                       }),
            "exit 0");
}

TEST_P(BothReleases, ChooseDevicesByThread) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         CUDA_STEP(1, 8, runtime.count());
                         CUDA_STEP(2, 0, runtime.device());
                         CUDA_STEP(3, kSuccess, runtime.set_device(3));
                         CUDA_STEP(4, 3, runtime.device());
                         int other = -1;
                         std::thread([&] { other = runtime.device(); }).join();
                         CUDA_STEP(5, 0, other);
                         CUDA_STEP(6, kInvalidDevice, runtime.set_device(8));
                         CUDA_STEP(7, kInvalidDevice, runtime.set_device(-1));
                         CUDA_STEP(8, 3, runtime.device());
                         CUDA_STEP(9, kSuccess, runtime.call<int()>("cudaDeviceReset"));
                         CUDA_STEP(10, 3, runtime.device());
                         return runtime.allocate(64) == nullptr ? 11 : 0;
                       }),
            "exit 0");
}

TEST_P(BothReleases, ShareContextsWithTheDriver) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         const cuda_test::Cuda driver;
                         CUDA_STEP(1, 0, driver.init());
                         if (driver.context(2) == nullptr) return 2;
                         CUDA_STEP(3, 2, runtime.device());
                         return runtime.allocate(64) == nullptr ? 4 : 0;
                       }),
            "exit 0");
}

TEST_P(BothReleases, ToldByTheNode) {
  const auto count = [](const Cudart& runtime) { return -runtime.count(); };
  EXPECT_EQ(in_runtime(GetParam(), count, {{"NVMLAB_INIT_ERROR", "9"}}), "exit 100");
  EXPECT_EQ(in_runtime(GetParam(), count, {{"CUDA_VISIBLE_DEVICES", "-1"}}), "exit 100");
  EXPECT_EQ(in_runtime(GetParam(), count, {{"NVMLAB_DRIVER", GetParam() == 13 ? "570" : "520"}}), "exit 35");
}

TEST_P(BothReleases, AForkedChildHasNone) {
  EXPECT_EQ(in_runtime(GetParam(),
                       [](const Cudart& runtime) {
                         CUDA_STEP(1, 8, runtime.count());
                         return in_child([&] { return -runtime.count(); }) == "exit 3" ? 0 : 2;
                       }),
            "exit 0");
}

TEST(Cudart, KnowsWhichReleaseItIs) {
  for (const auto& [major, number] : {std::pair{12, 12090}, std::pair{13, 13050}}) {
    const Cudart runtime(major);
    ASSERT_TRUE(runtime.open());
    int version = 0;
    EXPECT_EQ(runtime.call<int(int*)>("cudaRuntimeGetVersion", &version), kSuccess);
    EXPECT_EQ(version, number);
  }
}

}  // namespace
}  // namespace nvmlab::cudart_test
