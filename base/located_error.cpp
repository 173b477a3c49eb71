// SPDX-License-Identifier: Apache-2.0
#include "base/located_error.hpp"

#include <fmt/format.h>

namespace nvmlab {

std::string LocatedError::text() const {
  if (file.empty()) return message;
  if (line == 0) return fmt::format("{}: {}", file, message);
  if (column == 0) return fmt::format("{}:{}: {}", file, line, message);
  return fmt::format("{}:{}:{}: {}", file, line, column, message);
}

}  // namespace nvmlab
