// SPDX-License-Identifier: Apache-2.0
//
// Configurations of NVIDIA's Go mock of NVML (MOCK_NVML_CONFIG), so that its users can move without a change:
// `version`, `system`, `device_defaults`, `devices`, `nvlink`, `pcie_topology`. Keys become fields of our state; what
// has no meaning here (yet) and what nobody knows is accepted and told in notes, as that mock accepts it; a value of
// the wrong type is an error with its place. A device's own block is laid over the defaults key by key, for every
// block. Tests: tests/unit/compiler/mock_config_test.cpp.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/mock/behaviour.hpp"
#include "compiler/mock/overrides.hpp"

namespace nvmlab::compiler {

struct MockMachine {
  Machine machine;
  Problems notes;                              // in the order of the file
  std::vector<std::string> unheeded;           // keys that change what that mock answers, and change nothing here
  std::vector<Change> changes;                 // to be made when the machine comes up: what its devices do
  std::vector<MockBehaviour> behaviours = {};  // of each device
  Problems override_notes = {};                // of the overrides
};

// Where each leaf of the state (leaf_of()) was stated: file and line, or none where nothing in the file says it.
struct MockPlaces {
  std::vector<yaml::Place> node;
  std::vector<std::vector<yaml::Place>> gpus;
};

// "not simulated: failure, gpm"; empty where everything is.
std::string describe_unheeded(const MockMachine& machine);

// The keys that only such a configuration has at its top, so that a file can be known by its content.
bool looks_like_mock_config(std::string_view text);

// A configuration that is in memory; `name` is its file's. `places` may be null.
std::expected<MockMachine, Problems> compile_mock_text(std::string_view text, const std::string& name,
                                                       MockPlaces* places);
// With `overrides`, as such a device is once they are laid over it.
std::expected<MockMachine, Problems> compile_mock_config(std::string_view path, const CompileOptions& options = {},
                                                         const MockOverrides* overrides = nullptr);

}  // namespace nvmlab::compiler
