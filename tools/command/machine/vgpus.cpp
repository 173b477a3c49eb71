// SPDX-License-Identifier: Apache-2.0
#include "command/machine/vgpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compiler/numbers.hpp"
#include "command/machine/machines.hpp"

namespace nvmlab::tool {
namespace {

template <std::size_t N>
std::optional<std::string> put_word(const std::optional<std::string>& word, const char* option, char (&to)[N]) {
  if (!word) return std::nullopt;
  if (word->empty() || word->size() >= N)
    return fmt::format("{} takes 1 to {} characters, not {}", option, N - 1, in_quotes(*word));
  std::ranges::copy(*word, to);
  return std::nullopt;
}

// A number, a name, or the end of one: "470", "GRID A100-8C", "8C".
bool names(const VgpuType& type, const std::string& word) {
  const std::string name = type.name;
  if (const auto number = whole_number(word)) return *number == type.id;
  return name == word || name.ends_with("-" + word) || name.ends_with(" " + word);
}

std::expected<VgpuType, std::string> type_of_gpu(const Store& store, std::uint32_t gpu, const std::string& word) {
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

std::optional<std::string> put_numbers(const VgpuWords& words, CreateVgpu& change) {
  change.placement = kAnyPlacement;
  if (words.placement) {
    const auto placement = whole_number(*words.placement);
    if (!placement || *placement >= kNoPlacement)
      return fmt::format("--placement takes a number of GiB, not {}", in_quotes(*words.placement));
    change.placement = static_cast<std::uint32_t>(*placement);
  }
  if (words.memory) {
    const auto value = compiler::parse_quantity(*words.memory, "B");
    if (!value || value->negative)
      return fmt::format("--memory takes bytes, KiB, MiB or GiB, such as 1GiB, not {}", in_quotes(*words.memory));
    change.used_bytes = value->magnitude;
  }
  return std::nullopt;
}

std::expected<CreateVgpu, std::string> read_vgpu(const VgpuWords& words, const Store& store, std::uint32_t gpu) {
  const auto type = type_of_gpu(store, gpu, words.type);
  if (!type) return std::unexpected(type.error());
  CreateVgpu change{};
  change.gpu = gpu;
  change.type = type->id;
  change.licensed = words.licensed ? 1 : 0;
  change.vm_id_type = words.vm && whole_number(*words.vm) ? 0 : 1;
  auto wrong = put_numbers(words, change);
  if (!wrong) wrong = put_word(words.vm, "--vm", change.vm_id);
  if (!wrong) wrong = put_word(words.uuid, "--uuid", change.uuid);
  if (!wrong) wrong = put_word(words.mdev_uuid, "--mdev", change.mdev_uuid);
  if (!wrong) wrong = put_word(words.guest_driver, "--guest-driver", change.guest_driver);
  if (!wrong && change.used_bytes > type->fb_bytes)
    wrong = fmt::format("a {} has {} MiB, not {}", type->name, type->fb_bytes >> 20, *words.memory);
  if (wrong) return std::unexpected(*wrong);
  return change;
}

std::string why_refused(Code code, const Change& change) {
  CreateVgpu asked{};
  if (holds<CreateVgpu>(change)) asked = body_of<CreateVgpu>(change);
  switch (code) {
    case kInUse:
      return change.target.is_gpu() ? fmt::format("GPU {}: vGPUs run on it; `nvmlab vgpu rm --all` ends them", change.target.gpu)
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

}  // namespace

std::expected<std::vector<Change>, std::string> read_vgpus(const VgpuWords& words, const Store& store,
                                                           const std::vector<std::uint32_t>& gpus) {
  std::vector<Change> changes;
  for (const std::uint32_t gpu : gpus) {
    const auto change = read_vgpu(words, store, gpu);
    if (!change) return std::unexpected(change.error());
    changes.push_back(make_change(MachinePart::vgpus, *change));
  }
  return changes;
}

std::vector<OfferedType> offered_types(const Store& store, std::uint32_t gpu) {
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

std::vector<VgpuInstance> running_vgpus(const Store& store, const std::vector<std::uint32_t>& gpus) {
  std::vector<VgpuInstance> all;
  const std::uint32_t count = consistent(store.node, [](const Node& node) { return length_of(node.vgpu.instances); });
  for (std::uint32_t i = 0; i < count; ++i) {
    const VgpuInstance each =
        consistent(store.node, [i](const Node& node) { return load(node.vgpu.instances.items[i]); });
    if (std::ranges::find(gpus, each.gpu.value_or(~0U)) != gpus.end()) all.push_back(each);
  }
  return all;
}

std::expected<std::vector<std::uint32_t>, std::string> apply_to_vgpus(Store& store, StoreFile& file,
                                                                      const std::vector<Change>& changes) {
  MachineAccess machine{store, file, true};
  std::vector<Created> created(changes.size());
  const Applied applied =
      apply(machine, changes.data(), static_cast<std::uint32_t>(changes.size()), created.data());
  if (applied.code != kSuccess) return std::unexpected(why_refused(applied.code, changes[applied.failed]));
  std::vector<std::uint32_t> ids;
  for (const Created& each : created)
    ids.push_back(each.id);
  return ids;
}

std::optional<std::string> host_vgpus(Store& store, StoreFile& file, const std::vector<std::uint32_t>& gpus,
                                      bool enabled) {
  std::vector<Change> changes;
  for (const std::uint32_t gpu : gpus)
    changes.push_back(make_change(gpu, HostVgpus{enabled ? 1U : 0U}));
  const auto applied = apply_to_vgpus(store, file, changes);
  return applied ? std::nullopt : std::optional(applied.error());
}

}  // namespace nvmlab::tool
