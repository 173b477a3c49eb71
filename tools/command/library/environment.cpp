// SPDX-License-Identifier: Apache-2.0
#include "command/library/environment.hpp"

#include <cstdlib>

namespace nvmlab::tool {

void prepend_path(const char* variable, const std::string& path) {
  const char* const present = std::getenv(variable);
  const std::string rest = present == nullptr ? "" : present;
  if (rest == path || rest.starts_with(path + ":")) return;
  ::setenv(variable, (rest.empty() ? path : path + ":" + rest).c_str(), 1);
}

}  // namespace nvmlab::tool
