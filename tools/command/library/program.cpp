// SPDX-License-Identifier: Apache-2.0
#include "command/library/program.hpp"

#include <sys/auxv.h>

#include <filesystem>

namespace nvmlab::tool {

namespace fs = std::filesystem;

std::string program_path() {
  std::error_code failed;
  const fs::path linked = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) return linked.string();
  // A bare container may have no /proc. The kernel tells the path that was executed.
  const auto* const executed =
      reinterpret_cast<const char*>(::getauxval(AT_EXECFN));  // NOLINT(performance-no-int-to-ptr)
  if (executed == nullptr) return {};
  const fs::path path = fs::canonical(executed, failed);
  return failed ? std::string() : path.string();
}

}  // namespace nvmlab::tool
