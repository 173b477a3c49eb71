// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/shapes/mig_subjects.hpp"

#include <cstring>

#include "drivers/nvml/mig_profiles.hpp"
#include "drivers/nvml/shapes/gates.hpp"

namespace nvmlab::driver {
namespace {

GpuInstanceFacts facts_for(const MigState& state, const MigGpuInstance& instance, const MigProfile& kind) {
  return {.handle = handle_of(state, instance),
          .device = reinterpret_cast<nvmlDevice_t>(handle_of(*state.slot)),
          .id = instance.id,
          .profile = instance.profile_id,
          .start = instance.start,
          .memory_slices = kind.memory_slices};
}

std::uint32_t slices_of(const MigState& state, const MigGpuInstance& in, std::uint32_t number) {
  const MigProfile* kind = state.board.find(in.profile_id);
  ComputeProfile profile{};
  return kind != nullptr && find_compute_profile(state.board, *kind, number, &profile) ? profile.slices : 0;
}

ComputeInstanceFacts facts_for(const MigState& state, const MigGpuInstance& in, const MigComputeInstance& instance) {
  return {.handle = handle_of(state, instance),
          .device = reinterpret_cast<nvmlDevice_t>(handle_of(*state.slot)),
          .gpu_instance = handle_of(state, in),
          .id = instance.id,
          .profile = instance.profile,
          .start = instance.start,
          .slices = slices_of(state, in, instance.profile)};
}

ComputeProfileFacts facts_for(const Cut& cut, const ComputeProfile& profile) {
  const MigProfileFacts of = facts_of(*cut.state.slot, cut.in->profile_id);
  ComputeProfileFacts facts{.id = profile.number,
                            .slices = profile.slices,
                            .instances = profile.instances,
                            .multiprocessors = profile.multiprocessors,
                            .copy_engines = of.copy_engines,
                            .decoders = cut.kind->engines[0],
                            .encoders = cut.kind->engines[1],
                            .jpegs = cut.kind->engines[2],
                            .ofas = cut.kind->engines[3],
                            .capabilities = of.graphics ? std::uint32_t{COMPUTE_INSTANCE_PROFILE_CAPS_GFX} : 0,
                            .more = remaining_compute_capacity(cut.state.board, cut.state.layout, *cut.in, profile),
                            .name = "MIG "};
  const MigName name = name_of(of.name, profile.slices, cut.kind->slices);
  std::memcpy(facts.name + 4, name.text, sizeof facts.name - 4);
  facts.name[sizeof facts.name - 1] = '\0';
  return facts;
}

}  // namespace

// Clients count up from zero until they are told that there is no such number; drivers know more and more of them.
const MigProfile* find_profile(const MigState& state, std::uint32_t id) {
  const MigProfile* found = state.board.find(id);
  return found != nullptr && found->number < simulated_driver().gpu_instance_profiles ? found : nullptr;
}

nvmlReturn_t may_list(const MigState& state) {
  if (!state.on) return NVML_ERROR_NOT_SUPPORTED;
  return may(Role::mig_monitor) ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
}

nvmlReturn_t find_cut(const Store& store, nvmlGpuInstance_t handle, Cut* cut) {
  const nvmlReturn_t code = find_instance(store, handle, &cut->state, &cut->in);
  if (code != NVML_SUCCESS) return code;
  cut->kind = cut->state.board.find(cut->in->profile_id);
  return cut->kind == nullptr ? NVML_ERROR_UNKNOWN : NVML_SUCCESS;
}

nvmlReturn_t find_profile_of(const Cut& cut, std::uint32_t number, ComputeProfile* profile) {
  if (number >= kComputeProfiles) return NVML_ERROR_INVALID_ARGUMENT;
  return find_compute_profile(cut.state.board, *cut.kind, number, profile) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t look_up(const Store& store, nvmlGpuInstance_t handle, GpuInstanceFacts* facts) {
  Cut cut{};
  if (const nvmlReturn_t code = find_cut(store, handle, &cut); code != NVML_SUCCESS) return code;
  *facts = facts_for(cut.state, *cut.in, *cut.kind);
  return NVML_SUCCESS;
}

nvmlReturn_t look_up(const Device& gpu, std::uint32_t id, GpuInstanceFacts* facts) {
  MigState state{};
  read_mig_state(gpu.store, gpu.slot, &state);
  if (const nvmlReturn_t code = may_list(state); code != NVML_SUCCESS) return code;
  const MigGpuInstance* found = state.layout.find(id);
  if (found == nullptr) return NVML_ERROR_NOT_FOUND;
  const MigProfile* kind = state.board.find(found->profile_id);
  if (kind == nullptr) return NVML_ERROR_UNKNOWN;
  *facts = facts_for(state, *found, *kind);
  return NVML_SUCCESS;
}

nvmlReturn_t look_up(const Store& store, nvmlComputeInstance_t handle, ComputeInstanceFacts* facts) {
  MigState state{};
  const MigComputeInstance* instance = nullptr;
  const nvmlReturn_t code = find_instance(store, handle, &state, &instance);
  if (code != NVML_SUCCESS) return code;
  const MigGpuInstance* in = state.layout.find(instance->gpu_instance);
  if (in == nullptr) return NVML_ERROR_UNKNOWN;
  *facts = facts_for(state, *in, *instance);
  return NVML_SUCCESS;
}

nvmlReturn_t look_up(const Store& store, nvmlGpuInstance_t in, std::uint32_t id, ComputeInstanceFacts* facts) {
  Cut cut{};
  if (const nvmlReturn_t code = find_cut(store, in, &cut); code != NVML_SUCCESS) return code;
  if (!may_view_mig()) return NVML_ERROR_NO_PERMISSION;
  const MigComputeInstance* found = cut.state.layout.find(cut.in->id, id);
  if (found == nullptr) return NVML_ERROR_NOT_FOUND;
  *facts = facts_for(cut.state, *cut.in, *found);
  return NVML_SUCCESS;
}

nvmlReturn_t look_up(const Device& gpu, std::uint32_t profile_id, GpuInstanceRoom* room) {
  MigState state{};
  read_mig_state(gpu.store, gpu.slot, &state);
  const MigProfile* profile = find_profile(state, profile_id);
  if (profile == nullptr) return NVML_ERROR_NOT_SUPPORTED;
  *room = {state.on ? remaining_capacity(state.board, state.layout, *profile) : 0};
  return NVML_SUCCESS;
}

nvmlReturn_t look_up(const Store& store, nvmlGpuInstance_t in, std::uint32_t profile, ComputeProfileFacts* facts) {
  return look_up(store, in, profile, COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED, facts);
}

nvmlReturn_t look_up(const Store& store, nvmlGpuInstance_t in, std::uint32_t profile, std::uint32_t engine_profile,
                     ComputeProfileFacts* facts) {
  Cut cut{};
  nvmlReturn_t code = find_cut(store, in, &cut);
  if (code != NVML_SUCCESS) return code;
  if (engine_profile != COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED) return NVML_ERROR_INVALID_ARGUMENT;
  ComputeProfile found{};
  if (code = find_profile_of(cut, profile, &found); code != NVML_SUCCESS) return code;
  *facts = facts_for(cut, found);
  return NVML_SUCCESS;
}

nvmlReturn_t look_up(const Device& device, MigDeviceIds* ids) {
  if (!device.is_mig()) return NVML_ERROR_NOT_SUPPORTED;
  *ids = {.handle = nullptr,
          .parent = reinterpret_cast<nvmlDevice_t>(handle_of(device.slot)),
          .gpu_instance = device.gpu_instance,
          .compute_instance = device.compute_instance};
  return NVML_SUCCESS;
}

nvmlReturn_t look_up(const Device& gpu, std::uint32_t place, MigDeviceIds* ids) {
  const Fact<std::uint32_t> mode = read_field(gpu.slot, &Gpu::modes, &Modes::mig);
  if (!mode.has_value()) return static_cast<nvmlReturn_t>(mode.code());
  const std::uint32_t most = read_field(gpu.slot, &Gpu::modes, &Modes::mig_max_devices).value_or(0);
  if (mode.value != 0 && place >= most) return NVML_ERROR_INVALID_ARGUMENT;
  MigState state{};
  read_mig_state(gpu.store, gpu.slot, &state);
  if (place >= state.layout.compute_instances) return NVML_ERROR_NOT_FOUND;
  const MigComputeInstance& found = state.layout.compute_instance[place];
  *ids = {.handle = device_of(state, found),
          .parent = reinterpret_cast<nvmlDevice_t>(handle_of(gpu.slot)),
          .gpu_instance = found.gpu_instance,
          .compute_instance = found.id};
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver
