// SPDX-License-Identifier: Apache-2.0
// vGPU hosting on GPUs of a machine: types, running vGPUs, and their creation. Tests: tests/command/vgpu_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab {

class Machine;

namespace control {

// A type of a GPU, and how many more vGPUs of it can be created now.
struct OfferedType {
  VgpuType type;
  std::uint32_t creatable;
};
std::vector<OfferedType> offered_types(const Machine& machine, std::uint32_t gpu);

// Returns the type of a GPU by its number, its name or the end of its name: "470", "GRID A100-8C", "8C". The error is a
// sentence.
std::expected<VgpuType, std::string> find_type(const Machine& machine, std::uint32_t gpu, const std::string& word);

// Returns the vGPUs on these GPUs, in the order of their IDs.
std::vector<VgpuInstance> running_vgpus(const Machine& machine, std::span<const std::uint32_t> gpus);
std::string type_name(const Machine& machine, const VgpuInstance& vgpu);  // "type 470" if the GPU no longer has it

// Each of these makes all changes or none. The errors are sentences.
std::expected<void, std::string> host_vgpus(Machine& machine, std::span<const std::uint32_t> gpus, bool enabled);
// Returns the IDs of the new vGPUs.
std::expected<std::vector<std::uint32_t>, std::string> create_vgpus(Machine& machine,
                                                                    std::span<const CreateVgpu> vgpus);
std::expected<void, std::string> end_vgpus(Machine& machine, std::span<const std::uint32_t> ids);

}  // namespace control
}  // namespace nvmlab
