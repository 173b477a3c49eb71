// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/process/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cstring>

#include "drivers/common/line.hpp"
#include "drivers/cuda/process/process.hpp"
#include "engine/store/system.hpp"
#include "engine/store/system_call.hpp"

namespace nvmlab::cuda {
namespace {

// Linux's own numbers: a libc of before 2.27 does not name them.
constexpr unsigned kCloseOnExec = 1;
constexpr unsigned kAllowSealing = 2;
constexpr int kAddSeals = 1033;
constexpr int kGetSeals = 1034;
constexpr long kSeals = 1 | 2 | 4;  // no more seals, no shrinking, no growing

constexpr std::uint64_t kMagic = 0x4d454d42414c564e;
constexpr std::uint64_t kPage = 4096;
constexpr int kFirstOwn = 3;  // descriptor behind the standard three

struct Label {
  std::uint64_t magic;
  SharedFacts facts;
};

void* map_at(void* place, std::uint64_t size, int access, int kind, int fd, std::uint64_t offset = 0) {
  const long result = sys::call(SYS_mmap, place, size, access, kind, fd, offset);
  return result < 0 && result > -4096 ? nullptr : reinterpret_cast<void*>(result);
}

bool is_zero(const char* page) {
  std::uint64_t words[8];
  for (std::uint64_t at = 0; at < kPage; at += sizeof words) {
    std::memcpy(words, page + at, sizeof words);
    for (const std::uint64_t each : words) {
      if (each != 0) return false;
    }
  }
  return true;
}

bool write_label(int fd, const SharedFacts& facts) {
  const Label label{kMagic, facts};
  return sys::call(SYS_ftruncate, fd, facts.size + kPage) >= 0 &&
         sys::call(SYS_pwrite64, fd, &label, sizeof label, facts.size) == static_cast<long>(sizeof label) &&
         sys::call(SYS_fcntl, fd, kAddSeals, kSeals) >= 0;
}

}  // namespace

int create_shared(const SharedFacts& facts) {
  const long made = sys::call(SYS_memfd_create, "nvmlab-device-memory", kCloseOnExec | kAllowSealing);
  if (made < 0) return -1;
  const int own = duplicate_shared(static_cast<int>(made));
  sys::close_file(static_cast<int>(made));
  if (own >= 0 && write_label(own, facts)) return own;
  close_shared(own);
  return -1;
}

int duplicate_shared(int fd) {
  const long own = sys::call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kFirstOwn);
  return own < 0 ? -1 : static_cast<int>(own);
}

void close_shared(int fd) {
  if (fd >= 0) sys::close_file(fd);
}

bool read_shared(int fd, SharedKind kind, SharedFacts* facts) {
  sys::FileFacts file;
  Label label{};
  if (fd < 0 || (sys::call(SYS_fcntl, fd, kGetSeals) & kSeals) != kSeals || sys::inspect(fd, &file) < 0) return false;
  if (!file.regular || file.size < 2 * kPage || file.size % kPage != 0) return false;
  if (sys::call(SYS_pread64, fd, &label, sizeof label, file.size - kPage) != static_cast<long>(sizeof label))
    return false;
  *facts = label.facts;
  return label.magic == kMagic && label.facts.kind == kind && label.facts.size == file.size - kPage;
}

bool same_shared(int fd, int other) {
  sys::FileFacts facts[2];
  return sys::inspect(fd, &facts[0]) >= 0 && sys::inspect(other, &facts[1]) >= 0 && facts[0].inode == facts[1].inode &&
         facts[0].device == facts[1].device;
}

bool make_ticket(int fd, SharedTicket* out) {
  sys::FileFacts facts;
  if (sys::inspect(fd, &facts) < 0) return false;
  *out = {sys::process_id(), static_cast<std::uint32_t>(fd), facts.inode, facts.device};
  return true;
}

int open_shared(const SharedTicket& ticket, SharedKind kind) {
  driver::Line path;
  path << "/proc/" << std::uint64_t{ticket.process} << "/fd/" << std::uint64_t{ticket.file};
  // First without opening what lies there, which may be a device or the end of a pipe.
  const int found = sys::open_file(path.text(), O_PATH | O_CLOEXEC, 0);
  sys::FileFacts file;
  const bool same = found >= 0 && sys::inspect(found, &file) >= 0 && file.regular && file.inode == ticket.inode &&
                    file.device == ticket.device;
  if (found >= 0) sys::close_file(found);
  if (!same) return -1;
  const int opened = sys::open_file(path.text(), O_RDWR | O_CLOEXEC, 0);
  SharedFacts facts{};
  if (opened >= 0 && read_shared(opened, kind, &facts)) return opened;
  close_shared(opened);
  return -1;
}

void* map_shared_memory(void* place, int fd, std::uint64_t size, std::uint64_t offset) {
  return map_at(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | (place != nullptr ? MAP_FIXED : 0), fd, offset);
}

void empty_shared(int fd, std::uint64_t offset, std::uint64_t size) {
  constexpr int kKeepSize = 1;
  constexpr int kPunchHole = 2;
  sys::call(SYS_fallocate, fd, kKeepSize | kPunchHole, offset, size);
}

void* reserve_addresses(void* hint, std::uint64_t size) {
  return map_at(hint, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

bool vacate_addresses(void* place, std::uint64_t size) {
  return map_at(place, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1) != nullptr;
}

bool move_to_shared(void* memory, int fd, std::uint64_t size) {
  auto* const to = static_cast<char*>(map_shared_memory(nullptr, fd, size));
  if (to == nullptr) return false;
  const auto* const from = static_cast<const char*>(memory);
  for (std::uint64_t at = 0; at < size; at += kPage) {
    if (!is_zero(from + at)) std::memcpy(to + at, from + at, kPage);
  }
  sys::unmap(to, size);
  return map_shared_memory(memory, fd, size) != nullptr;
}

bool device_of_shared(std::uint32_t gpu, std::uint32_t mig, std::uint32_t* device) {
  for (std::uint32_t i = 0; i < process.device_count; ++i) {
    if (process.devices[i].gpu != gpu || process.devices[i].mig != mig) continue;
    *device = i;
    return true;
  }
  return false;
}

}  // namespace nvmlab::cuda
