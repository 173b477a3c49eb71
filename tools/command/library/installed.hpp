// SPDX-License-Identifier: Apache-2.0
// The NVML that commands ask which work on real drivers too: the installed one, or, below `nvmlab run`, the simulated
// one. Tests: tests/command/devices_test.cpp.
#pragma once

#include <expected>
#include <nvmlab/nvml.hpp>
#include <string>

namespace nvmlab::tool {

// `library` is a file; empty: the installed one. The error says what was tried, and how to ask simulated GPUs.
std::expected<nvml::Library, std::string> open_nvml(const std::string& library);

// Everything that a device tells without being asked for more than itself, as the C++ library writes it. Commands see
// no header of the library but the one above.
std::string snapshot_json(const nvml::Device& device);

// "-" for what the board or the driver does not tell, like nvidia-smi's N/A.
inline constexpr const char* kUntold = "-";

}  // namespace nvmlab::tool
