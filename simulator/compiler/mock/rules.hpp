// SPDX-License-Identifier: Apache-2.0
//
// Which key of a Go mock configuration is which field of ours. Internal to mock_config. Tests: mock_config_test.cpp.
#pragma once

#include <span>
#include <string_view>

namespace nvmlab::compiler {

// Keys of a device block, with dots; several rows for one key fill several fields.
struct MockRule {
  const char* key = nullptr;
  const char* field = nullptr;  // null: accepted, without meaning here; a block then is accepted as a whole
};

std::span<const MockRule> mock_rules();

}  // namespace nvmlab::compiler
