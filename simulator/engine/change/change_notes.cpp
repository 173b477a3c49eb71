// SPDX-License-Identifier: Apache-2.0
#include "engine/change/change_notes.hpp"

#include <cstring>

namespace nvmlab {
namespace {

void note(Store& store, const Change& change, Code code, std::uint64_t now_ns) {
  LogEntry entry{.at_ns = now_ns,
                 .caller = calling_process(),
                 .target = change.target,
                 .kind = static_cast<std::uint16_t>(change.kind),
                 .code = static_cast<std::uint16_t>(code),
                 .body = {}};
  static_assert(sizeof entry.body == sizeof change.body);
  std::memcpy(entry.body, change.body, sizeof entry.body);
  append(&store.log, entry);
}

// A snapshot that changes much of a GPU would push everything else out of the log, and nobody reads a thousand places:
// then the entry of RestoreSnapshot stands for them, which says how many there were.
constexpr std::uint32_t kPlacesTold = 16;

bool part_of_restoring(const Change& change) { return holds<RestorePin>(change) || holds<RestoreBytes>(change); }

// Whether so little comes back that it is told place by place.
bool told_one_by_one(const Change& first) {
  const auto begun = body_of<RestoreSnapshot>(first);
  return begun.places <= kPlacesTold && begun.pins <= kPlacesTold;
}

}  // namespace

void note_changes(Store& store, const Change* changes, std::uint32_t count, std::uint32_t failed, Code code) {
  const std::uint64_t now_ns = machine_time_ns(store.clock);
  if (code != kSuccess) return note(store, changes[failed], code, now_ns);
  bool told = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (restores(changes[i])) told = told_one_by_one(changes[i]);
    if (told || !part_of_restoring(changes[i])) note(store, changes[i], code, now_ns);
  }
}

}  // namespace nvmlab
