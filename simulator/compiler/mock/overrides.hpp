// SPDX-License-Identifier: Apache-2.0
//
// The file of overrides of NVIDIA's Go mock (MOCK_NVML_OVERRIDES): `version`, a block `all` and blocks of `devices` by
// index, each laid over the device's configuration key by key. A new file brings a machine that is up from one
// configuration to another, by the changes that differ. What that mock does not reload stays: what a device is, its PCI
// place and BAR1. Unlike a configuration it must hold no key that nobody knows. Tests:
// tests/unit/compiler/mock_overrides_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile.hpp"
#include "engine/change/change.hpp"

namespace nvmlab::compiler {

struct MockOverrides {
  yaml::Node root;
  const yaml::Node* all = nullptr;
  std::map<std::uint32_t, const yaml::Node*> devices;
};

// An empty text is no overrides. `name` is its file's.
std::expected<std::unique_ptr<MockOverrides>, Problems> parse_mock_overrides(std::string_view text,
                                                                             const std::string& name);

// Of a device's block: whether that mock takes it over while the machine is up.
bool is_reloadable(std::string_view key);

struct MockTexts {
  std::string_view before;
  std::string_view after;
  std::string name;  // of the file
};

// From a machine of this configuration with the overrides of before to those of now. Each is to be made by itself: the
// end of a fault that is gone is refused as not found.
struct MockReload {
  std::vector<Change> changes;
  Problems notes;
};
std::expected<MockReload, Problems> reload_mock_overrides(std::string_view config, const CompileOptions& options,
                                                          const MockTexts& texts);

}  // namespace nvmlab::compiler
