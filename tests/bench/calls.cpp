// SPDX-License-Identifier: Apache-2.0
//
// Single calls, and calls from several threads. Everything is called through a pointer from dlsym; the two `empty`
// benchmarks are what any call costs, linked and through such a pointer.
#include <benchmark/benchmark.h>

#include <string>
#include <thread>
#include <utility>

#include "tests/bench/driver.hpp"

extern "C" int nvmlab_empty(void* device, unsigned int* value);

namespace nvmlab::bench {
namespace {

using namespace nvml::abi;

constexpr unsigned kGpus = 8;

void node_of_eight(const benchmark::State&) { use_node(kGpus); }

void expect_success(nvmlReturn_t code, benchmark::State& state) {
  if (code != NVML_SUCCESS) state.SkipWithError("the call did not succeed");
}

void empty_linked(benchmark::State& state) {
  unsigned value = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(nvmlab_empty(nullptr, &value));
}

void empty_pointer(benchmark::State& state) {
  auto* call = reinterpret_cast<int (*)(void*, unsigned*)>(symbol(empty_library(), "nvmlab_empty"));
  unsigned value = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(call(nullptr, &value));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

// A getter with one output behind the device.
template <class Output>
void getter(benchmark::State& state, const char* name, Output output) {
  auto* call = driver_function<nvmlReturn_t(nvmlDevice_t, Output*)>(name);
  const nvmlDevice_t gpu = device(0);
  expect_success(call(gpu, &output), state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(call(gpu, &output));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void text(benchmark::State& state, const char* name) {
  auto* call = driver_function<nvmlReturn_t(nvmlDevice_t, char*, unsigned)>(name);
  const nvmlDevice_t gpu = device(0);
  char buffer[96];
  expect_success(call(gpu, buffer, sizeof buffer), state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(call(gpu, buffer, sizeof buffer));
    benchmark::ClobberMemory();
  }
}

void chosen(benchmark::State& state, const char* name) {
  auto* call = driver_function<nvmlReturn_t(nvmlDevice_t, unsigned, unsigned*)>(name);
  const nvmlDevice_t gpu = device(0);
  unsigned value = 0;
  expect_success(call(gpu, 0, &value), state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(call(gpu, 0, &value));
    benchmark::ClobberMemory();
  }
}

void by_index(benchmark::State& state) {
  auto* call = driver_function<nvmlReturn_t(unsigned, nvmlDevice_t*)>("nvmlDeviceGetHandleByIndex_v2");
  nvmlDevice_t gpu{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(call(5, &gpu));
    benchmark::ClobberMemory();
  }
}

// What a monitor asks for, by NVML_FI_DEV_* number: error correction and its totals, memory temperature, energy, links,
// replays, remapped rows, power and its limits, a temperature threshold.
constexpr unsigned kFieldIds[] = {1, 3, 4, 5, 6, 82, 83, 91, 94, 142, 143, 144, 145, 185, 186, 187, 188, 189, 190, 193};
static_assert(sizeof kFieldIds / sizeof kFieldIds[0] == 20);

void field_values(benchmark::State& state) {
  auto* call = driver_function<nvmlReturn_t(nvmlDevice_t, int, nvmlFieldValue_t*)>("nvmlDeviceGetFieldValues");
  const nvmlDevice_t gpu = device(0);
  nvmlFieldValue_t values[20] = {};
  for (int i = 0; i < 20; ++i)
    values[i].fieldId = kFieldIds[i];
  expect_success(call(gpu, 20, values), state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(call(gpu, 20, values));
    benchmark::ClobberMemory();
  }
}

void processes(benchmark::State& state, unsigned expected) {
  auto* call = driver_function<nvmlReturn_t(nvmlDevice_t, unsigned*, nvmlProcessInfo_t*)>(
      "nvmlDeviceGetComputeRunningProcesses_v3");
  const nvmlDevice_t gpu = device(0);
  nvmlProcessInfo_t infos[kListedProcesses];
  unsigned count = kListedProcesses;
  expect_success(call(gpu, &count, infos), state);
  if (count != expected) state.SkipWithError("the list is not as long as it should be");
  for (auto _ : state) {
    count = kListedProcesses;
    benchmark::DoNotOptimize(call(gpu, &count, infos));
    benchmark::ClobberMemory();
  }
}

// A change at each call; the limit is one that an H100 takes.
void setter(benchmark::State& state) {
  auto* call = driver_function<nvmlReturn_t(nvmlDevice_t, unsigned)>("nvmlDeviceSetPowerManagementLimit");
  const nvmlDevice_t gpu = device(0);
  constexpr unsigned limits[] = {300'000, 400'000};
  expect_success(call(gpu, limits[0]), state);
  std::size_t turn = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(call(gpu, limits[++turn % 2]));
}

nvmlMemory_v2_t memory_v2() {
  nvmlMemory_v2_t memory{};
  memory.version = static_cast<unsigned>(sizeof memory) | 2u << 24;
  return memory;
}

int most_threads() {
  const unsigned cores = std::thread::hardware_concurrency();
  return static_cast<int>(cores < 1 ? 1 : cores > 64 ? 64 : cores);
}

template <class... Arguments>
benchmark::internal::Benchmark* add(const char* name, Arguments&&... arguments) {
  return benchmark::RegisterBenchmark(name, std::forward<Arguments>(arguments)...)->Setup(node_of_eight);
}

[[maybe_unused]] const bool registered = [] {
  benchmark::RegisterBenchmark("call/empty_linked", empty_linked);
  benchmark::RegisterBenchmark("call/empty_pointer", empty_pointer);
  for (const char* name : {"nvmlDeviceGetIndex", "nvmlDeviceGetNumGpuCores", "nvmlDeviceGetMaxPcieLinkWidth"})
    add((std::string("call/static/") + name).c_str(), getter<unsigned>, name, 0u);
  add("call/static/nvmlDeviceGetHandleByIndex_v2", by_index);
  for (const char* name : {"nvmlDeviceGetName", "nvmlDeviceGetUUID"})
    add((std::string("call/string/") + name).c_str(), text, name);
  add("call/live/nvmlDeviceGetPowerUsage", getter<unsigned>, "nvmlDeviceGetPowerUsage", 0u);
  add("call/live/nvmlDeviceGetUtilizationRates", getter<nvmlUtilization_t>, "nvmlDeviceGetUtilizationRates",
      nvmlUtilization_t{});
  for (const char* name : {"nvmlDeviceGetTemperature", "nvmlDeviceGetClockInfo"})
    add((std::string("call/live/") + name).c_str(), chosen, name);
  add("call/live/nvmlDeviceGetMemoryInfo", getter<nvmlMemory_t>, "nvmlDeviceGetMemoryInfo", nvmlMemory_t{});
  add("call/live/nvmlDeviceGetMemoryInfo_v2", getter<nvmlMemory_v2_t>, "nvmlDeviceGetMemoryInfo_v2", memory_v2());
  add("call/fields/nvmlDeviceGetFieldValues", field_values);
  add("call/setter/nvmlDeviceSetPowerManagementLimit", setter);
  add("call/processes/none", processes, 0u);
  benchmark::RegisterBenchmark("call/processes/listed", processes, kListedProcesses)
      ->Setup([](const benchmark::State&) { use_busy_node(); });

  const auto node_that_trains = [](const benchmark::State&) { use_loaded_node(); };
  benchmark::RegisterBenchmark("call/loaded/nvmlDeviceGetPowerUsage", getter<unsigned>, "nvmlDeviceGetPowerUsage", 0u)
      ->Setup(node_that_trains);
  benchmark::RegisterBenchmark("call/loaded/nvmlDeviceGetUtilizationRates", getter<nvmlUtilization_t>,
                               "nvmlDeviceGetUtilizationRates", nvmlUtilization_t{})
      ->Setup(node_that_trains);
  for (const char* name : {"nvmlDeviceGetTemperature", "nvmlDeviceGetClockInfo"})
    benchmark::RegisterBenchmark((std::string("call/loaded/") + name).c_str(), chosen, name)->Setup(node_that_trains);

  benchmark::RegisterBenchmark("threads/empty_pointer", empty_pointer)->ThreadRange(1, most_threads())->UseRealTime();
  add("threads/nvmlDeviceGetPowerUsage", getter<unsigned>, "nvmlDeviceGetPowerUsage", 0u)
      ->ThreadRange(1, most_threads())
      ->UseRealTime();
  return true;
}();

}  // namespace
}  // namespace nvmlab::bench
