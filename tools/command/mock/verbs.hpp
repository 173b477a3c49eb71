// SPDX-License-Identifier: Apache-2.0
//
// What the verbs of that mock's control program (nvml-mock-ctl) write into a block of its overrides. Tests:
// tests/command/mock_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/yaml/tree.hpp"

namespace nvmlab::tool::mock {

struct VerbOptions {
  std::optional<std::string> mode;         // of fail
  std::optional<std::string> after_calls;  // likewise
  std::optional<std::string> xid;          // likewise
  std::optional<std::string> links;        // of nvlink-error
  std::optional<std::string> type;         // of sram-ecc
  std::optional<std::string> source;       // likewise
  bool threshold_exceeded = false;         // likewise
  std::uint32_t fans = 0;                  // that the configuration has
};

bool is_verb(const std::string& word);

// Makes of a block what the verb with these words makes of it, or says what is wrong.
std::expected<void, std::string> apply_verb(const std::string& verb, const std::vector<std::string>& words,
                                            const VerbOptions& options, yaml::Node& block);

}  // namespace nvmlab::tool::mock
