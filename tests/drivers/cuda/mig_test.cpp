// SPDX-License-Identifier: Apache-2.0
// MIG devices: a process sees one, by default the first, and by CUDA_VISIBLE_DEVICES whichever it names.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr const char* kProfile = "gpu-h100x1-80gb-mig";

struct Told {
  char name[96] = {};
  unsigned char uuid[16] = {};
  unsigned char uuid_of_gpu[16] = {};
  std::size_t memory = 0;
};

Told tell(const Cuda& cuda) {
  Told told;
  cuda.call<int(char*, int, int)>("cuDeviceGetName", told.name, 96, 0);
  cuda.call<int(void*, int)>("cuDeviceGetUuid_v2", told.uuid, 0);
  cuda.call<int(void*, int)>("cuDeviceGetUuid", told.uuid_of_gpu, 0);
  cuda.call<int(std::size_t*, int)>("cuDeviceTotalMem_v2", &told.memory, 0);
  return told;
}

TEST(CudaMig, AProcessSeesOneDevice) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", kProfile}},
                    [](const Cuda& cuda) {
                      CUDA_STEP(1, 1, cuda.count());
                      const Told told = tell(cuda);
                      if (std::strstr(told.name, "H100 80GB HBM3 MIG ") == nullptr) return 2;
                      if (std::memcmp(told.uuid, told.uuid_of_gpu, 16) == 0) return 3;
                      if (told.memory == 0 || told.memory > 45'000'000'000) return 4;
                      if (cuda.attribute(16, 0) <= 0 || cuda.attribute(16, 0) >= 132) return 5;
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaMig, AnEntryNamesADeviceOrItsGpu) {
  EXPECT_EQ(in_cuda(
                {{"NVMLAB_PROFILE", kProfile}, {"CUDA_VISIBLE_DEVICES", "MIG-ffffffff"}}, [](const Cuda&) { return 0; },
                kNoDevice),
            "exit 0");
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", kProfile}, {"CUDA_VISIBLE_DEVICES", "0"}},
                    [](const Cuda& cuda) { return cuda.count() == 1 ? 0 : 1; }),
            "exit 0");
}

TEST(CudaMig, AUuidChoosesOne) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", kProfile}, {"CUDA_VISIBLE_DEVICES", "MIG-00000002-"}},
                    [](const Cuda& cuda) {
                      CUDA_STEP(1, 1, cuda.count());
                      CUDA_STEP(2, 16, cuda.attribute(16, 0));
                      CUDA_STEP(3, 2, tell(cuda).uuid[3]);
                      return 0;
                    }),
            "exit 0");
}

struct ProcessInfo {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance;
  unsigned compute_instance;
};

TEST(CudaMig, NvmlListsTheProgramInItsInstance) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", kProfile}, {"CUDA_VISIBLE_DEVICES", "MIG-00000002-"}},
                    [](const Cuda& cuda) {
                      if (cuda.context(0) == nullptr) return 1;
                      const abi_test::Driver nvml;
                      abi_test::Handle device = nullptr;
                      if (nvml.init() != 0 || nvml.gpu(0, device) != 0) return 2;
                      ProcessInfo list[32] = {};
                      unsigned count = 32;
                      nvml.call<int(void*, unsigned*, ProcessInfo*)>("nvmlDeviceGetComputeRunningProcesses_v2", device,
                                                                     &count, list);
                      for (unsigned i = 0; i < count; ++i) {
                        if (list[i].pid == static_cast<unsigned>(::getpid())) return list[i].gpu_instance == 9 ? 0 : 3;
                      }
                      return 4;
                    }),
            "exit 0");
}

TEST(CudaMig, PeersAreNone) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", kProfile}},
                    [](const Cuda& cuda) {
                      int can = -1;
                      CUDA_STEP(1, kSuccess, cuda.call<int(int*, int, int)>("cuDeviceCanAccessPeer", &can, 0, 0));
                      CUDA_STEP(2, 0, can);
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
