// SPDX-License-Identifier: Apache-2.0
//
// Who asked what of a machine, and what became of it: a ring in the store of what apply() has done and refused. Only
// machines that processes share keep one. Whoever holds the WriteLock writes; anybody who has the store mapped reads.
//
// An entry takes one place of the ring or, where its change is long, a few in a row. Places are numbered from 0 on;
// each is stamped with its number plus one after it was written, and the count is raised last: of a writer that was
// killed in between nobody sees an entry, and the next one writes the places anew. Entries are numbered without a gap,
// so the number of the oldest one says how many fell out. Tests: tests/unit/machine/change_log_test.cpp.
#pragma once

#include <cstdint>

#include "engine/store/change_target.hpp"

namespace nvmlab {

// Who asks, as the kernel knows it.
struct Caller {
  std::uint32_t pid;
  std::uint32_t pid_namespace;  // the inode of it; 0 where there is no /proc
  std::uint32_t user;           // effective
  char name[16];                // of its program, cut as the kernel cuts it
};

struct LogEntry {
  std::uint64_t at_ns;  // as the time of an event
  Caller caller;
  ChangeTarget target;
  std::uint16_t kind;  // of the change
  std::uint16_t code;  // kSuccess: it was made
  alignas(8) std::uint8_t body[288];
};

struct LogPlace {
  std::uint64_t stamp;
  std::uint64_t number;  // of the entry
  std::uint32_t part;    // of it; from 0 on
  std::uint32_t parts;   // places of the entry
  std::uint8_t content[72];
};

struct alignas(64) ChangeLog {
  static constexpr std::uint32_t kCapacity = 4096;

  std::uint64_t written;  // how many places there have been
  std::uint64_t reserved[7];
  LogPlace places[kCapacity];
};

// Under the WriteLock.
void append(ChangeLog* log, const LogEntry& entry);

// The first entry that begins at place `*place` or behind it, and its number; `*place` moves on behind it. False where
// there is none yet. From place 0 on comes the oldest that is still there.
bool next_entry(const ChangeLog& log, std::uint64_t* place, LogEntry* entry, std::uint64_t* number);

// The calling process. Only under a lock: what it finds out once, it keeps.
Caller calling_process();

}  // namespace nvmlab
