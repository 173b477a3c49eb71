// SPDX-License-Identifier: Apache-2.0
//
// The machines of this user that are up: where they lie, listing them, and what to say when one cannot be opened.
// One of them is control/machine.hpp.
// Tests: tests/command/machines_test.cpp.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/store_file.hpp"

namespace nvmlab::control {

inline constexpr std::string_view kDefaultMachine = "default";
inline constexpr const char* kDefaultProfile = "dgx-a100";  // what the library simulates with no set-up at all

// $NVMLAB_RUNTIME_DIR, or null.
const char* runtime_dir();
std::expected<std::string, std::string> machines_folder();
std::expected<std::string, std::string> machine_path(const std::string& name);

// Whom a machine of this name may belong to: one that is named by its path to anybody.
Owner owner_of(const std::string& name);

// Takes a machine down: programs that run on it find a driver that is gone. Removes its file.
FileProblem remove_machine(const std::string& name);

// What --machine says, else NVMLAB_MACHINE, else "default".
std::string chosen_machine(std::string_view option);

// A sentence with what to do about it.
std::string explain(const FileProblem& problem, const std::string& name, const std::string& path);

struct ListedMachine {
  std::string name;
  std::string path;
  std::string problem;  // why it cannot be used; then the rest is unknown
  std::string profile;
  std::uint32_t gpus = 0;
  std::uint64_t created_ns = 0;
};
// By name. Empty where nothing was ever brought up.
std::expected<std::vector<ListedMachine>, std::string> list_machines();

}  // namespace nvmlab::control
