// SPDX-License-Identifier: Apache-2.0
// One machine, whoever tells of it: what a CUDA program holds, NVML shows, in its process and in others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "tests/clients/shared_machine.hpp"
#include "tests/drivers/cuda/cuda.hpp"
#include "tests/support/clients.hpp"

namespace nvmlab::cuda_test {
namespace {

struct ProcessInfo {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct Seen {
  unsigned count = 32;
  ProcessInfo list[32] = {};
  abi_test::Memory memory = {};
};

// Of the first GPU, by NVML in this process.
Seen look() {
  Seen seen;
  const abi_test::Driver nvml;
  abi_test::Handle device = nullptr;
  if (nvml.init() != 0 || nvml.gpu(0, device) != 0) return seen;
  nvml.call<int(void*, abi_test::Memory*)>("nvmlDeviceGetMemoryInfo", device, &seen.memory);
  nvml.call<int(void*, unsigned*, ProcessInfo*)>("nvmlDeviceGetComputeRunningProcesses_v2", device, &seen.count,
                                                 seen.list);
  nvml.shutdown();
  return seen;
}

// Memory that is made and mapped apart from each other: counted while a handle or a mapping has it.
int made_and_mapped(const Cuda& cuda) {
  struct Properties {  // CUmemAllocationProp
    int type = 1, handles = 0, location = 1, device = 0;
    void* metadata = nullptr;
    unsigned char flags[8] = {};
  } properties;
  constexpr std::size_t kSize = std::size_t{256} << 20;
  cuda.context();
  const Seen before = look();
  const auto held = [&before] {
    const Seen now = look();
    const std::uint64_t told = now.list[0].used - before.list[0].used;
    return now.memory.used - before.memory.used == told ? told : ~std::uint64_t{0};
  };
  Pointer handle = 0;
  Pointer at = 0;
  CUDA_STEP(1, kSuccess,
            cuda.call<int(Pointer*, std::size_t, void*, unsigned long long)>("cuMemCreate", &handle, kSize,
                                                                             static_cast<void*>(&properties), 0));
  CUDA_STEP(2, kSize, held());
  CUDA_STEP(3, kSuccess,
            cuda.call<int(Pointer*, std::size_t, std::size_t, Pointer, unsigned long long)>("cuMemAddressReserve", &at,
                                                                                            2 * kSize, 0, 0, 0));
  CUDA_STEP(4, kSize, held());  // addresses are none
  for (const std::size_t place : {std::size_t{0}, kSize})
    CUDA_STEP(5, kSuccess,
              cuda.call<int(Pointer, std::size_t, std::size_t, Pointer, unsigned long long)>("cuMemMap", at + place,
                                                                                             kSize, 0, handle, 0));
  CUDA_STEP(6, kSize, held());  // mapped twice it is the same memory
  CUDA_STEP(7, kSuccess, cuda.call<int(Pointer)>("cuMemRelease", handle));
  CUDA_STEP(8, kSuccess, cuda.call<int(Pointer, std::size_t)>("cuMemUnmap", at, kSize));
  CUDA_STEP(9, kSize, held());
  CUDA_STEP(10, kSuccess, cuda.call<int(Pointer, std::size_t)>("cuMemUnmap", at + kSize, kSize));
  CUDA_STEP(11, 0u, held());
  return 0;
}

TEST(CudaMachine, NvmlShowsMemoryThatIsMadeAndMapped) { EXPECT_EQ(in_cuda({}, made_and_mapped), "exit 0"); }

TEST(CudaMachine, NvmlShowsWhatAProgramHolds) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      const Seen before = look();
                      CUDA_STEP(1, 0u, before.count);
                      void* context = cuda.context();
                      const Pointer memory = cuda.allocate(std::size_t{512} << 20);
                      if (memory == 0) return 2;
                      const Seen during = look();
                      CUDA_STEP(3, 1u, during.count);
                      CUDA_STEP(4, static_cast<unsigned>(::getpid()), during.list[0].pid);
                      if (during.list[0].used <= 512ULL << 20) return 5;  // the context itself takes some
                      CUDA_STEP(6, before.memory.used + during.list[0].used, during.memory.used);
                      CUDA_STEP(7, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", memory));
                      CUDA_STEP(8, during.list[0].used - (512ULL << 20), look().list[0].used);
                      CUDA_STEP(9, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", context));
                      CUDA_STEP(10, 0u, look().count);
                      CUDA_STEP(11, before.memory.used, look().memory.used);
                      return 0;
                    }),
            "exit 0");
}

// The first line of what the program says on a machine that is up.
std::string first_line(const std::string& machine) {
  const test::Outcome ran = test::nvmlab({"run", "--machine", machine, "--", NVMLAB_DEVICE_QUERY});
  return ran.out.substr(0, ran.out.find('\n'));
}

TEST(CudaMachine, FaultsOfTheNodeReachTheProgram) {
  const test::UpAndDown machine("dgx-h100");
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const std::string name = machine.name();
  EXPECT_EQ(first_line(name), "Device 0: \"NVIDIA H100 80GB HBM3\"");
  ASSERT_TRUE(test::nvmlab({"set", "--machine", name, "--gpu", "2", "fabric.state=in_progress"}).ok());
  EXPECT_EQ(first_line(name), "cuInit: 802");
  ASSERT_TRUE(test::nvmlab({"set", "--machine", name, "--gpu", "2", "fabric.state=completed"}).ok());
  EXPECT_EQ(in_cuda({{"NVMLAB_MACHINE", name}},
                    [&name](const Cuda& cuda) {
                      CUDA_STEP(1, 8, cuda.count());
                      cuda.context(0);
                      const Pointer memory = cuda.allocate(4096);
                      CUDA_STEP(2, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      if (!test::nvmlab({"fault", "--machine", name, "--gpu", "0", "lost"}).ok()) return 3;
                      CUDA_STEP(4, kUnknown, cuda.call<int()>("cuCtxSynchronize"));
                      CUDA_STEP(5, kUnknown,
                                cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", memory, 1, 1));
                      if (cuda.context(1) == nullptr) return 6;  // the others go on
                      CUDA_STEP(7, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      return 0;
                    }),
            "exit 0");
  EXPECT_EQ(in_cuda({{"NVMLAB_MACHINE", name}}, [](const Cuda& cuda) { return cuda.count() == 7 ? 0 : 1; }), "exit 0");
}

// What a GPU that is lost says to a program that uses it: the same to all that needs its context. What was asked of the
// device itself is known already.
int on_a_lost_gpu(const Cuda& cuda, const std::string& machine) {
  void* const context = cuda.context(0);
  void* stream = nullptr;
  void* event = nullptr;
  cuda.call<int(void**, unsigned)>("cuStreamCreate", &stream, 0u);
  cuda.call<int(void**, unsigned)>("cuEventCreate", &event, 0u);
  Pointer memory = cuda.allocate(4096);
  if (!test::nvmlab({"fault", "--machine", machine, "--gpu", "0", "lost"}).ok()) return 1;
  unsigned word = 0;
  std::size_t sizes[2] = {};
  Pointer more = 0;
  CUDA_STEP(2, kUnknown, cuda.call<int(void*)>("cuStreamSynchronize", stream));
  CUDA_STEP(12, kUnknown, cuda.call<int(void*)>("cuStreamQuery", stream));
  CUDA_STEP(13, kUnknown, cuda.call<int(void*)>("cuEventQuery", event));
  CUDA_STEP(14, kUnknown, cuda.call<int(void*)>("cuEventSynchronize", event));
  CUDA_STEP(3, kUnknown, cuda.call<int(void*, void*)>("cuEventRecord", event, stream));
  CUDA_STEP(4, kUnknown, cuda.call<int(void*, Pointer, std::size_t)>("cuMemcpyDtoH_v2", &word, memory, 4));
  CUDA_STEP(5, kUnknown, cuda.call<int(Pointer*, std::size_t)>("cuMemAlloc_v2", &more, 4096));
  CUDA_STEP(6, kUnknown, cuda.call<int(std::size_t*, std::size_t*)>("cuMemGetInfo_v2", &sizes[0], &sizes[1]));
  CUDA_STEP(7, kUnknown, cuda.call<int()>("cuCtxSynchronize"));
  void* again = nullptr;
  CUDA_STEP(8, kUnknown, cuda.call<int(void**, unsigned, int)>("cuCtxCreate_v2", &again, 0u, 0));
  CUDA_STEP(9, kUnknown, cuda.call<int(void**, int)>("cuDevicePrimaryCtxRetain", &again, 0));
  CUDA_STEP(10, kSuccess, cuda.call<int(void*)>("cuCtxDestroy_v2", context));
  CUDA_STEP(11, true, cuda.attribute(16, 0) > 0);
  return 0;
}

// A program that waits for work which can never be done is not left alone.
int waits_for_a_lost_gpu(const Cuda& cuda, const std::string& machine) {
  cuda.context(0);
  void* stream = nullptr;
  cuda.call<int(void**, unsigned)>("cuStreamCreate", &stream, 0u);
  const Pointer word = cuda.allocate(4096);
  CUDA_STEP(1, kSuccess,
            cuda.call<int(void*, Pointer, unsigned, unsigned)>("cuStreamWaitValue32_v2", stream, word, 1u, 1u));
  std::thread loses([&] { test::nvmlab({"fault", "--machine", machine, "--gpu", "0", "lost"}); });
  const int code = cuda.call<int(void*)>("cuStreamSynchronize", stream);
  loses.join();
  return code == kUnknown ? 0 : 2;
}

TEST(CudaMachine, WhoeverWaitsForAGpuThatIsLostIsTold) {
  const test::UpAndDown machine("dgx-h100");
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  EXPECT_EQ(in_cuda({{"NVMLAB_MACHINE", machine.name()}},
                    [&](const Cuda& cuda) { return waits_for_a_lost_gpu(cuda, machine.name()); }),
            "exit 0");
}

TEST(CudaMachine, AGpuThatIsLostIsAnUnknownErrorToAllThatNeedsIt) {
  const test::UpAndDown machine("dgx-h100");
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  EXPECT_EQ(in_cuda({{"NVMLAB_MACHINE", machine.name()}},
                    [&](const Cuda& cuda) { return on_a_lost_gpu(cuda, machine.name()); }),
            "exit 0");
}

TEST(CudaMachine, AnotherProcessSeesWhatAProgramHoldsAsLongAsItRuns) {
  const test::UpAndDown machine("g4dn-xlarge");
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const std::string name = machine.name();
  const auto listed = [&name] { return test::nvmlab({"ps", "--machine", name, "--json"}).out; };
  EXPECT_EQ(in_cuda({{"NVMLAB_MACHINE", name}},
                    [&](const Cuda& cuda) {
                      cuda.context(0);
                      if (cuda.allocate(std::size_t{64} << 20) == 0) return 1;
                      return listed().find(std::to_string(::getpid())) != std::string::npos ? 0 : 2;
                    }),
            "exit 0");
  EXPECT_EQ(listed().find("pid"), std::string::npos) << listed();  // its end was seen
}

TEST(CudaMachine, WithoutADriverThereIsNoDevice) {
  const std::string probe = NVMLAB_DEVICE_QUERY;
  const test::Outcome ran = test::run(
      {.arguments = {test::nvmlab_program().string(), "run", "--profile", "g4dn-xlarge", "--no-driver", "--", probe}});
  EXPECT_EQ(ran.exit_code, 1) << ran.story();
  EXPECT_EQ(ran.out, "cuInit: 100\n");
}

TEST(CudaMachine, EveryShippedMachineTellsOfItself) {
  for (const char* profile : {"dgx-a100", "dgx-b200", "dgx-h100", "g4dn-xlarge", "gb200-nvl4", "gtx-1080-rig", "mixed",
                              "quadro-p400-workstation", "rtx-3090-workstation", "v100s-server"}) {
    const test::Outcome ran = test::run(
        {.arguments = {test::nvmlab_program().string(), "run", "--profile", profile, "--", NVMLAB_DEVICE_QUERY}});
    EXPECT_TRUE(ran.ok()) << profile << ran.story();
    EXPECT_EQ(ran.out.find("Multiprocessors: 0"), std::string::npos) << profile << "\n" << ran.out;
    EXPECT_EQ(ran.out.find("GPU Max Clock rate: 0"), std::string::npos) << profile << "\n" << ran.out;
  }
}

}  // namespace
}  // namespace nvmlab::cuda_test
