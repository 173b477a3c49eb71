// SPDX-License-Identifier: Apache-2.0
//
// MIG: its mode, and the GPU and compute instances that are made and destroyed while it is on. Creating one raises an
// event (nvmlEventMigConfigChange) with its ids; apply() returns its id and its serial. Tests: tests/unit/mig/,
// tests/drivers/functions/mig_test.cpp, mig_instances_test.cpp, tests/clients/smi_mig_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// Takes effect at once, after a reset of its own on chips before Hopper; and not before the GPU is idle, else it waits
// for a reset. Switching on ends accounting.
struct SetMigMode {
  std::uint32_t enabled;
};

inline constexpr std::uint32_t kAnyStart = ~std::uint32_t{0};

struct CreateGpuInstance {
  std::uint32_t profile_id;
  std::uint32_t start;   // kAnyStart: wherever it fits best
  std::uint32_t slices;  // memory slices, with a start
};

inline constexpr std::uint32_t kAnySerial = 0;

// Whichever GPU instance has the id, or the one with the serial alone.
struct DestroyGpuInstance {
  std::uint32_t id;
  std::uint32_t serial;
};

struct CreateComputeInstance {
  std::uint32_t gpu_instance;
  std::uint32_t serial;  // of the GPU instance
  std::uint32_t profile;
  std::uint32_t start;       // compute slice; kAnyStart: the lowest
  std::uint32_t slices = 0;  // compute slices, with a start
};

struct DestroyComputeInstance {
  std::uint32_t gpu_instance;
  std::uint32_t id;
  std::uint32_t serial;
};

// kNotSupported: the chip has no MIG, or it is off. kInvalidArgument: no such profile or place. kInsufficientResources:
// no room. kInUse: something runs there, or what is to be destroyed has compute instances. kNotFound: no such instance.
Code make(const SetMigMode& change, GpuEdit& gpu);
Code make(const CreateGpuInstance& change, GpuEdit& gpu);
Code make(const DestroyGpuInstance& change, GpuEdit& gpu);
Code make(const CreateComputeInstance& change, GpuEdit& gpu);
Code make(const DestroyComputeInstance& change, GpuEdit& gpu);

// What instances take without a process is free again; for a reset, which leaves none.
void release_memory_of_instances(Gpu& gpu);

// Chips that switch MIG without a reset do not remember the mode when their driver goes.
void forget_mig_mode(Modes& modes);

}  // namespace nvmlab
