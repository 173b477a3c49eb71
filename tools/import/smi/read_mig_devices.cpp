// SPDX-License-Identifier: Apache-2.0
//
// The MIG devices of one GPU in a log of nvidia-smi. Tests: tests/unit/import/mig_test.cpp.
#include <map>

#include "import/formats/section_reader.hpp"
#include "import/smi/read_log.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

struct DeviceLeaf {
  std::string_view printed;  // the end of the leaf's path, in either format
  std::string_view member;
  bool mebibytes;
};

constexpr DeviceLeaf kDeviceLeaves[] = {
    {"gpu_instance_id", "gpu_instance", false},
    {"GPU Instance ID", "gpu_instance", false},
    {"compute_instance_id", "compute_instance", false},
    {"Compute Instance ID", "compute_instance", false},
    {"shared/multiprocessor_count", "multiprocessors", false},
    {"Shared/Multiprocessor count", "multiprocessors", false},
    {"shared/copy_engine_count", "copy_engines", false},
    {"Shared/Copy Engine count", "copy_engines", false},
    {"shared/encoder_count", "encoders", false},
    {"Shared/Encoder count", "encoders", false},
    {"shared/decoder_count", "decoders", false},
    {"Shared/Decoder count", "decoders", false},
    {"shared/ofa_count", "ofas", false},
    {"Shared/OFA count", "ofas", false},
    {"shared/jpg_count", "jpegs", false},
    {"Shared/JPG count", "jpegs", false},
    {"fb_memory_usage/total", "memory_total_bytes", true},
    {"FB Memory Usage/Total", "memory_total_bytes", true},
    {"fb_memory_usage/reserved", "memory_reserved_bytes", true},
    {"FB Memory Usage/Reserved", "memory_reserved_bytes", true},
    {"fb_memory_usage/used", "memory_used_bytes", true},
    {"FB Memory Usage/Used", "memory_used_bytes", true},
    {"bar1_memory_usage/total", "bar1_total_bytes", true},
    {"BAR1 Memory Usage/Total", "bar1_total_bytes", true},
    {"BAR1 Memory/Total", "bar1_total_bytes", true},
    {"bar1_memory_usage/used", "bar1_used_bytes", true},
    {"BAR1 Memory Usage/Used", "bar1_used_bytes", true},
    {"BAR1 Memory/Used", "bar1_used_bytes", true},
};

}  // namespace

void read_mig_devices(const LogReading& reading, std::span<const capture::Leaf* const> leaves, Subject& subject) {
  const bool xml = reading.capture.format == capture::Format::xml;
  const std::string_view list = xml ? "mig_devices/mig_device[" : "MIG Device[";
  constexpr std::uint64_t kMostDevices = 64;
  std::map<std::uint64_t, MigDevice> found;  // by the place in the list
  std::map<std::uint64_t, std::uint64_t> indices;
  for (const auto* leaf : leaves) {
    if (!leaf->path.starts_with(list)) continue;
    const auto close = leaf->path.find("]/", list.size());
    if (close == std::string::npos) continue;
    const auto place = whole_number(std::string_view(leaf->path).substr(list.size(), close - list.size()));
    if (!place || *place >= kMostDevices) continue;
    const auto rest = std::string_view(leaf->path).substr(close + 2);
    if (rest == "index" || rest == "Index") {
      if (const auto index = whole_number(leaf->value); index && *index < kMostDevices) {
        indices[*place] = *index;
        reading.fates.carry(*leaf, "instances.compute_instances");
      }
      continue;
    }
    auto& device = found[*place];
    for (const DeviceLeaf& row : kDeviceLeaves) {
      if (!rest.ends_with(row.printed)) continue;
      const auto value = row.mebibytes ? read_number(leaf->value, "MiB", 1 << 20) : read_number(leaf->value, "");
      if (value) {
        if (device.members.empty()) device.origin = reading.origin(*leaf);
        reading.fates.carry(*leaf, "instances.compute_instances");
        device.members.emplace(row.member, *value);
      }
    }
  }
  for (auto& [place, device] : found) {
    if (device.members.empty()) continue;
    const auto index = indices.contains(place) ? indices[place] : place;
    auto& known = subject.lists.mig_devices[static_cast<std::uint32_t>(index)];
    if (known.members.empty()) known.origin = device.origin;
    known.members.merge(device.members);
  }
}

}  // namespace nvmlab::importer
