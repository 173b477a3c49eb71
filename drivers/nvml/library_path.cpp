// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/library_path.hpp"

#include <link.h>
#include <cstdint>
#include <cstring>

namespace nvmlab::driver {
namespace {

const char anchor = 0;  // an address within this library

// dladdr would do, but lives in libdl on the old systems that the library must load on.
int find_own(dl_phdr_info* object, std::size_t, void* found) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(&anchor);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const std::uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || wanted < start || wanted >= start + segment.p_memsz) continue;
    *static_cast<const char**>(found) = object->dlpi_name;
    return 1;
  }
  return 0;
}

bool append(LibraryPath* path, const char* text) {
  const std::size_t length = std::strlen(path->text);
  const std::size_t more = std::strlen(text);
  if (length + more >= sizeof path->text) return false;
  std::memcpy(path->text + length, text, more + 1);
  return true;
}

}  // namespace

bool beside_library(const char* folder, const char* name, const char* ending, LibraryPath* path) {
  const char* own = nullptr;
  ::dl_iterate_phdr(find_own, &own);
  path->text[0] = '\0';
  if (own == nullptr || std::strchr(name, '/') != nullptr) return false;
  if (!append(path, own)) return false;
  char* slash = std::strrchr(path->text, '/');
  if (slash == nullptr) return false;
  slash[1] = '\0';
  return append(path, folder) && append(path, name) && append(path, ending);
}

}  // namespace nvmlab::driver
