// SPDX-License-Identifier: Apache-2.0
// Sources of device attributes; process/generated/attributes.cpp names one of them for each, from
// model/cuda/attributes.yaml. Tests: tests/drivers/cuda/device_query_test.cpp.
#pragma once

#include <initializer_list>

#include "drivers/cuda/process/process.hpp"

namespace nvmlab::cuda {

// False for a number that is no attribute.
bool read_attribute(std::uint32_t id, const CudaGpu& gpu, int* value);
// The CUDA release that brought it; 0: it was always there.
std::uint32_t attribute_since(std::uint32_t id);

template <class Topic, class T>
std::int64_t field(const CudaGpu& gpu, Topic Gpu::*topic, Fact<T> Topic::*fact, std::int64_t otherwise) {
  const Fact<T> found = read_field(gpu.slot, topic, fact);
  return found.has_value() ? static_cast<std::int64_t>(found.value) : otherwise;
}

template <class Topic, class T, std::uint32_t N>
std::int64_t item(const CudaGpu& gpu, Topic Gpu::*topic, List<T, N> Topic::*list, std::uint32_t position,
                  std::int64_t otherwise) {
  const List<T, N> found = read_field(gpu.slot, topic, list);
  return position < found.size() ? static_cast<std::int64_t>(found[position]) : otherwise;
}

struct CapabilityRow {
  std::uint32_t from;  // 10 x major + minor
  std::int64_t value;
};
std::uint32_t capability_of(const CudaGpu& gpu);
std::int64_t by_capability(const CudaGpu& gpu, std::initializer_list<CapabilityRow> rows);

namespace rules {

std::int64_t multiprocessor_count(const CudaGpu& gpu);
std::int64_t clock_rate(const CudaGpu& gpu);
std::int64_t memory_clock_rate(const CudaGpu& gpu);
std::int64_t compute_mode(const CudaGpu& gpu);
std::int64_t ecc_enabled(const CudaGpu& gpu);
std::int64_t board_group(const CudaGpu& gpu);
std::int64_t host_numa_id(const CudaGpu& gpu);
std::int64_t pci_device_id(const CudaGpu& gpu);
std::int64_t pci_subsystem_id(const CudaGpu& gpu);

}  // namespace rules

// The total memory that CUDA tells: less than NVML's, where that is known.
std::uint64_t total_memory(const CudaGpu& gpu);

}  // namespace nvmlab::cuda
