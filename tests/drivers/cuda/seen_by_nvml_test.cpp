// SPDX-License-Identifier: Apache-2.0
// What NVML tells of a program that works: how busy it keeps the GPU, what it did wrong there, and what befalls both.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/clients/shared_machine.hpp"
#include "tests/drivers/cuda/kernels.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr int kIllegalAddress = 700;
constexpr int kEccUncorrectable = 214;
constexpr int kLaunchFailed = 719;

// NVML in the process of the program.
struct Watcher {
  Watcher() {
    nvml.init();
    nvml.gpu(0, device);
  }
  abi_test::Utilization utilization() const {
    abi_test::Utilization seen{};
    nvml.call<int(void*, abi_test::Utilization*)>("nvmlDeviceGetUtilizationRates", device, &seen);
    return seen;
  }
  unsigned power() const {
    unsigned milliwatts = 0;
    nvml.call<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage", device, &milliwatts);
    return milliwatts;
  }
  // The SMs' share of this process, of the newest sample; -1: there is none.
  int own_share() const {
    struct Sample {  // nvmlProcessUtilizationSample_t
      unsigned pid;
      unsigned long long time;
      unsigned sm, memory, encoder, decoder;
    } samples[32] = {};
    unsigned count = 32;
    const int code = nvml.call<int(void*, Sample*, unsigned*, unsigned long long)>("nvmlDeviceGetProcessUtilization",
                                                                                   device, samples, &count, 0ULL);
    int share = -1;
    for (unsigned i = 0; code == 0 && i < count; ++i) {
      if (samples[i].pid == static_cast<unsigned>(::getpid())) share = static_cast<int>(samples[i].sm);
    }
    return share;
  }

  abi_test::Driver nvml;
  abi_test::Handle device = nullptr;
};

TEST(CudaSeenByNvml, AKernelKeepsTheGpuBusyWhileItRuns) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      const Watcher nvml;
                      CUDA_STEP(1, 0u, nvml.utilization().gpu);
                      const unsigned at_rest = nvml.power();
                      void* memory = nullptr;
                      cuda.call<int(void**, std::size_t)>("cuMemAllocHost_v2", &memory, std::size_t{4096});
                      auto* const word = static_cast<unsigned*>(memory);
                      auto address = reinterpret_cast<Pointer>(word);
                      void* parameters[] = {&address};
                      void* gate = kernel(cuda, ptx("gate.ptx"), "until");
                      CUDA_STEP(2, kSuccess, launch(cuda, gate, 1, 1, parameters));
                      CUDA_STEP(9, true,
                                test::eventually([&] { return nvml.utilization().gpu > 90 && nvml.own_share() > 90; }));
                      CUDA_STEP(9, true, test::eventually([&] { return nvml.power() > at_rest + 50'000; }));
                      __atomic_store_n(word, 1u, __ATOMIC_RELEASE);
                      CUDA_STEP(3, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      CUDA_STEP(9, true,
                                test::eventually([&] { return nvml.utilization().gpu == 0 && nvml.own_share() <= 0; }));
                      return 0;
                    }),
            "exit 0");
}

struct EventData {  // nvmlEventData_t
  void* device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance;
  unsigned compute_instance;
};

// The Xid that a kernel raises, and the code that the context has then.
int xid_of(const Cuda& cuda, const char* name, void** parameters, int expected_code, unsigned long long* xid) {
  constexpr unsigned long long kXids = 8;
  const Watcher nvml;
  void* set = nullptr;
  CUDA_STEP(11, 0, nvml.nvml.call<int(void**)>("nvmlEventSetCreate", &set));
  CUDA_STEP(12, 0,
            nvml.nvml.call<int(void*, unsigned long long, void*)>("nvmlDeviceRegisterEvents", nvml.device, kXids, set));
  void* context = cuda.context();
  void* wrong = kernel(cuda, ptx("faults.ptx"), name);
  CUDA_STEP(13, kSuccess, launch(cuda, wrong, 1, 1, parameters));
  CUDA_STEP(14, expected_code, cuda.call<int()>("cuCtxSynchronize"));
  EventData event{};
  CUDA_STEP(15, 0,
            nvml.nvml.call<int(void*, EventData*, unsigned)>("nvmlEventSetWait_v2", set, &event, test::kDeadlineMs));
  *xid = event.data;
  nvml.nvml.call<int(void*)>("nvmlEventSetFree", set);
  return cuda.call<int(void*)>("cuCtxDestroy_v2", context);
}

TEST(CudaSeenByNvml, WhatAKernelDoesWrongIsAnXid) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      unsigned long long xid = 0;
                      Pointer nowhere = 64;
                      void* parameters[] = {&nowhere};
                      CUDA_STEP(1, 0, xid_of(cuda, "wild", parameters, kIllegalAddress, &xid));
                      CUDA_STEP(2, 31u, xid);
                      CUDA_STEP(3, 0, xid_of(cuda, "trapped", nullptr, kLaunchFailed, &xid));
                      CUDA_STEP(4, 13u, xid);
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaSeenByNvml, AnErrorInMemoryEndsTheContextsOfTheGpu) {
  const test::UpAndDown machine("dgx-h100");
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const std::string name = machine.name();
  EXPECT_EQ(in_cuda({{"NVMLAB_MACHINE", name}},
                    [&name](const Cuda& cuda) {
                      void* other = cuda.context(1);
                      void* context = cuda.context(0);
                      CUDA_STEP(1, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      if (!test::nvmlab({"fault", "--machine", name, "--gpu", "0", "ecc-uncorrected", "dram"}).ok())
                        return 2;
                      CUDA_STEP(3, kEccUncorrectable, cuda.call<int()>("cuCtxSynchronize"));
                      CUDA_STEP(4, Pointer{0}, cuda.allocate(64));
                      CUDA_STEP(5, kSuccess, cuda.call<int(void*)>("cuCtxSetCurrent", other));
                      CUDA_STEP(6, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      CUDA_STEP(7, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", context));
                      cuda.context(0);  // a new one has nothing to do with it
                      return cuda.call<int()>("cuCtxSynchronize");
                    }),
            "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
