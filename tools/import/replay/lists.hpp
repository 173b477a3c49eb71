// SPDX-License-Identifier: Apache-2.0
//
// Lists of records, put together from many calls by the generated tables: a call gives a list, another a member of one
// item, a third how many there are. What no table has, readers of a topic add, before all lists are told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "import/replay/literals.hpp"

namespace nvmlab::importer::replay {

// Items by their place, or by the number that names them.
using Records = std::map<std::uint64_t, Record>;

struct ListDraft {
  Records records = {};
  const Call* source = nullptr;  // that says which items there are; without one the list is not told
  std::uint64_t count = 0;
  bool named = false;  // the numbers of the items are names, not places
};
using Lists = std::map<std::string, ListDraft, std::less<>>;

// What the calls say, in this order: lists, items, lengths.
void read_lists(const CallIndex& calls, Lists& lists);
void read_items(const CallIndex& calls, Lists& lists);
void read_lengths(const CallIndex& calls, Lists& lists);

// What the columns of a call say of the items of a list; for lists that more than one call gives in part.
Records items_of(const Call& call, std::string_view list);

}  // namespace nvmlab::importer::replay
