// SPDX-License-Identifier: Apache-2.0
//
// A folder laid out like the root of a node: what nvidia-container-toolkit and its kin call a driver root. A list of
// what was laid out is kept in it, so that it can be brought up to date without touching what others put there. Tests:
// tests/command/driver_root_test.cpp.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "control/driver_files.hpp"

namespace nvmlab::tool {

// Numbers that no driver of this host has taken, so that the nodes lead nowhere.
control::DriverMajors free_majors();

struct LaidOut {
  std::size_t paths = 0;
  std::string without_devices{};  // why plain files stand for device nodes; empty: they do not
};

// Makes the folder what the files say; `libraries` is the folder that libraries of the driver are copied from. What was
// laid out there before and is no more goes. The error says what could not be made.
std::expected<LaidOut, std::string> lay_out(const std::filesystem::path& folder,
                                            const std::vector<control::DriverFile>& files,
                                            const std::filesystem::path& libraries);

}  // namespace nvmlab::tool
