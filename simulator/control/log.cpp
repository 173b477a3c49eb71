// SPDX-License-Identifier: Apache-2.0
#include "control/log.hpp"

#include <algorithm>

namespace nvmlab::control {

std::deque<NumberedEntry> LogReader::read(std::uint64_t most) {
  std::deque<NumberedEntry> entries;
  NumberedEntry next;
  while (next_entry(log_, &place_, &next.entry, &next.number)) {
    fell_out_ += next.number - std::min(expected_, next.number);
    expected_ = next.number + 1;
    if (wanted_ && !wanted_(next.entry)) continue;
    entries.push_back(next);
    if (entries.size() > most) entries.pop_front();
  }
  return entries;
}

}  // namespace nvmlab::control
