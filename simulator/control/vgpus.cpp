// SPDX-License-Identifier: Apache-2.0
#include "control/vgpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "control/machine.hpp"
#include "control/refusals.hpp"

namespace nvmlab::control {
namespace {

bool names(const VgpuType& type, const std::string& word) {
  const std::string name = type.name;
  if (const auto number = whole_number(word)) return *number == type.id;
  return name == word || name.ends_with("-" + word) || name.ends_with(" " + word);
}

std::string why_refused(Code code, const Change& change) {
  CreateVgpu asked{};
  if (holds<CreateVgpu>(change)) asked = body_of<CreateVgpu>(change);
  switch (code) {
    case kInUse:
      return change.target.is_gpu()
                 ? fmt::format("GPU {}: vGPUs run on it; `nvmlab vgpu rm --all` ends them", change.target.gpu)
                 : fmt::format("GPU {}: its place or its UUID is taken", asked.gpu);
    case kNotSupported:
      return fmt::format("GPU {}: no vGPU types of its board are known; a profile can list them (vgpu.types)",
                         change.target.gpu);
    case kInvalidState:
      return fmt::format(
          "GPU {}: vGPUs of another size run there, or the type wants a GPU instance and MIG is off (`nvidia-smi -mig "
          "1`), "
          "or it wants none and MIG is on",
          asked.gpu);
    case kInsufficientResources:
      return fmt::format(
          "GPU {}: there is no room for another vGPU of type {}; one that wants a GPU instance takes one that "
          "`nvidia-smi "
          "mig -cgi` has made",
          asked.gpu, asked.type);
    case kInvalidArgument:
      return fmt::format("GPU {}: a vGPU of type {} cannot lie there; `nvidia-smi vgpu -s -v` lists where", asked.gpu,
                         asked.type);
    default:
      return refusal(code, change, "vgpu");
  }
}

// Returns the ID of the vGPU that each change created; 0: none.
std::expected<std::vector<std::uint32_t>, std::string> apply_to_vgpus(Machine& machine,
                                                                      const std::vector<Change>& changes) {
  MachineAccess access{machine.store(), machine.file(), true};
  std::vector<Created> created(changes.size());
  const Applied applied = apply(access, changes.data(), static_cast<std::uint32_t>(changes.size()), created.data());
  if (applied.code != kSuccess) return std::unexpected(why_refused(applied.code, changes[applied.failed]));
  std::vector<std::uint32_t> ids;
  for (const Created& each : created)
    ids.push_back(each.id);
  return ids;
}

}  // namespace

std::expected<VgpuType, std::string> find_type(const Machine& machine, std::uint32_t gpu, const std::string& word) {
  const Store& store = machine.store();
  if (!nvmlab::hosts_vgpus(store, gpu))
    return std::unexpected(
        fmt::format("GPU {} lends out no vGPUs; `nvmlab vgpu host --gpu {}` makes it a host", gpu, gpu));
  const VgpuTypes types(store, gpu);
  VgpuType type{};
  std::optional<VgpuType> found;
  for (std::uint32_t i = 0; types.at(i, &type); ++i) {
    // The end of a name is that of one that shares time before that of one in a GPU instance ("1-5C").
    if (names(type, word) && (!found || std::strlen(type.name) < std::strlen(found->name))) found = type;
  }
  if (found) return *found;
  return std::unexpected(fmt::format("GPU {} has no vGPU type {}; `nvmlab vgpu types --gpu {}` lists those that it has",
                                     gpu, in_quotes(word), gpu));
}

std::vector<OfferedType> offered_types(const Machine& machine, std::uint32_t gpu) {
  const Store& store = machine.store();
  std::vector<OfferedType> all;
  if (!nvmlab::hosts_vgpus(store, gpu)) return all;
  const VgpuTypes types(store, gpu);
  const VgpuLoad load = consistent(store.node, [&](const Node& node) { return vgpu_load(node.vgpu, types, gpu); });
  const VgpuHost host{store, gpu, heterogeneous_vgpus(store, gpu)};
  const auto room = [&](const VgpuType& type) {
    if (vgpu_creatable(type, types, load, host) != kSuccess) return 0U;
    if (types.cut()) return static_cast<std::uint32_t>(std::popcount(free_gpu_instances(store, gpu, type, load)));
    return host.heterogeneous ? creatable_placements(type, types, load, true).count : type.max_instances - load.count;
  };
  VgpuType type{};
  for (std::uint32_t i = 0; types.at(i, &type); ++i) {
    all.push_back({type, room(type)});
  }
  return all;
}

std::vector<VgpuInstance> running_vgpus(const Machine& machine, std::span<const std::uint32_t> gpus) {
  const Store& store = machine.store();
  std::vector<VgpuInstance> all;
  const std::uint32_t count = consistent(store.node, [](const Node& node) { return length_of(node.vgpu.instances); });
  for (std::uint32_t i = 0; i < count; ++i) {
    const VgpuInstance each =
        consistent(store.node, [i](const Node& node) { return load(node.vgpu.instances.items[i]); });
    if (std::ranges::find(gpus, each.gpu.value_or(~0U)) != gpus.end()) all.push_back(each);
  }
  return all;
}

std::string type_name(const Machine& machine, const VgpuInstance& vgpu) {
  VgpuType type{};
  const bool found = VgpuTypes(machine.store(), vgpu.gpu.value_or(0)).find(vgpu.type.value_or(0), &type);
  return found ? type.name : fmt::format("type {}", vgpu.type.value_or(0));
}

std::expected<void, std::string> host_vgpus(Machine& machine, std::span<const std::uint32_t> gpus, bool enabled) {
  std::vector<Change> changes;
  for (const std::uint32_t gpu : gpus)
    changes.push_back(make_change(gpu, HostVgpus{enabled ? 1U : 0U}));
  const auto applied = apply_to_vgpus(machine, changes);
  if (!applied) return std::unexpected(applied.error());
  return {};
}

std::expected<std::vector<std::uint32_t>, std::string> create_vgpus(Machine& machine,
                                                                    std::span<const CreateVgpu> vgpus) {
  std::vector<Change> changes;
  for (const CreateVgpu& each : vgpus)
    changes.push_back(make_change(MachinePart::vgpus, each));
  return apply_to_vgpus(machine, changes);
}

std::expected<void, std::string> end_vgpus(Machine& machine, std::span<const std::uint32_t> ids) {
  std::vector<Change> changes;
  for (const std::uint32_t id : ids)
    changes.push_back(make_change(MachinePart::vgpus, EndVgpu{id}));
  const auto applied = apply_to_vgpus(machine, changes);
  if (!applied) return std::unexpected(applied.error());
  return {};
}

}  // namespace nvmlab::control
