// SPDX-License-Identifier: Apache-2.0
//
// MIG from all inputs that know of it: kinds of GPU instances with the places where they fit. What a GPU is cut into,
// infer_instances.cpp tells. Tests: tests/unit/import/mig_test.cpp.
#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>

#include <fmt/format.h>

#include "compiler/texts.hpp"
#include "import/infer/infer.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab::importer {
namespace {

// What a name says: "MIG 1g.10gb+me".
struct MigName {
  std::uint32_t slices = 0;
  std::uint32_t gigabytes = 0;
  std::string suffix;  // "+me"
};

std::optional<MigName> parse_name(std::string_view text) {
  const auto blank = text.rfind(' ');
  if (blank != std::string_view::npos) text.remove_prefix(blank + 1);
  MigName name;
  int read = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%3ug.%5ugb%n", &name.slices, &name.gigabytes, &read) != 2 || read == 0)
    return std::nullopt;
  name.suffix = copy.substr(static_cast<std::size_t>(read));
  return name;
}

// By slices, by what is special, and whether it has twice the usual memory of its slices.
std::optional<std::uint32_t> number_of(const MigName& name, bool more_memory) {
  const auto by_slices = [&](std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> rows) {
    for (const auto& [slices, number] : rows) {
      if (slices == name.slices) return std::optional(number);
    }
    return std::optional<std::uint32_t>();
  };
  using namespace nvml::abi;
  if (name.suffix.starts_with("+me.all"))
    return by_slices({{1, GPU_INSTANCE_PROFILE_1_SLICE_ALL_ME}, {2, GPU_INSTANCE_PROFILE_2_SLICE_ALL_ME}});
  if (name.suffix.starts_with("+me"))
    return by_slices({{1, GPU_INSTANCE_PROFILE_1_SLICE_REV1}, {2, GPU_INSTANCE_PROFILE_2_SLICE_REV1}});
  if (name.suffix.starts_with("-me"))
    return by_slices({{1, GPU_INSTANCE_PROFILE_1_SLICE_NO_ME}, {2, GPU_INSTANCE_PROFILE_2_SLICE_NO_ME}});
  if (name.suffix.starts_with("+gfx")) {
    return by_slices({{1, GPU_INSTANCE_PROFILE_1_SLICE_GFX},
                      {2, GPU_INSTANCE_PROFILE_2_SLICE_GFX},
                      {4, GPU_INSTANCE_PROFILE_4_SLICE_GFX}});
  }
  if (!name.suffix.empty()) return std::nullopt;
  if (more_memory && name.slices == 1) return GPU_INSTANCE_PROFILE_1_SLICE_REV2;
  return by_slices({{1, GPU_INSTANCE_PROFILE_1_SLICE},
                    {2, GPU_INSTANCE_PROFILE_2_SLICE},
                    {3, GPU_INSTANCE_PROFILE_3_SLICE},
                    {4, GPU_INSTANCE_PROFILE_4_SLICE},
                    {6, GPU_INSTANCE_PROFILE_6_SLICE},
                    {7, GPU_INSTANCE_PROFILE_7_SLICE},
                    {8, GPU_INSTANCE_PROFILE_8_SLICE}});
}

// Of the profile with as many slices and the least memory: what a slice usually has.
bool has_more_memory(const MigName& name, const std::map<std::uint32_t, MigProfile>& all) {
  return std::ranges::any_of(all, [&](const auto& entry) {
    const auto other = parse_name(entry.second.name);
    return other && other->suffix.empty() && other->slices == name.slices && other->gigabytes < name.gigabytes;
  });
}

// Memory slices by the memory in the names: the largest profile has all eight.
std::uint32_t memory_slices(const MigName& name, const std::map<std::uint32_t, MigProfile>& all) {
  std::uint32_t most = 0;
  for (const auto& [id, profile] : all) {
    if (const auto other = parse_name(profile.name)) most = std::max(most, other->gigabytes);
  }
  if (most == 0) return 0;
  for (std::uint32_t slices = 1; slices < 8; slices *= 2) {
    if (name.gigabytes * 8 <= most * slices + most / 2) return slices;
  }
  return 8;
}

// Where nothing prints places: side by side from the first slice on, as many as fit.
std::vector<std::uint32_t> usual_starts(const MigProfile& profile, const MigName& name, std::uint32_t size,
                                        const std::map<std::uint32_t, MigProfile>& all) {
  std::uint32_t count = profile.instances;
  for (const auto& [id, other] : all) {  // one of a kind with a special engine can lie where its plain sister can
    const auto its = parse_name(other.name);
    if (its && its->suffix.empty() && its->slices == name.slices && its->gigabytes == name.gigabytes)
      count = std::max(count, other.instances);
  }
  std::vector<std::uint32_t> starts;
  for (std::uint32_t i = 0; i < count && (i + 1) * size <= 8; ++i)
    starts.push_back(i * size);
  return starts;
}

void profiles(Evidence& evidence, Subject& gpu) {
  const auto& lists = gpu.lists;
  if (lists.mig_profiles.empty()) {
    if (!lists.mig_placements.empty()) {
      const auto& place = lists.mig_placements.begin()->second.origin.place;
      evidence.notes.push_back(fmt::format(
          "{}:{}: places without the table of profiles (nvidia-smi mig -lgip) are left out", *place.file, place.line));
    }
    return;
  }
  constexpr std::size_t kRoom = 16;
  if (lists.mig_profiles.size() > kRoom) {
    evidence.problems.push_back(lists.mig_profiles.begin()->second.origin.place.error(
        fmt::format("{} kinds of GPU instances; no chip has more than {}", lists.mig_profiles.size(), kRoom)));
    return;
  }
  compiler::LiteralList rows;
  bool assumed = false;
  for (const auto& [id, profile] : lists.mig_profiles) {
    const auto name = parse_name(profile.name);
    const auto number = name ? number_of(*name, has_more_memory(*name, lists.mig_profiles)) : std::nullopt;
    const auto& place = profile.origin.place;
    if (!number) {
      evidence.notes.push_back(fmt::format("{}:{}: the kind of GPU instance {} is not known and left out", *place.file,
                                           place.line, compiler::yaml_scalar(profile.name)));
      continue;
    }
    const auto placed = lists.mig_placements.find(id);
    const bool known = placed != lists.mig_placements.end();
    const auto size = known ? placed->second.size : memory_slices(*name, lists.mig_profiles);
    const auto starts = known ? placed->second.starts : usual_starts(profile, *name, size, lists.mig_profiles);
    assumed = assumed || !known;
    compiler::LiteralRecord row = profile.members;
    row.merge(compiler::LiteralRecord{{"number", *number},
                                      {"id", id},
                                      {"name", profile.name},
                                      {"slices", name->slices},
                                      {"instances", profile.instances},
                                      {"memory_slices", size},
                                      {"starts", starts}});
    rows.emplace_back(std::move(row));
  }
  const auto& first = lists.mig_profiles.begin()->second.origin;
  const auto source = assumed ? evidence.add_note("mig", first.source, "where instances fit is assumed") : first.source;
  evidence.observe(gpu, "mig.profiles", rows, {source, first.place});
}

// `nvidia-smi -L` prints MIG devices without these ids.
void note_devices_without_ids(Evidence& evidence, const Subject& gpu) {
  const auto& devices = gpu.lists.mig_devices;
  const auto has_no_id = [](const auto& entry) { return !entry.second.members.contains("gpu_instance"); };
  const auto count = std::ranges::count_if(devices, has_no_id);
  if (count == 0) return;
  const yaml::Place& place = std::ranges::find_if(devices, has_no_id)->second.origin.place;
  evidence.note(
      fmt::format("{}:{}: {}: {} MIG device{} without the id of the GPU instance {} left out; the table of "
                  "`nvidia-smi` has the ids",
                  *place.file, place.line, gpu.who, count, count == 1 ? "" : "s", count == 1 ? "is" : "are"));
}

// With MIG on, nvidia-smi's table prints errors of on-chip memory for each MIG device and not for the board. It hides
// the MIG devices of a board that does not count them.
void count_errors(Evidence& evidence, Subject& gpu) {
  constexpr std::string_view field = "ecc.uncorrected_volatile.sram";
  std::map<std::uint64_t, std::uint64_t> errors;  // by GPU instance, whose devices print the same number
  for (const auto& [index, device] : gpu.lists.mig_devices) {
    const auto instance = device.members.find("gpu_instance");
    const auto count = device.members.find("uncorrected_errors");
    if (instance == device.members.end() || count == device.members.end()) continue;
    errors[instance->second.get_if<compiler::Number>()->magnitude] =
        count->second.get_if<compiler::Number>()->magnitude;
  }
  if (errors.empty() || gpu.find(field) != nullptr) return;
  const auto counts = std::views::values(errors);
  evidence.observe(gpu, field, std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}),
                   gpu.lists.mig_devices.begin()->second.origin);
}

