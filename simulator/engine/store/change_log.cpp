// SPDX-License-Identifier: Apache-2.0
#include "engine/store/change_log.hpp"

#include <fcntl.h>

#include <cstring>

#include "engine/store/real_process.hpp"
#include "engine/store/system.hpp"
#include "engine/store/words.hpp"

namespace nvmlab {
namespace {

constexpr std::size_t kContent = sizeof LogPlace::content;
constexpr std::size_t kMostParts = (sizeof(LogEntry) + kContent - 1) / kContent;

static_assert(sizeof(LogPlace) % 8 == 0 && sizeof(LogEntry) % 8 == 0);

// Without the zeros at its end, which a reader puts back.
std::uint32_t parts_of(const LogEntry& entry) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&entry);
  std::size_t length = sizeof entry;
  while (length > 1 && bytes[length - 1] == 0)
    --length;
  return static_cast<std::uint32_t>((length + kContent - 1) / kContent);
}

std::size_t size_of_part(std::uint32_t part) {
  const std::size_t left = sizeof(LogEntry) - part * kContent;
  return left < kContent ? left : kContent;
}

LogPlace& place_at(ChangeLog& log, std::uint64_t at) { return log.places[at % ChangeLog::kCapacity]; }
const LogPlace& place_at(const ChangeLog& log, std::uint64_t at) { return log.places[at % ChangeLog::kCapacity]; }

// False where it was overwritten meanwhile.
bool read_place(const ChangeLog& log, std::uint64_t at, LogPlace* place) {
  const LogPlace& from = place_at(log, at);
  load_into(*place, from);
  return place->stamp == at + 1 && __atomic_load_n(&from.stamp, __ATOMIC_RELAXED) == at + 1;
}

// `first` is that of the entry's first part.
bool read_parts(const ChangeLog& log, std::uint64_t at, const LogPlace& first, LogEntry* entry) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(entry);
  if (first.parts > kMostParts) return false;  // of a damaged file
  std::memcpy(bytes, first.content, size_of_part(0));
  for (std::uint32_t part = 1; part < first.parts; ++part) {
    LogPlace more{};
    if (!read_place(log, at + part, &more)) return false;
    std::memcpy(bytes + part * kContent, more.content, size_of_part(part));
  }
  return true;
}

// Of the program, not of the thread that asks.
void read_own_name(char (&name)[16]) {
  const int fd = sys::open_file("/proc/self/comm", O_RDONLY, 0);
  if (fd < 0) return;
  const std::int64_t size = sys::read_file(fd, name, sizeof name);
  sys::close_file(fd);
  if (size > 0) name[size - 1] = '\0';  // in place of the newline
}

}  // namespace

void append(ChangeLog* log, const LogEntry& entry) {
  const std::uint64_t first = log->written;
  LogPlace draft{};
  draft.number = first == 0 ? 0 : place_at(*log, first - 1).number + 1;
  draft.parts = parts_of(entry);
  for (; draft.part < draft.parts; ++draft.part) {
    const std::uint64_t at = first + draft.part;
    const auto* const from = reinterpret_cast<const std::uint8_t*>(&entry) + draft.part * kContent;
    std::memcpy(draft.content, from, size_of_part(draft.part));
    LogPlace& place = place_at(*log, at);
    __atomic_store_n(&place.stamp, std::uint64_t{0}, __ATOMIC_RELAXED);
    draft.stamp = 0;
    store(place, draft);  // each word is released behind the stamp
    __atomic_store_n(&place.stamp, at + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&log->written, first + draft.parts, __ATOMIC_RELEASE);
}

bool next_entry(const ChangeLog& log, std::uint64_t* place, LogEntry* entry, std::uint64_t* number) {
  for (;;) {
    const std::uint64_t written = __atomic_load_n(&log.written, __ATOMIC_ACQUIRE);
    if (*place >= written) return false;
    if (written - *place > ChangeLog::kCapacity) *place = written - ChangeLog::kCapacity;
    const std::uint64_t at = (*place)++;
    LogPlace first{};
    // Of an entry whose beginning fell out, or that was overwritten while it was read, there is nothing to be told.
    if (!read_place(log, at, &first) || first.part != 0) continue;
    *entry = {};
    if (!read_parts(log, at, first, entry)) continue;
    *place = at + first.parts;
    *number = first.number;
    return true;
  }
}

Caller calling_process() {
  static Caller known{};
  static std::uint32_t token = 0;
  if (const std::uint32_t now = sys::process_token(); now != token) {
    known = {};
    known.pid = sys::process_id();
    known.pid_namespace = static_cast<std::uint32_t>(own_pid_namespace());  // the kernel has 32 bits of it
    read_own_name(known.name);
    token = now;
  }
  known.user = sys::effective_user();
  return known;
}

}  // namespace nvmlab
