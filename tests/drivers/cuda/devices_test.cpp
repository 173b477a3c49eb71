// SPDX-License-Identifier: Apache-2.0
// What a device is: the same that NVML tells of it.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/drivers/cuda/cuda.hpp"

namespace nvmlab::cuda_test {
namespace {

// NVML of the same process, by hand.
struct Nvml {
  void* library = ::dlopen(abi_test::driver_path().c_str(), RTLD_NOW);
  template <class Signature, class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    return reinterpret_cast<Signature*>(::dlsym(library, name))(arguments...);
  }
  void* device(unsigned index) const {
    void* found = nullptr;
    call<int()>("nvmlInit_v2");
    call<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2", index, &found);
    return found;
  }
};

TEST(CudaDevices, AreThoseOfNvml) {
  EXPECT_EQ(in_cuda({{"NVMLAB_PROFILE", "dgx-h100"}},
                    [](const Cuda& cuda) {
                      const Nvml nvml;
                      for (int i = 0; i < 8; ++i) {
                        void* device = nvml.device(static_cast<unsigned>(i));
                        char name[96] = {};
                        char same[96] = {};
                        nvml.call<int(void*, char*, unsigned)>("nvmlDeviceGetName", device, name, 96u);
                        CUDA_STEP(1, kSuccess, cuda.call<int(char*, int, int)>("cuDeviceGetName", same, 96, i));
                        CUDA_STEP(2, 0, std::strcmp(name, same));
                        char uuid[96] = {};
                        unsigned char bytes[16] = {};
                        nvml.call<int(void*, char*, unsigned)>("nvmlDeviceGetUUID", device, uuid, 96u);
                        CUDA_STEP(3, kSuccess, cuda.call<int(void*, int)>("cuDeviceGetUuid", bytes, i));
                        unsigned first = 0;
                        std::sscanf(uuid, "GPU-%8x", &first);
                        CUDA_STEP(4, first,
                                  static_cast<unsigned>(bytes[0]) << 24 | static_cast<unsigned>(bytes[1]) << 16 |
                                      static_cast<unsigned>(bytes[2]) << 8 | bytes[3]);
                        CUDA_STEP(5, 9, cuda.attribute(75, i));
                        int back = -1;
                        char address[20] = {};
                        CUDA_STEP(6, kSuccess, cuda.call<int(char*, int, int)>("cuDeviceGetPCIBusId", address, 20, i));
                        CUDA_STEP(7, kSuccess,
                                  cuda.call<int(int*, const char*)>("cuDeviceGetByPCIBusId", &back, address));
                        CUDA_STEP(8, i, back);
                      }
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaDevices, FollowWhatNvmlSets) {
  EXPECT_EQ(in_cuda({{"NVMLAB_ROLE", "root"}},
                    [](const Cuda& cuda) {
                      const Nvml nvml;
                      void* device = nvml.device(0);
                      CUDA_STEP(1, 0, cuda.attribute(20, 0));
                      CUDA_STEP(2, 0, nvml.call<int(void*, int)>("nvmlDeviceSetComputeMode", device, 2));
                      CUDA_STEP(3, 2, cuda.attribute(20, 0));
                      void* context = nullptr;
                      CUDA_STEP(4, kDeviceUnavailable,
                                cuda.call<int(void**, unsigned, int)>("cuCtxCreate_v2", &context, 0u, 0));
                      CUDA_STEP(5, kDeviceUnavailable,
                                cuda.call<int(void**, int)>("cuDevicePrimaryCtxRetain", &context, 0));
                      CUDA_STEP(6, kSuccess, cuda.call<int(void**, int)>("cuDevicePrimaryCtxRetain", &context, 1));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaDevices, EveryAttributeOfTheDriverIsAnswered) {
  EXPECT_EQ(in_cuda({{"NVMLAB_DRIVER", "550"}},
                    [](const Cuda& cuda) {
                      for (int id = 1; id <= 132; ++id)
                        if (cuda.attribute(id, 0) == -kInvalidValue) return id;
                      CUDA_STEP(200, -kInvalidValue, cuda.attribute(0, 0));
                      CUDA_STEP(201, -kInvalidValue, cuda.attribute(148, 0));  // of CUDA 13
                      CUDA_STEP(202, -kInvalidValue, cuda.attribute(-1, 0));
                      CUDA_STEP(203, -kInvalidDevice, cuda.attribute(1, 8));
                      CUDA_STEP(204, -kInvalidDevice, cuda.attribute(1, -1));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaDevices, PeersReachEachOther) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      int can = -1;
                      CUDA_STEP(1, kSuccess, cuda.call<int(int*, int, int)>("cuDeviceCanAccessPeer", &can, 0, 1));
                      CUDA_STEP(2, 1, can);
                      CUDA_STEP(3, kSuccess, cuda.call<int(int*, int, int)>("cuDeviceCanAccessPeer", &can, 0, 0));
                      CUDA_STEP(4, 0, can);
                      CUDA_STEP(5, kInvalidDevice, cuda.call<int(int*, int, int)>("cuDeviceCanAccessPeer", &can, 0, 8));
                      int value = -1;
                      CUDA_STEP(6, kSuccess,
                                cuda.call<int(int*, int, int, int)>("cuDeviceGetP2PAttribute", &value, 3, 0, 1));
                      CUDA_STEP(7, 1, value);
                      CUDA_STEP(8, kInvalidValue,
                                cuda.call<int(int*, int, int, int)>("cuDeviceGetP2PAttribute", &value, 9, 0, 1));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaDevices, NamesAreCutWhereTheBufferEnds) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      char name[8];
                      std::memset(name, 'x', sizeof name);
                      CUDA_STEP(1, kSuccess, cuda.call<int(char*, int, int)>("cuDeviceGetName", name, 7, 0));
                      CUDA_STEP(2, 0, std::strcmp(name, "NVIDIA"));
                      CUDA_STEP(3, 'x', name[7]);
                      CUDA_STEP(4, kInvalidValue, cuda.call<int(char*, int, int)>("cuDeviceGetName", name, 0, 0));
                      CUDA_STEP(5, kInvalidValue, cuda.call<int(char*, int, int)>("cuDeviceGetName", nullptr, 7, 0));
                      return 0;
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
