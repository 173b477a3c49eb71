// SPDX-License-Identifier: Apache-2.0
//
// What a host of vGPUs has: the types of its GPUs, the vGPUs that run, and which can be created beside them. Read from
// the published state, by getters and under the WriteLock alike. Tests: tests/unit/changes/vgpu_test.cpp,
// tests/drivers/functions/vgpu_host_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/store.hpp"
#include "engine/topics/modes/mode_changes.hpp"
#include "engine/topics/vgpu/vgpu_type.hpp"

namespace nvmlab {

using VgpuInstance = Vgpu::Instance;

// Whether GPU `index` lends out vGPUs; one that was never built does as its image says.
bool hosts_vgpus(const Store& store, std::uint32_t index);

// What the types of a GPU depend on. Types that the machine lists come before those of the board.
class VgpuTypes {
 public:
  VgpuTypes(const Store& store, std::uint32_t gpu);

  std::uint32_t gib() const { return gib_; }
  bool sriov() const { return sriov_; }
  bool any() const { return listed_ > 0 || board_ != nullptr; }
  // Whether the GPU is cut by MIG: then it lends out its GPU instances, and else its time.
  bool cut() const { return cut_; }
  // False behind the last one.
  bool at(std::uint32_t index, VgpuType* out) const;
  bool find(std::uint32_t id, VgpuType* out) const;

 private:
  const Store& store_;
  const VgpuBoard* board_;
  std::uint32_t listed_;
  std::uint32_t gib_;
  bool sriov_;
  bool cut_;
};

// The type of this number on any GPU of the machine that lends out vGPUs.
bool find_vgpu_type(const Store& store, std::uint32_t id, VgpuType* out);

// What the vGPUs of one GPU take of it.
struct VgpuLoad {
  std::uint32_t count = 0;
  std::uint32_t size = 0;  // slots of the first one
  std::uint64_t taken[8] = {};
  std::uint32_t instances = 0;  // bit N: the GPU instance with this id

  void take(std::uint32_t at, std::uint32_t slots);
  bool free(std::uint32_t at, std::uint32_t slots) const;
};
VgpuLoad vgpu_load(const Vgpu& host, const VgpuTypes& types, std::uint32_t gpu);

// Whether vGPUs of unlike sizes may run on the GPU together.
bool heterogeneous_vgpus(const Store& store, std::uint32_t gpu);

// Where one more vGPU of the type may lie now.
Placements creatable_placements(const VgpuType& type, const VgpuTypes& types, const VgpuLoad& load, bool heterogeneous);

// GPU instances that a vGPU of the type can live in now: bit N is the one with this id.
std::uint32_t free_gpu_instances(const Store& store, std::uint32_t gpu, const VgpuType& type, const VgpuLoad& load);

// kSuccess where one more vGPU of the type can be created, whatever lies where; else why not.
struct VgpuHost {
  const Store& store;
  std::uint32_t gpu;
  bool heterogeneous;
};
Code vgpu_creatable(const VgpuType& type, const VgpuTypes& types, const VgpuLoad& load, const VgpuHost& host);

// The vGPU with this number, as it is published; false where none runs.
bool find_vgpu(const Store& store, std::uint32_t id, VgpuInstance* out);
bool vgpus_run_on(const Store& store, std::uint32_t gpu);

}  // namespace nvmlab
