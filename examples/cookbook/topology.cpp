// SPDX-License-Identifier: Apache-2.0
// How near each GPU is to each other one: by NVLink, or through which part of the host.
#include <iomanip>
#include <iostream>
#include <nvmlab/nvml.hpp>
#include <string>

namespace {

// Links that lead to that GPU, or to a switch that all GPUs hang on.
unsigned links_between(const nvml::Device& from, const nvml::Device& to) {
  const auto bus = to.pci_info();
  unsigned links = 0;
  for (unsigned link = 0; bus && link < nvml::abi::NVLINK_MAX_LINKS; ++link) {
    if (!from.nvlink_state(link).value_or(false)) continue;
    const auto there = from.nvlink_remote_pci_info(link);
    const bool to_switch = from.nvlink_remote_device_type(link) == nvml::NvlinkDeviceType::switch_;
    if (to_switch || (there && there->bus_id == bus->bus_id)) ++links;
  }
  return links;
}

std::string path(const nvml::Device& from, const nvml::Device& to) {
  if (const unsigned links = links_between(from, to); links > 0) return "NV" + std::to_string(links);
  const auto level = from.topology_common_ancestor(to);
  if (!level) return level.error().message();
  switch (*level) {
    case nvml::TopologyLevel::internal:
      return "same board";
    case nvml::TopologyLevel::single:
      return "PIX";
    case nvml::TopologyLevel::multiple:
      return "PXB";
    case nvml::TopologyLevel::hostbridge:
      return "PHB";
    case nvml::TopologyLevel::node:
      return "NODE";
    default:
      return "SYS";
  }
}

}  // namespace

int main() {
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  const auto devices = library->devices();
  for (const nvml::Device& from : devices) {
    for (const nvml::Device& to : devices)
      std::cout << std::setw(6) << (&from == &to ? "X" : path(from, to));
    std::cout << '\n';
  }
}