// What a GPU refuses because MIG is on says nothing of the board: it comes back when MIG is switched off.
void forget_refusals(Subject& gpu) {
  const FieldValue* mode = gpu.value("modes.mig");
  if (mode == nullptr || mode->number().value_or(0) == 0) return;
  constexpr std::string_view refused[] = {"identity.core_count",
                                          "utilization.gpu_percent",
                                          "utilization.memory_percent",
                                          "utilization.encoder_percent",
                                          "utilization.decoder_percent",
                                          "utilization.jpeg_percent",
                                          "utilization.ofa_percent",
                                          "ecc.remapped_correctable",
                                          "ecc.remapped_uncorrectable",
                                          "ecc.remapped_correctable_inactive",
                                          "ecc.remapped_uncorrectable_inactive",
                                          "ecc.remap_pending",
                                          "ecc.remap_failed"};
  for (const std::string_view field : refused) {
    if (gpu.find(field) != nullptr && gpu.value(field) == nullptr) gpu.observed.erase(std::string(field));
  }
}

}  // namespace

void infer_mig(Evidence& evidence) {
  for (Subject& gpu : evidence.gpus) {
    profiles(evidence, gpu);
    note_devices_without_ids(evidence, gpu);
    infer_instances(evidence, gpu);
    count_errors(evidence, gpu);
    forget_refusals(gpu);
  }
}

}  // namespace nvmlab::importer
