// SPDX-License-Identifier: Apache-2.0
#include "conformance/library.hpp"

#include <dlfcn.h>

namespace nvmlab::conformance {

std::expected<Library, std::string> Library::open(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::unexpected(std::string(::dlerror()));
  return Library(handle);
}

void* Library::address(const char* name) const { return ::dlsym(handle_, name); }

}  // namespace nvmlab::conformance
