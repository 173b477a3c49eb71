// SPDX-License-Identifier: Apache-2.0
//
// The verdict `list`: the items of a list into the caller's array or arrays, by one of the protocols by which NVML's
// callers learn how much room it takes. Items go straight from the state into the caller's memory, so that a long list
// takes no room on a stack. Tests: tests/drivers/functions/protocols_test.cpp.
#pragma once

#include "drivers/nvml/shapes/list_rows.hpp"

namespace nvmlab::driver {

// Letters as in model/meaning/README.md. Of all: what fits is given, with its count.
enum class Protocol : std::uint8_t {
  a,          // too small: INSUFFICIENT_SIZE, and the count that is needed; null with room for something: an error
  a_or_null,  // likewise, and null has no room
  b,          // too small: INSUFFICIENT_SIZE, and the count stays as it is
  c,          // no room asks for the count
  f,          // too small, or null: INSUFFICIENT_SIZE, and the count that is needed; nothing there: NOT_FOUND
  g,          // null asks for the count
};

struct ListAnswer {
  nvmlReturn_t code;
  bool tell;  // the count
  bool give;  // the items
};

template <Protocol P>
constexpr ListAnswer list_answer(std::uint32_t offered, std::uint32_t needed, bool null) {
  constexpr ListAnswer all{NVML_SUCCESS, true, true};
  constexpr ListAnswer count_alone{NVML_SUCCESS, true, false};
  constexpr ListAnswer wrong{NVML_ERROR_INVALID_ARGUMENT, false, false};
  const ListAnswer small{NVML_ERROR_INSUFFICIENT_SIZE, P != Protocol::b, false};
  if (P == Protocol::f && needed == 0) return {NVML_ERROR_NOT_FOUND, true, false};
  if (P == Protocol::f && null) return small;
  if (P == Protocol::a_or_null && null) return needed > 0 ? small : count_alone;
  if (P == Protocol::c && offered > 0 && null) return wrong;
  if ((P == Protocol::c && offered == 0) || (P == Protocol::g && null)) return count_alone;
  if (offered < needed) return small;
  if (null) return needed > 0 ? wrong : count_alone;
  return all;
}

// A list of the state; or a list within an item of another one.
template <class Place>
struct Whole {
  using Items = typename Place::Value;
  [[no_unique_address]] Place list;
  template <class State>
  nvmlReturn_t find(const State& state, const Items*& found) const {
    found = &list.in(state);
    return NVML_SUCCESS;
  }
};
template <class Place>
Whole<Place> whole(Place list) {
  return {list};
}
template <class Outer, class Select, class Place>
struct Within {
  using Items = typename Place::Value;
  [[no_unique_address]] Outer outer;
  Select select;
  [[no_unique_address]] Place list;
  template <class State>
  nvmlReturn_t find(const State& state, const Items*& found) const {
    const auto& items = outer.in(state);
    std::uint32_t place = 0;
    const nvmlReturn_t code = select.find(items, place);
    if (code == NVML_SUCCESS) found = &list.in(items.items[place]);
    return code;
  }
};
template <class Outer, class Select, class Place>
Within<Outer, Select, Place> within(Outer outer, Select select, Place list) {
  return {outer, select, list};
}
template <class Rows>
inline constexpr bool is_whole = false;
template <class Place>
inline constexpr bool is_whole<Whole<Place>> = true;

// A member of each entry of the caller's array of structs.
template <auto Member, class Struct, class Source>
struct RowMember {
  Struct* to;
  [[no_unique_address]] Source source;
  bool null() const { return to == nullptr; }
  template <class Item>
  void give(std::uint32_t row, const Item& item) const {
    typename Source::Value fact;
    source.fetch_into(fact, item);
    assign(member_in(to[row], Member), fact);
  }
};
template <auto Member, class Struct, class Source>
RowMember<Member, Struct, Source> row_member(Struct* to, Source source) {
  return {to, source};
}
template <auto Member, auto First, auto... Path, class Struct>
RowMember<Member, Struct, Field<First, Path...>> row_member(Struct* to) {
  return {to, {}};
}

// A member that only some layouts of an entry may have.
#define NVMLAB_MEMBER(name)                                           \
  [](auto& entry, const auto& fact) {                                 \
    if constexpr (requires { entry.name; }) assign(entry.name, fact); \
  }
// Some drivers have the entry layout `Other`; clients recognize it by the functions that these drivers export.
template <class Other, class Struct, class Put, class Source>
struct RowPut {
  bool other;
  Struct* to;
  [[no_unique_address]] Put put;
  [[no_unique_address]] Source source;
  bool null() const { return to == nullptr; }
  template <class Item>
  void give(std::uint32_t row, const Item& item) const {
    typename Source::Value fact;
    source.fetch_into(fact, item);
    if (other) {
      put(reinterpret_cast<Other*>(to)[row], fact);
    } else {
      put(to[row], fact);
    }
  }
};
template <class Other, class Struct, class Put, class Source>
RowPut<Other, Struct, Put, Source> row_put(bool other, Struct* to, Put put, Source source) {
  return {other, to, put, source};
}

// Each entry of the caller's array of numbers.
template <class T, class Source>
struct RowValue {
  T* to;
  [[no_unique_address]] Source source;
  bool null() const { return to == nullptr; }
  template <class Item>
  void give(std::uint32_t row, const Item& item) const {
    typename Source::Value fact;
    source.fetch_into(fact, item);
    to[row] = static_cast<T>(fact.value);
  }
};
template <class T, class Source>
RowValue<T, Source> row_value(T* to, Source source) {
  return {to, source};
}
template <auto First, auto... Path, class T>
RowValue<T, Field<First, Path...>> row_value(T* to) {
  return {to, {}};
}

// What has to hold before the list is looked at (shapes/gates.hpp).
template <class... Gates>
struct Conditions {
  std::tuple<Gates...> gates;
  template <class State>
  nvmlReturn_t ask(const State& state) const {
    return std::apply([&state](const Gates&... each) { return verdict_in(state, each...); }, gates);
  }
};
template <class... Gates>
Conditions<Gates...> conditions(Gates... gates) {
  return {{gates...}};
}

template <Protocol P, class State, class Gates, class Rows, class Filter, class... Columns>
[[gnu::noinline]] nvmlReturn_t list_rows(const Latched<State>& slot, Gates gates, Rows rows, Filter filter,
                                         nvmlReturn_t empty, unsigned int* count, Columns... columns) {
  const std::uint32_t offered = *count;
  const bool null = (columns.null() || ...);
  if (offered > 0 && null && !(columns.null() && ...)) return NVML_ERROR_INVALID_ARGUMENT;  // one of two arrays
  std::uint32_t needed = 0;
  const Sight<typename Rows::Items> sight(slot);
  const ListAnswer answer = consistent(slot, [&](const State& state) {
    const typename Rows::Items* list = nullptr;
    nvmlReturn_t code = gates.ask(state);
    if (code == NVML_SUCCESS) code = rows.find(state, list);
    if (code != NVML_SUCCESS) return ListAnswer{code, false, false};
    needed = count_rows(*list, filter, sight);
    if (needed == 0 && empty != NVML_SUCCESS) return ListAnswer{empty, false, false};
    const ListAnswer found = list_answer<P>(offered, needed, null);
    if (found.give) give_rows(state, *list, filter, sight, needed, columns...);
    return found;
  });
  if (answer.tell) *count = needed;
  return answer.code;
}

// `empty`: the code of a list without items. Most lists that clients read are empty, so that is checked first.
template <Protocol P, class State, class Gates, class Rows, class Filter, class... Columns>
[[gnu::always_inline]] inline nvmlReturn_t list(const Latched<State>& slot, Gates gates, Rows rows, Filter filter,
                                                nvmlReturn_t empty, unsigned int* count, Columns... columns) {
  if constexpr (std::is_same_v<Gates, Conditions<>> && is_whole<Rows>) {
    const bool some_null = (columns.null() || ...);
    const bool all_null = (columns.null() && ...);
    if (empty == NVML_SUCCESS && some_null == all_null &&
        consistent(slot, [&](const State& state) { return length_of(rows.list.in(state)); }) == 0) {
      const ListAnswer answer = list_answer<P>(*count, 0, some_null);
      if (answer.tell) *count = 0;
      return answer.code;
    }
  }
  return list_rows<P>(slot, gates, rows, filter, empty, count, columns...);
}

// The same for a device, which may be a MIG device.
template <Protocol P, class Gates, class Rows, class Filter, class... Columns>
[[gnu::always_inline]] inline nvmlReturn_t list(const Device& device, Gates gates, Rows rows, Filter filter,
                                                nvmlReturn_t empty, unsigned int* count, Columns... columns) {
  if constexpr (requires(typename Rows::Items::Item item) { item.compute_instance; }) {
    if (device.is_mig()) [[unlikely]] {
      const OfInstance<Filter> own{filter, device.gpu_instance, device.compute_instance};
      return list_rows<P>(device.slot, gates, rows, own, empty, count, columns...);
    }
  }
  return list<P>(device.slot, gates, rows, filter, empty, count, columns...);
}

// A bit mask of so many words as the caller has room for: enough for the highest bit that is set.
template <class Place>
struct MaskOutput {
  using Words = typename Place::Value;
  struct Value {
    std::uint32_t count;
    typename Words::Item words[Words::capacity];
  };
  unsigned long* to;
  std::uint32_t room;
  [[no_unique_address]] Place list;

  nvmlReturn_t check() const { return to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return true; }
  template <class State>
  void fetch_into(Value& mask, const State& state) const {
    const Words& words = list.in(state);
    mask.count = length_of(words);
    for (std::uint32_t i = 0; i < mask.count; ++i)
      mask.words[i] = __atomic_load_n(&words.items[i], __ATOMIC_ACQUIRE);
  }
  nvmlReturn_t verdict(const Value& mask) const {
    if (room == 0) return NVML_ERROR_INVALID_ARGUMENT;
    if (mask.count == 0) return NVML_ERROR_NOT_SUPPORTED;
    for (std::uint32_t i = room; i < mask.count; ++i) {
      if (mask.words[i] != 0) return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    return NVML_SUCCESS;
  }
  void deliver(const Value& mask) const {
    for (std::uint32_t i = 0; i < room; ++i)
      to[i] = i < mask.count ? mask.words[i] : 0;
  }
};
template <class Place>
MaskOutput<Place> mask(unsigned long* to, std::uint32_t room, Place list) {
  return {to, room, list};
}

}  // namespace nvmlab::driver
