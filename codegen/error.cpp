// SPDX-License-Identifier: Apache-2.0
#include "codegen/error.hpp"

#include <algorithm>

#include "base/yaml/tree.hpp"

namespace nvmlab::codegen {

std::unexpected<Error> fail_at(const yaml::Node& node, std::string message) {
  return std::unexpected(node.error(std::move(message)));
}

std::pair<std::size_t, std::size_t> position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t last_newline = before.rfind('\n');
  const std::size_t column = before.size() - (last_newline == std::string_view::npos ? 0 : last_newline + 1) + 1;
  return {line, column};
}

}  // namespace nvmlab::codegen
