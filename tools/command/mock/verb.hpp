// SPDX-License-Identifier: Apache-2.0
// What verbs have in common. Internal to tools/command/mock/.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "command/mock/document.hpp"
#include "command/mock/verbs.hpp"

namespace nvmlab::tool::mock {

using Words = std::vector<std::string>;
using Patched = std::expected<void, std::string>;
using Names = std::map<std::string, std::string>;  // words that people say, and the key that each is

template <class... Values>
std::unexpected<std::string> wrong(fmt::format_string<Values...> format, Values&&... values) {
  return std::unexpected(fmt::format(format, std::forward<Values>(values)...));
}

std::string in_lower_case(std::string text);

// Puts a value at a path of keys.
void put(yaml::Node& block, std::string_view path, yaml::Node value);
void put(yaml::Node& block, std::string_view path, std::uint64_t value);
void put(yaml::Node& block, std::string_view path, bool value);

Patched throttle(const std::string& verb, const Words& words, const VerbOptions& options, yaml::Node& block);
Patched fabric_health(const std::string& verb, const Words& words, const VerbOptions& options, yaml::Node& block);

}  // namespace nvmlab::tool::mock
