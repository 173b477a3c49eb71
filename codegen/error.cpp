// SPDX-License-Identifier: Apache-2.0
#include "codegen/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nvmlab::codegen {

std::string Error::text() const {
  if (file.empty()) return message;
  if (line == 0) return fmt::format("{}: {}", file, message);
  if (column == 0) return fmt::format("{}:{}: {}", file, line, message);
  return fmt::format("{}:{}:{}: {}", file, line, column, message);
}

std::pair<std::size_t, std::size_t> position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t last_newline = before.rfind('\n');
  const std::size_t column = before.size() - (last_newline == std::string_view::npos ? 0 : last_newline + 1) + 1;
  return {line, column};
}

}  // namespace nvmlab::codegen
