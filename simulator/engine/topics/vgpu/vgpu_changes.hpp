// SPDX-License-Identifier: Apache-2.0
//
// vGPUs that begin and end on the GPUs of a host, and how they share it. They lie in the state of the node; what they
// depend on, in that of their GPU. Tests: tests/unit/changes/vgpu_test.cpp, tests/command/vgpu_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kAnyPlacement = ~0U;

// The GPU lends out vGPUs from now on, as under a driver with the vGPU manager.
struct HostVgpus {
  std::uint32_t enabled;  // 0: it is an ordinary GPU again
};
// kNotSupported: neither its board nor the machine has vGPU types. kInUse: vGPUs run on it.
Code make(const HostVgpus& change, GpuEdit& gpu);

// NVML's nvmlDeviceSetVgpuHeterogeneousMode. kInUse while vGPUs run.
struct SetVgpuHeterogeneousMode {
  std::uint32_t enabled;
};
Code make(const SetVgpuHeterogeneousMode& change, GpuEdit& gpu);

// Texts that are empty are made up. What the guest tells of itself comes later, by `nvmlab set vgpu.instances[N]....`.
struct CreateVgpu {
  std::uint32_t gpu;
  std::uint32_t type;
  std::uint32_t placement;  // kAnyPlacement: the first that is free
  std::uint32_t vm_id_type;
  std::uint64_t used_bytes;
  char vm_id[40];
  char uuid[40];
  char mdev_uuid[40];
  char guest_driver[24];
  std::uint32_t licensed;
};
struct EndVgpu {
  std::uint32_t id;
};
// As all of them do when the driver goes. False where there is none.
struct VgpuEdit;
bool end_all_vgpus(VgpuEdit& host);

struct SetVgpuEncoderCapacity {
  std::uint32_t id;
  std::uint32_t percent;
};
struct ClearVgpuAccounting {
  std::uint32_t id;
};
// Zeros stand for what the driver takes by itself. The length of a turn counts where there is no adaptive round robin.
struct SetVgpuScheduler {
  std::uint32_t gpu;
  std::uint32_t policy;
  std::uint32_t adaptive;
  std::uint32_t average_factor;
  std::uint32_t frequency_hz;
  std::uint32_t timeslice_ns;
};

// Which vGPU versions guests may have; the caller knows what the driver can.
struct SetVgpuVersions {
  std::uint32_t lowest;
  std::uint32_t highest;
};

// The vGPUs of a machine while a change is made; GPUs as they are published.
struct VgpuEdit {
  NodeEdit& node;
  const Store& store;

  const Vgpu& view() const { return node.view(&Node::vgpu); }
  Vgpu& edit() { return node.edit(&Node::vgpu); }
};

// kNotSupported: the GPU lends out no vGPUs. kInvalidArgument: no such GPU, type or placement. kInUse: the UUID is
// taken, or something lies there. kInvalidState: others run that this one cannot run beside, or it wants a GPU instance
// and MIG is off, or the other way round. kInsufficientResources: no room on the GPU, no free GPU instance of its
// profile, no memory, or no room in a list.
Code make(const CreateVgpu& change, VgpuEdit& host);
// kNotFound: no vGPU has this number; also of the next two.
Code make(const EndVgpu& change, VgpuEdit& host);
Code make(const SetVgpuEncoderCapacity& change, VgpuEdit& host);
Code make(const ClearVgpuAccounting& change, VgpuEdit& host);
// kInUse: vGPUs run on the GPU.
Code make(const SetVgpuScheduler& change, VgpuEdit& host);
// kInUse: vGPUs run on any GPU.
Code make(const SetVgpuVersions& change, VgpuEdit& host);

}  // namespace nvmlab
