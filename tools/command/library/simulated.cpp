// SPDX-License-Identifier: Apache-2.0
#include "command/library/simulated.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "command/library/program.hpp"
#include "engine/store/driver_version.hpp"

namespace nvmlab::tool {

namespace fs = std::filesystem;

std::expected<std::string, std::string> library_folder() {
  std::error_code failed;
  const fs::path program = program_path();
  if (program.empty())
    return std::unexpected(
        "/proc/self/exe cannot be read, so the simulated driver cannot be found; mount /proc, or call nvmlab by its "
        "path");
  const fs::path prefix = program.parent_path().parent_path();
  std::vector<std::string> looked;
  // An installation keeps it apart from the system's libraries, where every program would find it.
  for (const char* place : {NVMLAB_LIBDIR "/nvmlab", "lib/nvmlab", "lib"}) {
    const fs::path folder = prefix / place;
    // A real driver has no compiler of ours beside it.
    const bool ours = fs::exists(folder / "libnvmlab-compiler.so", failed);
    if (ours && fs::exists(folder / "libnvidia-ml.so.1", failed)) return folder.string();
    if (!looked.empty() && looked.back() == folder.string()) continue;
    looked.push_back(folder.string());
  }
  return std::unexpected(fmt::format("the simulated libnvidia-ml.so.1 is not installed beside {}; looked in {}",
                                     program.string(), fmt::join(looked, ", ")));
}

std::expected<std::string, std::string> library_folder_of_driver(const std::string& driver) {
  auto library = library_folder();
  DriverVersion version{};
  if (!library || !find_driver_version(driver.c_str(), &version)) return library;
  const char* row = driver_release(driver_row(version.text)).library;
  if (*row == '\0') return library;
  std::error_code failed;
  fs::path folder;
  // Shipped machines have a library whose file carries their very version.
  for (const char* name : {static_cast<const char*>(version.text), row}) {
    folder = fs::path(*library) / "drivers" / name;
    if (fs::exists(folder / "libnvidia-ml.so.1", failed)) return folder.string();
  }
  return std::unexpected(fmt::format("the library of driver {} is not installed: {} is missing; install nvmlab again",
                                     version.text, (folder / "libnvidia-ml.so.1").string()));
}

}  // namespace nvmlab::tool
