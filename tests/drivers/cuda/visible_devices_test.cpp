// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES in all its forms, CUDA_DEVICE_ORDER. GPUs are told by the bus of their PCI address.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kBus = 33;

// Buses of the GPUs that a process with this value sees, one child for each question: its exit code is the answer.
std::vector<int> all_buses() {
  std::vector<int> buses;
  for (int device = 0; device < 8; ++device) {
    const std::string end = in_cuda({}, [device](const Cuda& cuda) { return cuda.attribute(kBus, device); });
    buses.push_back(std::atoi(end.substr(5).c_str()));
  }
  return buses;
}

std::string uuid_of(int device) {
  int pipe_of_child[2] = {};
  if (::pipe(pipe_of_child) != 0) return "";
  in_cuda({}, [&](const Cuda& cuda) {
    unsigned char bytes[16] = {};
    cuda.call<int(void*, int)>("cuDeviceGetUuid_v2", bytes, device);
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
      text += digits;
      if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
    }
    return ::write(pipe_of_child[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1;
  });
  char text[64] = {};
  const ssize_t size = ::read(pipe_of_child[0], text, sizeof text - 1);
  ::close(pipe_of_child[0]);
  ::close(pipe_of_child[1]);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "";
}

// "exit 0" where these GPUs, by their number without the variable, are seen in this order.
std::string sees(const std::string& value, const std::vector<int>& gpus) {
  static const std::vector<int> buses = all_buses();
  return in_cuda(
      {{"CUDA_VISIBLE_DEVICES", value}},
      [&](const Cuda& cuda) {
        if (gpus.empty()) return 0;
        CUDA_STEP(100, static_cast<int>(gpus.size()), cuda.count());
        for (std::size_t i = 0; i < gpus.size(); ++i)
          CUDA_STEP(static_cast<int>(i) + 1, buses[static_cast<std::size_t>(gpus[i])],
                    cuda.attribute(kBus, static_cast<int>(i)));
        return 0;
      },
      gpus.empty() ? kNoDevice : kSuccess);
}

TEST(CudaVisibleDevices, IndicesChooseAndSort) {
  EXPECT_EQ(sees("0", {0}), "exit 0");
  EXPECT_EQ(sees("2,1", {2, 1}), "exit 0");
  EXPECT_EQ(sees("7, 0 ,3", {7, 0, 3}), "exit 0");
}

TEST(CudaVisibleDevices, TheListEndsWhereAnEntryNamesNothing) {
  EXPECT_EQ(sees("0,2,-1,1", {0, 2}), "exit 0");
  EXPECT_EQ(sees("1,8,0", {1}), "exit 0");
  EXPECT_EQ(sees("1,two", {1}), "exit 0");
  EXPECT_EQ(sees("3,", {3}), "exit 0");
  EXPECT_EQ(sees("-1", {}), "exit 0");
  EXPECT_EQ(sees("", {}), "exit 0");
  EXPECT_EQ(sees("none", {}), "exit 0");
}

TEST(CudaVisibleDevices, AGpuTwiceIsNoneAtAll) {
  EXPECT_EQ(sees("0,0", {}), "exit 0");
  EXPECT_EQ(sees("1,2,1", {}), "exit 0");
}

TEST(CudaVisibleDevices, UuidsAndTheirBeginnings) {
  const std::string uuid = uuid_of(5);
  ASSERT_EQ(uuid.size(), 40u);
  EXPECT_EQ(sees(uuid, {5}), "exit 0");
  EXPECT_EQ(sees(uuid.substr(0, 16), {5}), "exit 0");
  EXPECT_EQ(sees(uuid + ",0", {5, 0}), "exit 0");
  EXPECT_EQ(sees("GPU-", {}), "exit 0");  // all of them begin so
  EXPECT_EQ(sees("GPU-00000000-0000-0000-0000-000000000000", {}), "exit 0");
  EXPECT_EQ(sees("MIG-" + uuid + "/1/0", {}), "exit 0");
}

TEST(CudaVisibleDevices, OrderIsThatOfAddressesWhereAllAreAlike) {
  for (const char* order : {"PCI_BUS_ID", "FASTEST_FIRST"}) {
    EXPECT_EQ(in_cuda({{"CUDA_DEVICE_ORDER", order}},
                      [](const Cuda& cuda) {
                        for (int i = 1; i < 8; ++i)
                          if (cuda.attribute(kBus, i) <= cuda.attribute(kBus, i - 1)) return i;
                        return 0;
                      }),
              "exit 0");
  }
}

TEST(CudaVisibleDevices, TheFastestComesFirstUnlessAddressesAreAskedFor) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "mixed"}},
                    [](const Cuda& cuda) {
                      const int last = cuda.count() - 1;
                      CUDA_STEP(1, 7, cuda.attribute(75, last));  // a T4, whose address is not the last
                      CUDA_STEP(2, 0xE1, cuda.attribute(kBus, last));
                      return 0;
                    }),
            "exit 0");
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "mixed"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}},
                    [](const Cuda& cuda) {
                      CUDA_STEP(1, 9, cuda.attribute(75, 0));  // in the order of NVML: an H100, an A100 ...
                      CUDA_STEP(2, 0, cuda.attribute(76, 1));
                      CUDA_STEP(3, 0xE1, cuda.attribute(kBus, 4));
                      CUDA_STEP(4, 0xF1, cuda.attribute(kBus, 5));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
