// SPDX-License-Identifier: Apache-2.0
#include "import/replay/lists.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "compiler/paths.hpp"
#include "import/recording/recording.hpp"

namespace nvmlab::importer::replay {
namespace {

constexpr std::uint64_t kMostItems = 64;  // no list that is told item by item is longer

// Each process is in the list of its kinds, and in others that say what it uses: read_processes.cpp joins them.
constexpr std::string_view kJoinedByHand = "processes.running";

const Field* field_of(std::string_view path) {
  const auto found = compiler::find_field(path);
  return found ? found->field : nullptr;
}

const Field* member_of(const Field& list, std::string_view name) {
  return list.record == nullptr ? nullptr : compiler::find_member(*list.record, name);
}

bool gives_items(const Call* call, const ListRow& row) {
  if (call == nullptr) return false;
  return call->succeeded() ? says_items(call, row.items) : row.refused_if_empty && call->code == "NOT_SUPPORTED";
}

void fill_column(const Call& call, const ListRow& row, Records& records) {
  const Field* list_field = field_of(row.list);
  const Field* field = list_field == nullptr ? nullptr : member_of(*list_field, row.member);
  const auto rest = recording::enumerator(row.rest);
  std::uint64_t place = 0;
  for (const Json& item : list(&call, row.items)) {
    const Json* value = row.column.empty() ? &item : member(item, row.column);
    if (rest && value != nullptr && recording::integer(*value) == rest) continue;
    Record& record = records[place++];
    const auto literal = field == nullptr || value == nullptr ? std::nullopt : literal_for(*field, *value, row.as);
    if (literal) record.emplace(row.member, *literal);
  }
}

// The list within each item that has the value of the call's input.
void read_inner_list(const CallIndex& calls, const ListRow& row, Records& records) {
  for (auto& [place, record] : records) {
    const auto key = number_of(record, row.key);
    if (!key) continue;
    compiler::LiteralList numbers;
    for (const Json& item : list(calls.good(row.function, fmt::format("{}={}", row.input, *key)), row.items)) {
      if (const auto value = number_literal(&item)) numbers.push_back(*value);
    }
    record.emplace(row.inner, std::move(numbers));
  }
}

// The number that an input is; of a row with a number, that one.
std::optional<std::uint64_t> input_of(const Call& call, std::string_view input) {
  if (const auto fixed = whole_number(input)) return fixed;
  if (const Json* given = member(call.in, input)) return number(given);
  return input == "unit" ? call.subject.unit : std::nullopt;
}

// The item that a call is about; null where there is none.
Record* item_of(const Call& call, const ItemRow& row, ListDraft& draft) {
  const auto which = input_of(call, row.item);
  if (!which) return nullptr;
  if (row.key.empty()) return *which < kMostItems ? &draft.records[*which] : nullptr;
  for (auto& [place, record] : draft.records) {
    if (number_of(record, row.key) == which) return &record;
  }
  // Other keys than the number tell items apart, and do not name them.
  if (!call.succeeded() || row.key != "number" || *which >= kMostItems) return nullptr;
  draft.named = true;
  Record& record = draft.records[*which];
  record.emplace(row.key, *which);
  return &record;
}

// Lists within the items of one list: by list, item and member.
using InnerLists = std::map<std::tuple<std::string_view, std::uint64_t, std::string_view>, Records>;

void read_inner_item(const CallIndex& calls, const ItemRow& row, InnerLists& inner) {
  const Field* list_field = field_of(row.list);
  const Field* inner_field = list_field == nullptr ? nullptr : member_of(*list_field, row.inner);
  const Field* field = inner_field == nullptr ? nullptr : member_of(*inner_field, row.member);
  if (field == nullptr) return;
  for (const Call* call : calls.of(row.function, row.when)) {
    const auto item = input_of(*call, row.item);
    const auto place = input_of(*call, row.inner_item);
    if (!call->succeeded() || !item || !place || *place >= kMostItems || !matches(*call, row.when)) continue;
    put(inner[{row.list, *item, row.inner}][*place], *field, *call, row.output, row.as);
  }
}

void read_item(const CallIndex& calls, const ItemRow& row, ListDraft& draft) {
  const Field* list_field = field_of(row.list);
  const Field* field = list_field == nullptr ? nullptr : member_of(*list_field, row.member);
  if (field == nullptr) return;
  for (const Call* call : calls.of(row.function, row.when)) {
    if (!matches(*call, row.when)) continue;
    Record* record = item_of(*call, row, draft);
    if (record != nullptr) put(*record, *field, *call, row.output, row.as);
  }
}

// Members told bit by bit, where no call gives the whole.
void read_bits(const CallIndex& calls, Lists& lists) {
  std::map<std::pair<Record*, std::string_view>, std::uint64_t> masks;
  for (const ItemRow& row : item_rows()) {
    if (row.bit.empty()) continue;
    for (const Call* call : calls.of(row.function, row.when)) {
      Record* record = item_of(*call, row, lists[std::string(row.list)]);
      const auto bit = input_of(*call, row.bit);
      const auto value = number(*call, row.output);
      if (record == nullptr || !call->succeeded() || !bit || *bit >= 32 || !value) continue;
      masks[{record, row.member}] |= (*value & 1) << *bit;
    }
  }
  for (const auto& [place, mask] : masks)
    place.first->emplace(place.second, mask);
}

}  // namespace

Records items_of(const Call& call, std::string_view list) {
  Records records;
  for (const ListRow& row : list_rows()) {
    if (row.list == list && row.function == call.function && row.inner.empty()) fill_column(call, row, records);
  }
  return records;
}

// From the newest function to the oldest: the first one that says which items there are is the list's.
void read_lists(const CallIndex& calls, Lists& lists) {
  for (const ListRow& row : std::views::reverse(list_rows())) {
    if (!row.inner.empty() || row.list == kJoinedByHand) continue;
    ListDraft& draft = lists[std::string(row.list)];
    if (draft.source == nullptr) {
      const Call* call = calls.find(row.function, row.when);
      if (!gives_items(call, row)) continue;
      draft.source = call;
    }
    if (draft.source->function != row.function) continue;
    fill_column(*draft.source, row, draft.records);
    draft.count = draft.records.size();
  }
  for (const ListRow& row : list_rows()) {
    if (!row.inner.empty()) read_inner_list(calls, row, lists[std::string(row.list)].records);
  }
}

void read_items(const CallIndex& calls, Lists& lists) {
  InnerLists inner;
  for (const ItemRow& row : item_rows()) {
    if (!row.inner.empty()) {
      read_inner_item(calls, row, inner);
    } else if (row.bit.empty()) {
      read_item(calls, row, lists[std::string(row.list)]);
    }
  }
  read_bits(calls, lists);
  for (auto& [where, records] : inner) {
    const auto& [list, place, member] = where;
    compiler::LiteralList items;
    for (std::uint64_t i = 0; records.contains(i); ++i)
      items.emplace_back(records[i]);
    lists[std::string(list)].records[place].emplace(member, std::move(items));
  }
}

void read_lengths(const CallIndex& calls, Lists& lists) {
  for (const LengthRow& row : length_rows()) {
    const Call* call = calls.find(row.function, row.when);
    if (call == nullptr || (!call->succeeded() && !(row.refused_if_empty && of_the_board(call->code)))) continue;
    ListDraft& draft = lists[std::string(row.list)];
    draft.source = call;
    draft.count = call->succeeded() ? number(*call, row.output).value_or(0) : 0;
  }
}

}  // namespace nvmlab::importer::replay
