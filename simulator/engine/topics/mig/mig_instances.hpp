// SPDX-License-Identifier: Apache-2.0
// MIG instances as those see them that run in them. Tests: tests/unit/mig/mode_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// Frame buffer of a GPU instance, and what of it is in use.
struct InstanceMemory {
  std::uint64_t total;
  std::uint64_t used;
};

// Of a state that others may be writing; within consistent(). Zeros where there is no such instance.
InstanceMemory read_instance_memory(const Gpu& gpu, std::uint32_t gpu_instance);
InstanceMemory read_instance_memory(const Instances& instances, const Mig& mig, const Memory& memory,
                                    const Processes& processes, std::uint32_t gpu_instance);

// Whether a process that holds so much can begin there: kNotFound where the GPU has MIG on and no such compute
// instance, kMemory where the instance has not so much free. A process of the whole GPU, or of a GPU without MIG, is no
// matter of MIG's.
Code check_instance(const GpuEdit& gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance,
                    std::uint64_t bytes);

}  // namespace nvmlab
