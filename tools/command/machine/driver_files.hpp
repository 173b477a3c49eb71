// SPDX-License-Identifier: Apache-2.0
//
// The files by which a node shows its GPUs and their driver beside NVML: /proc/driver/nvidia with MIG's capabilities,
// PCI devices in /sys, device nodes in /dev. Container tools read them. Tests: tests/command/driver_root_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/store.hpp"

namespace nvmlab::tool {

struct DeviceNumber {
  std::uint32_t major;
  std::uint32_t minor;
};

// What one path of the root is: a device where it has a number, a link where it has a target, else a file.
struct DriverFile {
  std::string path;  // without a slash in front
  std::uint32_t mode = 0444;
  std::string text{};
  std::string target{};
  std::optional<DeviceNumber> device{};
};

// Major numbers of character devices. NVIDIA's own is assigned; the others a kernel hands out as they come.
inline constexpr std::uint32_t kNvidiaMajor = 195;
struct DriverMajors {
  std::uint32_t uvm;
  std::uint32_t caps;
};

// As they are now; without the driver's while it is unloaded.
std::vector<DriverFile> driver_files(const Store& store, const DriverMajors& majors);

}  // namespace nvmlab::tool
