// SPDX-License-Identifier: Apache-2.0
//
// More GPUs: a walk of getters over all of them in this process, and the real nvidia-smi -L where it was fetched.
#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/bench/driver.hpp"

namespace nvmlab::bench {
namespace {

using namespace nvml::abi;

void walk(benchmark::State& state) {
  const auto gpus = static_cast<unsigned>(state.range(0));
  use_node(gpus);
  auto* power = driver_function<nvmlReturn_t(nvmlDevice_t, unsigned*)>("nvmlDeviceGetPowerUsage");
  auto* name = driver_function<nvmlReturn_t(nvmlDevice_t, char*, unsigned)>("nvmlDeviceGetName");
  auto* uuid = driver_function<nvmlReturn_t(nvmlDevice_t, char*, unsigned)>("nvmlDeviceGetUUID");
  auto* memory = driver_function<nvmlReturn_t(nvmlDevice_t, nvmlMemory_t*)>("nvmlDeviceGetMemoryInfo");
  auto* busy = driver_function<nvmlReturn_t(nvmlDevice_t, nvmlUtilization_t*)>("nvmlDeviceGetUtilizationRates");
  const auto once = [&] {
    for (unsigned i = 0; i < gpus; ++i) {
      const nvmlDevice_t gpu = device(i);
      unsigned milliwatts = 0;
      char text[96];
      nvmlMemory_t bytes{};
      nvmlUtilization_t use{};
      benchmark::DoNotOptimize(power(gpu, &milliwatts));
      benchmark::DoNotOptimize(name(gpu, text, sizeof text));
      benchmark::DoNotOptimize(uuid(gpu, text, sizeof text));
      benchmark::DoNotOptimize(memory(gpu, &bytes));
      benchmark::DoNotOptimize(busy(gpu, &use));
    }
  };
  once();  // builds the GPUs
  for (auto _ : state)
    once();
}

void smi_list(benchmark::State& state) {
  const std::string client = kSource + "/build/clients/nvidia-smi-550/nvidia-smi";
  if (!std::filesystem::exists(client)) {
    state.SkipWithError("nvidia-smi is not there; scripts/fetch-clients gets it");
    return;
  }
  const Variables variables = {{"LD_LIBRARY_PATH", kLibraries},
                               {"NVMLAB_PROFILE", machine_file()},
                               {"NVMLAB_GPUS", std::to_string(state.range(0))}};
  for (auto _ : state) {
    const auto before = std::chrono::steady_clock::now();
    if (run_program(client, "-L", variables, nullptr) != 0) state.SkipWithError("nvidia-smi -L failed");
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
  }
}

BENCHMARK(walk)->Name("scale/walk")->Arg(8)->Arg(64)->Arg(256)->Arg(1024);
BENCHMARK(smi_list)
    ->Name("scale/nvidia-smi -L")
    ->Arg(8)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nvmlab::bench
