// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/search.hpp"

#include <cstdlib>

namespace nvml::inline v1::detail {
namespace {

#if defined(__x86_64__)
#define NVMLAB_MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define NVMLAB_MULTIARCH "aarch64-linux-gnu"
#elif defined(__powerpc64__)
#define NVMLAB_MULTIARCH "powerpc64le-linux-gnu"
#endif

// Folders of a root file system in which drivers lie; the container toolkit looks into the same ones.
constexpr const char* kFolders[] = {
    "/usr/lib64",
#ifdef NVMLAB_MULTIARCH
    "/usr/lib/" NVMLAB_MULTIARCH,
    "/usr/lib/" NVMLAB_MULTIARCH "/nvidia/current",  // Debian, where glx-alternatives has not been run
#endif
};

}  // namespace

std::vector<std::string> usual_places() {
  const std::string file = "/libnvidia-ml.so.1";
  std::vector<std::string> places{file.substr(1)};
  places.push_back("/usr/lib/wsl/lib" + file);         // Windows mounts its driver there
  places.push_back("/run/opengl-driver/lib" + file);   // NixOS
  places.push_back("/usr/local/nvidia/lib64" + file);  // what device plugins mount into a container
  for (const char* folder : kFolders)
    places.push_back(folder + file);
  for (const char* folder : kFolders)
    places.push_back("/run/nvidia/driver" + (folder + file));  // a driver container's
  // Last: this name is a developer's link, and where only a toolkit is installed, that of a stub which can do nothing.
  places.emplace_back("libnvidia-ml.so");
  return places;
}

std::vector<std::string> search_order(const OpenOptions& options) {
  if (!options.path.empty()) return {options.path};
  if (const char* named = secure_getenv("NVMLAB_LIBRARY"); named != nullptr && *named != '\0') return {named};
  return usual_places();
}

}  // namespace nvml::inline v1::detail
