// SPDX-License-Identifier: Apache-2.0
//
// Single values of a Go mock configuration, as its blocks spell them. Internal to mock_config.
// Tests: mock_config_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/yaml/tree.hpp"
#include "compiler/problems.hpp"
#include "compiler/provenance.hpp"

namespace nvmlab::compiler {

// Of every value that a Go mock configuration states.
const Source& mock_source();

// In lower case, with '_' for '-' and blanks.
std::string mock_word(std::string_view text);

// A whole number at a node, with a problem and `fallback` when there is none.
std::uint32_t mock_number(const yaml::Node& node, const std::string& key, std::uint64_t most, std::uint32_t fallback,
                          Problems& problems);
// A number at a node, with a problem and 0 when there is none.
double mock_real(const yaml::Node& node, const std::string& key, double most, Problems& problems);
bool mock_truth(const yaml::Node& node, const std::string& key, Problems& problems);
struct MockAddress {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
};
bool mock_address(const yaml::Node& node, const std::string& key, MockAddress& out, Problems& problems);

}  // namespace nvmlab::compiler
