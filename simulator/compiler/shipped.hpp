// SPDX-License-Identifier: Apache-2.0
//
// The profiles that are part of nvmlab: profiles/gpus/*.yaml and profiles/machines/*.yaml, embedded at build time
// (embed_profiles.cmake writes the table). Tests: tests/unit/compiler/shipped_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::compiler {

struct ShippedProfile {
  std::string_view name;  // the file's stem
  std::string_view file;  // "profiles/gpus/NAME.yaml", as messages show it
  std::string_view text;
  bool machine = false;
};

// By name within GPUs, then within machines.
std::span<const ShippedProfile> shipped_profiles();
const ShippedProfile* find_shipped(std::string_view name);
std::vector<std::string> shipped_names();

}  // namespace nvmlab::compiler
