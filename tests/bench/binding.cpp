// SPDX-License-Identifier: Apache-2.0
//
// What the C++ binding adds to a call: each call raw, through the pointer of the library's table, and typed. Scalars
// are asked of a function that does nothing, so that the difference is all that is measured; texts, a struct and a list
// of the simulated driver. Allocations are counted outside the loop that is timed.
#include <benchmark/benchmark.h>

#include <iterator>
#include <nvmlab/nvml.hpp>

#include "tests/bench/allocations.hpp"
#include "tests/bench/driver.hpp"

extern "C" int nvmlab_empty(void* device, unsigned int* value);

namespace nvmlab::bench {
namespace {

constexpr unsigned kGpus = 8;

nvml::Library stub() {
  nvml::Functions functions;
  const auto empty = reinterpret_cast<int (*)(void*, unsigned*)>(symbol(empty_library(), "nvmlab_empty"));
  functions.nvmlDeviceGetPowerUsage = reinterpret_cast<nvml::abi::nvmlDeviceGetPowerUsage_fn*>(empty);
  return nvml::Library::from_table(functions);
}

nvml::Device some_device(const nvml::Library& library) { return {library.library(), nullptr}; }

nvml::Library simulated() {
  use_node(kGpus);
  return nvml::or_throw(nvml::Library::open({.path = driver_library()}));
}

template <class Call>
void time(benchmark::State& state, Call call) {
  call();
  const auto allocated = static_cast<double>(allocations_of(call));
  for (auto _ : state) {
    call();
    benchmark::ClobberMemory();
  }
  state.counters["allocations"] = allocated;
}

void raw_scalar(benchmark::State& state) {
  const nvml::Library library = stub();
  const nvml::Functions& functions = library.functions();
  unsigned power = 0;
  time(state, [&] { benchmark::DoNotOptimize(functions.nvmlDeviceGetPowerUsage(nullptr, &power)); });
}

void typed_scalar(benchmark::State& state) {
  const nvml::Library library = stub();
  const nvml::Device device = some_device(library);
  time(state, [&] {
    auto power = device.power_usage();
    benchmark::DoNotOptimize(power);
  });
}

template <auto Slot>
void raw_text(benchmark::State& state) {
  const nvml::Library library = simulated();
  const auto device = nvml::or_throw(library.device(0));
  const auto function = library.functions().*Slot;
  time(state, [&] {
    char text[96];
    benchmark::DoNotOptimize(function(device.handle(), text, sizeof text));
    benchmark::DoNotOptimize(text);
  });
}

template <auto Method>
void typed_text(benchmark::State& state) {
  const nvml::Library library = simulated();
  const auto device = nvml::or_throw(library.device(0));
  time(state, [&] {
    auto text = (device.*Method)();
    benchmark::DoNotOptimize(text);
  });
}

nvml::Library listed() {
  use_busy_node();
  return nvml::or_throw(nvml::Library::open({.path = driver_library()}));
}

void raw_struct(benchmark::State& state) {
  const nvml::Library library = simulated();
  const auto device = nvml::or_throw(library.device(0));
  const auto function = library.functions().nvmlDeviceGetMemoryInfo_v2;
  time(state, [&] {
    nvml::abi::nvmlMemory_v2_t memory{};
    memory.version = nvml::abi::version_of<nvml::abi::nvmlMemory_v2_t>;
    benchmark::DoNotOptimize(function(device.handle(), &memory));
    benchmark::DoNotOptimize(memory);
  });
}

void typed_struct(benchmark::State& state) {
  const nvml::Library library = simulated();
  const auto device = nvml::or_throw(library.device(0));
  time(state, [&] {
    auto memory = device.memory_info();
    benchmark::DoNotOptimize(memory);
  });
}

// Into memory of the caller's, as a program in C has it.
void raw_list(benchmark::State& state) {
  const nvml::Library library = listed();
  const auto device = nvml::or_throw(library.device(0));
  const auto function = library.functions().nvmlDeviceGetComputeRunningProcesses_v3;
  time(state, [&] {
    nvml::abi::nvmlProcessInfo_t room[2 * kListedProcesses];
    unsigned count = std::size(room);
    benchmark::DoNotOptimize(function(device.handle(), &count, room));
    benchmark::DoNotOptimize(room);
  });
}

void typed_list(benchmark::State& state) {
  const nvml::Library library = listed();
  const auto device = nvml::or_throw(library.device(0));
  time(state, [&] {
    auto processes = device.running_compute_processes();
    benchmark::DoNotOptimize(processes);
  });
}

[[maybe_unused]] const bool registered = [] {
  using nvml::DeviceMethods;
  using nvml::Functions;
  benchmark::RegisterBenchmark("binding/raw/power_usage", raw_scalar);
  benchmark::RegisterBenchmark("binding/typed/power_usage", typed_scalar);
  benchmark::RegisterBenchmark("binding/raw/memory_info", raw_struct);
  benchmark::RegisterBenchmark("binding/typed/memory_info", typed_struct);
  benchmark::RegisterBenchmark("binding/raw/running_compute_processes", raw_list);
  benchmark::RegisterBenchmark("binding/typed/running_compute_processes", typed_list);
  benchmark::RegisterBenchmark("binding/raw/name", raw_text<&Functions::nvmlDeviceGetName>);
  benchmark::RegisterBenchmark("binding/typed/name", typed_text<&DeviceMethods::name>);
  benchmark::RegisterBenchmark("binding/raw/uuid", raw_text<&Functions::nvmlDeviceGetUUID>);
  benchmark::RegisterBenchmark("binding/typed/uuid", typed_text<&DeviceMethods::uuid>);
  return true;
}();

}  // namespace
}  // namespace nvmlab::bench
