// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/field_rules.hpp"

#include <cstring>

namespace nvmlab {
namespace {

// A field of a row in one item of its lists.
struct Place {
  std::uint32_t offset;
  std::uint32_t shift;  // from the first item's field
  std::uint32_t item;   // of the outer list
};

struct Number {
  bool known;
  std::int64_t value;
};

template <class T>
Number number_in(const unsigned char* at) {
  Fact<T> fact{};
  std::memcpy(&fact, at, sizeof fact);
  constexpr auto most = static_cast<std::uint64_t>(INT64_MAX);
  if constexpr (sizeof(T) == 8) {
    return {fact.has_value(), static_cast<std::int64_t>(fact.value < most ? fact.value : most)};
  } else {
    return {fact.has_value(), fact.value};
  }
}

template <class State>
Number number_at(const Edit<State>& draft, std::uint32_t offset, FieldType type) {
  const unsigned char* const at = draft.view_at(offset);
  if (at == nullptr) return {};
  switch (type) {
    case FieldType::u32:
    case FieldType::flag:
      return number_in<std::uint32_t>(at);
    case FieldType::i32:
      return number_in<std::int32_t>(at);
    case FieldType::u64:
      return number_in<std::uint64_t>(at);
    default:
      return {};
  }
}

template <class State>
std::uint32_t length_of_list(const Edit<State>& draft, const ListPlace& list, std::uint32_t shift) {
  std::uint32_t length = 0;
  const unsigned char* const at = draft.view_at(list.offset + shift);
  if (at != nullptr) std::memcpy(&length, at, sizeof length);
  return length < list.capacity ? length : list.capacity;
}

// The end of the field in the last item that the lists have room for.
template <class State>
std::uint32_t end_of(const FieldRule<State>& rule) {
  std::uint32_t end = rule.offset + rule.size;
  for (const ListPlace& list : rule.lists)
    if (list.capacity > 0) end += (list.capacity - 1) * list.item_size;
  return end;
}

template <class State>
bool may_touch(const FieldRule<State>& rule, const Written& written) {
  return written.find(rule.offset, end_of(rule) - rule.offset) != written.count();
}

// Calls `visit` with each place of the row that was written, until one answers with an error.
template <class State, class Visit>
Code visit_written(const Edit<State>& draft, const FieldRule<State>& rule, const Written& written, const Visit& visit) {
  const auto look = [&](std::uint32_t shift, std::uint32_t item) {
    const Place place{rule.offset + shift, shift, item};
    return written.find(place.offset, rule.size) == written.count() ? kSuccess : visit(place);
  };
  const ListPlace& outer = rule.lists[0];
  const ListPlace& inner = rule.lists[1];
  if (outer.capacity == 0) return look(0, 0);
  const std::uint32_t length = length_of_list(draft, outer, 0);
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uint32_t shift = i * outer.item_size;
    const std::uint32_t inner_length = inner.capacity == 0 ? 1 : length_of_list(draft, inner, shift);
    for (std::uint32_t j = 0; j < inner_length; ++j)
      if (const Code code = look(shift + j * inner.item_size, i); code != kSuccess) return code;
  }
  return kSuccess;
}

template <class State>
Number end_of_range(const Edit<State>& draft, const Bound& bound, FieldType type, std::uint32_t shift) {
  switch (bound.kind) {
    case Bound::Kind::none:
      return {};
    case Bound::Kind::number:
      return {true, bound.value};
    case Bound::Kind::field:
      return number_at(draft, static_cast<std::uint32_t>(bound.value), type);
    case Bound::Kind::beside:
      return number_at(draft, static_cast<std::uint32_t>(bound.value) + shift, type);
  }
  return {};
}

// An end that the board does not report does not limit the field.
template <class State>
bool in_range(const Edit<State>& draft, const FieldRule<State>& rule, const Place& place) {
  const Number now = number_at(draft, place.offset, rule.type);
  if (!now.known) return true;
  const Number lowest = end_of_range(draft, rule.lowest, rule.type, place.shift);
  const Number highest = end_of_range(draft, rule.highest, rule.type, place.shift);
  return now.value >= rule.low && now.value <= rule.high && (!lowest.known || now.value >= lowest.value) &&
         (!highest.known || now.value <= highest.value);
}

// Whether a row before this one has run the same rule for the same item.
template <class State>
bool has_run(const Edit<State>& draft, const FieldRule<State>& rule, const Written& written, std::uint32_t item) {
  for (const FieldRule<State>& earlier : field_rules<State>()) {
    if (&earlier == &rule) return false;
    if (earlier.follow != rule.follow || !may_touch(earlier, written)) continue;
    const Code code = visit_written(draft, earlier, written,
                                    [item](const Place& place) { return place.item == item ? kInUse : kSuccess; });
    if (code != kSuccess) return true;
  }
  return false;
}

template <class State>
const FieldRule<State>* find_rule(std::uint32_t offset) {
  for (const FieldRule<State>& rule : field_rules<State>()) {
    if (offset < rule.offset || offset >= end_of(rule)) continue;
    std::uint32_t from = offset - rule.offset;
    for (const ListPlace& list : rule.lists)
      if (list.capacity > 0) from %= list.item_size;
    if (from == 0) return &rule;
  }
  return nullptr;
}

Written::Range first_byte(const void* offsets, std::uint32_t index) {
  const std::uint32_t offset = static_cast<const std::uint32_t*>(offsets)[index];
  return {offset, offset + 1};
}

constexpr std::size_t kMostFields = 4;

template <class State>
Code follow_edited(Edit<State>& draft, const void* const* fields, std::size_t count) {
  std::uint32_t offsets[kMostFields] = {};
  std::uint32_t known = 0;
  for (; known < count && known < kMostFields; ++known)
    offsets[known] = draft.place_of_edited(fields[known]);
  std::uint32_t failed = 0;
  return follow_written(draft, Written(offsets, known, first_byte), &failed);
}

template <class T>
Code set_fact(unsigned char* at, std::uint64_t value) {
  Fact<T>& fact = *reinterpret_cast<Fact<T>*>(at);
  if (!fact.has_value()) return fact.code();
  fact.set(static_cast<T>(value));
  return kSuccess;
}

template <class State>
Code write(Edit<State>& draft, std::uint32_t offset, std::uint64_t value) {
  const FieldRule<State>* const rule = find_rule<State>(offset);
  unsigned char* const at = draft.edit_at(offset);
  if (rule == nullptr || at == nullptr || rule->type == FieldType::text) return kInvalidArgument;
  const bool wide = rule->type == FieldType::u64;
  if (const Code code = wide ? set_fact<std::uint64_t>(at, value) : set_fact<std::uint32_t>(at, value);
      code != kSuccess)
    return code;
  if (!wide && value > UINT32_MAX) return kInvalidArgument;
  std::uint32_t failed = 0;
  return follow_written(draft, Written(&offset, 1, first_byte), &failed);
}

}  // namespace

