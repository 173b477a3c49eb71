// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/process/attribute_sources.hpp"
#include "engine/topics/memory/memory_rules.hpp"

namespace nvmlab::cuda {
namespace {

// Cores of a multiprocessor, for boards whose profile tells the cores alone.
std::int64_t cores_of_multiprocessor(const CudaGpu& gpu) {
  return by_capability(gpu, {{30, 192}, {50, 128}, {60, 64}, {61, 128}, {70, 64}, {80, 64}, {86, 128}});
}

}  // namespace

std::uint32_t capability_of(const CudaGpu& gpu) {
  const std::uint32_t major = read_field(gpu.slot, &Gpu::identity, &Identity::compute_capability_major).value_or(0);
  const std::uint32_t minor = read_field(gpu.slot, &Gpu::identity, &Identity::compute_capability_minor).value_or(0);
  return 10 * major + minor;
}

std::int64_t by_capability(const CudaGpu& gpu, std::initializer_list<CapabilityRow> rows) {
  const std::uint32_t capability = capability_of(gpu);
  std::int64_t value = rows.begin()->value;
  for (const CapabilityRow& row : rows) {
    if (row.from <= capability) value = row.value;
  }
  return value;
}

namespace rules {

std::int64_t multiprocessor_count(const CudaGpu& gpu) {
  if (gpu.device.mig != kWholeGpu) return mig_of(gpu).multiprocessors;
  const std::int64_t cores = field(gpu, &Gpu::identity, &Identity::core_count, 0);
  return field(gpu, &Gpu::cuda, &Cuda::multiprocessor_count, cores / cores_of_multiprocessor(gpu));
}

std::int64_t clock_rate(const CudaGpu& gpu) {
  return field(gpu, &Gpu::cuda, &Cuda::clock_rate_khz, 1000 * field(gpu, &Gpu::clocks, &Clocks::max_sm_mhz, 0));
}

std::int64_t memory_clock_rate(const CudaGpu& gpu) {
  return field(gpu, &Gpu::cuda, &Cuda::memory_clock_rate_khz,
               1000 * field(gpu, &Gpu::clocks, &Clocks::max_memory_mhz, 0));
}

// By the numbers of NVML, which are those of CUDA; exclusive to a thread went with CUDA 8.
std::int64_t compute_mode(const CudaGpu& gpu) {
  constexpr std::int64_t kExclusiveThread = 1;
  constexpr std::int64_t kExclusiveProcess = 3;
  const std::int64_t mode = field(gpu, &Gpu::modes, &Modes::compute_mode, 0);
  return mode == kExclusiveThread ? kExclusiveProcess : mode;
}

// As the board is set; what deviceQuery saw holds where nothing is said of that.
std::int64_t ecc_enabled(const CudaGpu& gpu) {
  return field(gpu, &Gpu::ecc, &Ecc::mode, field(gpu, &Gpu::cuda, &Cuda::ecc_enabled, 0));
}

// Differs between boards; chips of one board would share it.
std::int64_t board_group(const CudaGpu& gpu) { return gpu.device.gpu; }

std::int64_t host_numa_id(const CudaGpu& gpu) { return field(gpu, &Gpu::topology, &Topology::numa_node, 0); }

std::int64_t pci_device_id(const CudaGpu& gpu) { return field(gpu, &Gpu::pci, &Pci::device_id, 0); }

std::int64_t pci_subsystem_id(const CudaGpu& gpu) { return field(gpu, &Gpu::pci, &Pci::subsystem_id, 0); }

}  // namespace rules

std::uint64_t total_memory(const CudaGpu& gpu) {
  if (gpu.device.mig != kWholeGpu) return mig_of(gpu).memory_bytes;
  const Fact<std::uint64_t> told = read_field(gpu.slot, &Gpu::cuda, &Cuda::total_memory_bytes);
  if (told.has_value()) return told.value;
  return consistent(gpu.slot, [](const Gpu& state) {
    const MemorySplit split =
        split_memory(load(state.memory.total_bytes), Fact<std::uint64_t>{}, load(state.memory.reserved_bytes));
    return split.total - split.reserved;
  });
}

}  // namespace nvmlab::cuda
