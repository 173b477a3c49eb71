// SPDX-License-Identifier: Apache-2.0
#include "command/library/fetched_clients.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "command/library/program.hpp"

namespace nvmlab::tool {
namespace {

namespace fs = std::filesystem;

fs::path clients_folder() {
  const char* const named = std::getenv("NVMLAB_CLIENTS_DIR");
  if (named != nullptr && *named != '\0') return named;
  const fs::path program = program_path();  // build/release/bin/nvmlab
  return program.parent_path().parent_path().parent_path() / "clients";
}

// Of "nvidia-smi-535"; 0 without one.
std::uint32_t branch_of(const std::string& folder) {
  std::uint32_t branch = 0;
  const char* const end = folder.data() + folder.size();
  std::from_chars(folder.data() + folder.rfind('-') + 1, end, branch);
  return branch;
}

}  // namespace

std::string find_fetched_client(const std::string& name, std::uint32_t driver_branch) {
  std::string best;
  std::uint32_t best_branch = 0;
  std::error_code failed;
  for (fs::directory_iterator entry(clients_folder(), failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const std::string program = (entry->path() / name).string();
    if (::access(program.c_str(), X_OK) != 0 || !fs::is_regular_file(program)) continue;
    const std::uint32_t branch = branch_of(entry->path().filename().string());
    const bool fits = branch <= driver_branch;
    const bool best_fits = best_branch <= driver_branch;
    const bool better = best.empty() || (fits != best_fits ? fits : fits ? branch > best_branch : branch < best_branch);
    if (!better) continue;
    best = program;
    best_branch = branch;
  }
  return best;
}

}  // namespace nvmlab::tool
