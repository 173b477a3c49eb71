// SPDX-License-Identifier: Apache-2.0
//
// What --profile may name: a shipped profile, a YAML file or a compiled machine file, and how `run` hands it to the
// driver. Tests: tests/unit/command/sources_test.cpp, tests/command/run_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "command/cli/output.hpp"
#include "compiler/compile.hpp"

namespace nvmlab::tool {

bool is_machine_file(const std::string& name);
// A file's name as the compiler takes it: with a slash, so that it is not looked up among the shipped profiles.
std::string as_profile(const std::string& name_or_file);

// Compiles, or opens what is compiled already. A machine file has no provenance any more.
std::expected<compiler::Machine, Complaints> load_machine(const std::string& name,
                                                          const compiler::CompileOptions& options);

// What NVMLAB_PROFILE has to be so that the driver finds this machine: a shipped name or the path of a machine file.
// A YAML file is compiled to one in the folder of the user's machines, under a name made of its contents.
struct ProfileForDriver {
  std::string name;
  std::string driver;  // whose functions programs find
};
std::expected<ProfileForDriver, Complaints> profile_for_driver(const std::string& name,
                                                               const compiler::CompileOptions& options);

// The driver that a configuration of NVIDIA's mock describes.
std::expected<std::string, Complaints> driver_of_mock_config(const std::string& path);

}  // namespace nvmlab::tool
