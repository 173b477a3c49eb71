// SPDX-License-Identifier: Apache-2.0
#include "drivers/common/library_path.hpp"

#include <fcntl.h>
#include <link.h>
#include <cstdint>
#include <cstring>

#include "drivers/common/dynamic_loader.hpp"
#include "engine/store/system.hpp"

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

// One line of /proc/self/maps after the other, without the rest of a line that is longer than a path can be.
class Maps {
 public:
  Maps() : fd_(sys::open_file("/proc/self/maps", O_RDONLY, 0)) {}
  ~Maps() {
    if (fd_ >= 0) sys::close_file(fd_);
  }
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;

  bool next(char (&line)[sizeof(LibraryPath) + 128]) {
    std::size_t length = 0;
    for (;;) {
      if (at_ == end_ && !refill()) return false;
      const char c = block_[at_++];
      if (c == '\n') break;
      if (length + 1 < sizeof line) line[length++] = c;
    }
    line[length] = '\0';
    return true;
  }

 private:
  bool refill() {
    const std::int64_t size = fd_ < 0 ? -1 : sys::read_file(fd_, block_, sizeof block_);
    at_ = 0;
    end_ = size > 0 ? static_cast<std::size_t>(size) : 0;
    return end_ > 0;
  }

  int fd_;
  char block_[1024];
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

std::uintptr_t hexadecimal(const char*& at) {
  std::uintptr_t value = 0;
  for (;; ++at) {
    if (*at >= '0' && *at <= '9') {
      value = value << 4 | static_cast<std::uintptr_t>(*at - '0');
    } else if (*at >= 'a' && *at <= 'f') {
      value = value << 4 | static_cast<std::uintptr_t>(*at - 'a' + 10);
    } else {
      return value;
    }
  }
}

// Of a library that was opened by a path relative to a folder that the client may have left since: what the kernel
// calls it.
bool find_in_maps(LibraryPath* path) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(&anchor);
  char line[sizeof(LibraryPath) + 128];
  for (Maps maps; maps.next(line);) {
    const char* at = line;
    const std::uintptr_t begin = hexadecimal(at);
    if (*at != '-') continue;
    ++at;
    if (wanted < begin || wanted >= hexadecimal(at)) continue;
    const char* name = std::strchr(line, '/');
    if (name == nullptr || std::strlen(name) >= sizeof path->text) return false;
    std::memcpy(path->text, name, std::strlen(name) + 1);
    return true;
  }
  return false;
}

bool append(LibraryPath* path, const char* text) {
  const std::size_t length = std::strlen(path->text);
  const std::size_t more = std::strlen(text);
  if (length + more >= sizeof path->text) return false;
  std::memcpy(path->text + length, text, more + 1);
  return true;
}

}  // namespace

bool beside_library(const char* name, LibraryPath* path) {
  const char* own = nullptr;
  if (auto* objects = look_up<decltype(::dl_iterate_phdr)>("dl_iterate_phdr")) objects(find_own, &own);
  path->text[0] = '\0';
  if (own == nullptr) return false;
  if (*own == '/' ? !append(path, own) : !find_in_maps(path)) return false;
  char* slash = std::strrchr(path->text, '/');
  if (slash == nullptr) return false;
  slash[1] = '\0';
  return append(path, name);
}

}  // namespace nvmlab::driver
