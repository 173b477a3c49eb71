// SPDX-License-Identifier: Apache-2.0
#include "control/gpu_files.hpp"

#include <fmt/format.h>

#include <string_view>

#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab::control {
namespace {

constexpr std::uint32_t kNvidia = 0x10DE;
// Of 3D controllers, which boards without a display are.
constexpr std::uint32_t kDisplayClass = 3;
constexpr std::uint32_t k3dController = 2;

// The first 64 bytes of the configuration space, which tell what the device is; nothing is set up in them.
std::string configuration(std::uint32_t device_id, std::uint32_t subsystem_id, std::uint32_t device_class) {
  std::string bytes(64, '\0');
  const auto put = [&bytes](std::size_t at, std::uint32_t value, int length) {
    for (int i = 0; i < length; ++i)
      bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i) & 0xFF);
  };
  put(0x00, device_id & 0xFFFF, 2);
  put(0x02, device_id >> 16, 2);
  put(0x09, device_class, 3);
  put(0x2C, subsystem_id & 0xFFFF, 2);
  put(0x2E, subsystem_id >> 16, 2);
  return bytes;
}

}  // namespace

std::uint32_t minor_number(const GpuSlot& slot, std::uint32_t index) {
  return read_field(slot, &Gpu::identity, &Identity::minor_number).value_or(index);
}

std::string bus_location(const GpuSlot& slot) {
  const PciAddress address = consistent(slot, [](const Gpu& gpu) { return address_of(gpu.pci); });
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device, address.function);
}

std::string gpu_information(const GpuSlot& slot, std::uint32_t index) {
  const auto identity = [&slot](auto member) { return read_field(slot, &Gpu::identity, member); };
  const auto text = [](const auto& fact) { return fact.has_value() ? std::string(fact.data) : std::string("N/A"); };
  return fmt::format(
      "Model: \t\t {}\nIRQ:   \t\t {}\nGPU UUID: \t {}\nVideo BIOS: \t {}\nBus Type: \t PCIe\nBus Location: \t {}\n"
      "Device Minor: \t {}\nGPU Firmware: \t {}\nGPU Excluded:\t No\n",
      text(identity(&Identity::name)), identity(&Identity::irq).value_or(0), text(identity(&Identity::uuid)),
      text(identity(&Identity::vbios_version)), bus_location(slot), minor_number(slot, index),
      text(identity(&Identity::gsp_version)));
}

void add_pci_device(const GpuSlot& slot, bool driver, std::vector<DriverFile>& files) {
  const std::string location = bus_location(slot);
  const std::string folder = "sys/bus/pci/devices/" + location;
  const auto pci = [&slot](auto member, std::uint32_t otherwise) {
    return read_field(slot, &Gpu::pci, member).value_or(otherwise);
  };
  const auto add = [&](std::string_view name, std::string text) {
    files.push_back({.path = fmt::format("{}/{}", folder, name), .text = std::move(text)});
  };
  const std::uint32_t device_id = pci(&Pci::device_id, kNvidia);
  const std::uint32_t subsystem_id = pci(&Pci::subsystem_id, 0);
  const std::uint32_t device_class = pci(&Pci::base_class, kDisplayClass) << 16 | pci(&Pci::sub_class, k3dController)
                                                                                      << 8;
  add("vendor", fmt::format("{:#06x}\n", device_id & 0xFFFF));
  add("device", fmt::format("{:#06x}\n", device_id >> 16));
  add("subsystem_vendor", fmt::format("{:#06x}\n", subsystem_id & 0xFFFF));
  add("subsystem_device", fmt::format("{:#06x}\n", subsystem_id >> 16));
  add("class", fmt::format("{:#08x}\n", device_class));
  add("config", configuration(device_id, subsystem_id, device_class));
  const Fact<std::uint32_t> node = read_field(slot, &Gpu::topology, &Topology::numa_node);
  add("numa_node", node.has_value() ? fmt::format("{}\n", node.value) : "-1\n");
  // Which addresses a host gives to the apertures, no profile knows.
  constexpr std::string_view kNoAperture = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
  add("resource", fmt::format("{0}{0}{0}{0}{0}{0}{0}", kNoAperture));
  if (!driver) return;
  files.push_back({.path = folder + "/driver", .target = "../../drivers/nvidia"});
  files.push_back({.path = "sys/bus/pci/drivers/nvidia/" + location, .target = "../../devices/" + location});
}

}  // namespace nvmlab::control
