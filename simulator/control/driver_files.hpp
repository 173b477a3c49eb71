// SPDX-License-Identifier: Apache-2.0
//
// The files through which a machine shows its GPUs and their driver without NVML: /proc/driver/nvidia with the MIG
// capabilities, PCI devices in /sys, device nodes in /dev. Container tools read them. Tests:
// tests/command/driver_root_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nvmlab {

class Machine;

namespace control {

struct DeviceNumber {
  std::uint32_t major;
  std::uint32_t minor;
};

// One path: a device node if it has a number, a link if it has a target, else a file.
struct DriverFile {
  std::string path;  // without a slash in front
  std::uint32_t mode = 0444;
  std::string text{};
  std::string target{};
  std::optional<DeviceNumber> device{};
};

// Major numbers of character devices. NVIDIA's own is assigned; a kernel assigns the others dynamically.
inline constexpr std::uint32_t kNvidiaMajor = 195;
struct DriverMajors {
  std::uint32_t uvm;
  std::uint32_t caps;
};

// Returns the files as they are now, without those of the driver while it is unloaded.
std::vector<DriverFile> driver_files(const Machine& machine, const DriverMajors& majors);

}  // namespace control
}  // namespace nvmlab