std::uint32_t Written::find(std::uint32_t offset, std::uint32_t size) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Range each = range(i);
    if (each.begin < offset + size && each.end > offset) return i;
  }
  return count_;
}

template <class State>
Code follow_written(Edit<State>& draft, const Written& written, std::uint32_t* failed) {
  for (const FieldRule<State>& rule : field_rules<State>()) {
    if (!may_touch(rule, written)) continue;
    const Code code = visit_written(draft, rule, written, [&](const Place& place) {
      *failed = written.find(place.offset, rule.size);
      return in_range(draft, rule, place) ? kSuccess : kInvalidArgument;
    });
    if (code != kSuccess) return code;
  }
  for (const FieldRule<State>& rule : field_rules<State>()) {
    if (rule.follow == nullptr || !may_touch(rule, written)) continue;
    const Code code = visit_written(draft, rule, written, [&](const Place& place) {
      *failed = written.find(place.offset, rule.size);
      return has_run(draft, rule, written, place.item) ? kSuccess : rule.follow(draft, place.item, written);
    });
    if (code != kSuccess) return code;
  }
  return kSuccess;
}

template Code follow_written(GpuEdit& draft, const Written& written, std::uint32_t* failed);
template Code follow_written(NodeEdit& draft, const Written& written, std::uint32_t* failed);

Code follow_fields(GpuEdit& gpu, std::initializer_list<const void*> fields) {
  return follow_edited(gpu, fields.begin(), fields.size());
}
Code follow_fields(NodeEdit& node, std::initializer_list<const void*> fields) {
  return follow_edited(node, fields.begin(), fields.size());
}

Code write_setting(GpuEdit& gpu, std::uint32_t offset, std::uint64_t value) { return write(gpu, offset, value); }
Code write_setting(NodeEdit& node, std::uint32_t offset, std::uint64_t value) { return write(node, offset, value); }

}  // namespace nvmlab
