// SPDX-License-Identifier: Apache-2.0
//
// One mapping of a scenario file: which keys it may have, and what stands behind them. What is wrong goes to `problems`
// with its place, and counts as absent. Tests: tests/unit/command/scenario_reader_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/yaml/tree.hpp"
#include "compiler/problems.hpp"

namespace nvmlab::tool {

class MappingReader {
 public:
  // `what` it is, for messages: "a step". Every key has to be one of `keys`.
  MappingReader(const yaml::Node& node, std::string_view what, std::span<const std::string_view> keys,
                compiler::Problems& problems);

  const yaml::Node* find(std::string_view key) const { return node_.find(key); }
  // The same, and a problem where it is not there.
  const yaml::Node* require(std::string_view key) const;

  // A text of one line or more; never empty.
  std::optional<std::string> text(std::string_view key) const;
  // A span of time, such as 90s or 1h30m.
  std::optional<std::uint64_t> duration(std::string_view key) const;
  std::optional<std::uint64_t> number(std::string_view key, std::uint64_t highest = ~std::uint64_t{0}) const;

  void problem(const yaml::Node& node, std::string message) const {
    problems_.push_back(node.error(std::move(message)));
  }

 private:
  const yaml::Node* scalar(std::string_view key, std::string_view wanted) const;

  const yaml::Node& node_;
  std::string_view what_;
  compiler::Problems& problems_;
};

// "a list was found; such-and-such was expected".
std::string found_instead(const yaml::Node& node, std::string_view wanted);

}  // namespace nvmlab::tool
