// SPDX-License-Identifier: Apache-2.0
//
// Records in lists: the outputs that come from one item, chosen by its number or by a key, and a list that goes into an
// array within the caller's struct. Parts as in shapes/outputs.hpp; the outputs of an item fetch from the item.
#pragma once

#include "drivers/nvml/shapes/outputs.hpp"

namespace nvmlab::driver {

// The item at a place of the list. `Empty`: the code of a list without items; `Missing`: of one with fewer.
template <nvmlReturn_t Empty, nvmlReturn_t Missing>
struct ByIndex {
  std::uint32_t wanted;

  template <class ListType>
  nvmlReturn_t find(const ListType& list, std::uint32_t& place) const {
    const std::uint32_t count = length_of(list);
    place = wanted;
    if (wanted < count) [[likely]]
      return NVML_SUCCESS;
    return count == 0 ? Empty : Missing;
  }
};
template <nvmlReturn_t Empty = NVML_ERROR_NOT_SUPPORTED, nvmlReturn_t Missing = NVML_ERROR_INVALID_ARGUMENT>
ByIndex<Empty, Missing> by_index(std::uint32_t wanted) {
  return {wanted};
}

// The first item whose field has a value.
template <class Key, nvmlReturn_t Empty, nvmlReturn_t Missing>
struct ByKey {
  static constexpr nvmlReturn_t kMissing = Missing;
  [[no_unique_address]] Key key;
  std::uint64_t wanted;

  template <class ListType>
  nvmlReturn_t find(const ListType& list, std::uint32_t& place) const {
    const std::uint32_t count = length_of(list);
    for (place = 0; place < count; ++place) {
      const auto own = key.fetch(list.items[place]);
      if (own.has_value() && own.value == wanted) return NVML_SUCCESS;
    }
    return count == 0 ? Empty : Missing;
  }
};
template <nvmlReturn_t Empty = NVML_ERROR_NOT_SUPPORTED, nvmlReturn_t Missing = NVML_ERROR_INVALID_ARGUMENT, class Key,
          class Wanted>
ByKey<Key, Empty, Missing> by_key(Key key, Wanted wanted) {
  return {key, static_cast<std::uint64_t>(wanted)};
}

// The same, of those items alone whose number the simulated driver knows.
template <class Key, class Number>
struct ByVisibleKey {
  Key by;
  [[no_unique_address]] Number number;
  std::uint32_t limit = 0;

  template <class ListType>
  nvmlReturn_t find(const ListType& list, std::uint32_t& place) const {
    const nvmlReturn_t code = by.find(list, place);
    if (code != NVML_SUCCESS) return code;
    return number.fetch(list.items[place]).value_or(~0U) < limit ? NVML_SUCCESS : Key::kMissing;
  }
};
template <class Key, class Number>
ByVisibleKey<Key, Number> visible(Key by, Number number, std::uint32_t limit) {
  return {by, number, limit};
}

// A unit by its handle.
struct ByHandle {
  const Store& store;
  nvmlUnit_t unit;

  template <class ListType>
  nvmlReturn_t find(const ListType& list, std::uint32_t& place) const {
    const std::uint32_t count = length_of(list);
    place = find_unit(store, reinterpret_cast<std::uint64_t>(unit), count);
    return place < count ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
  }
};
inline ByHandle by_handle(const Store& store, nvmlUnit_t unit) { return {store, unit}; }

template <class Place, class Select, class... Parts>
struct ItemOutputs {
  struct Value {
    nvmlReturn_t code;
    Fetched<typename Parts::Value...> facts;
  };
  [[no_unique_address]] Place list;
  Select select;
  [[no_unique_address]] std::tuple<Parts...> parts;

  nvmlReturn_t check() const {
    return std::apply([](const Parts&... each) { return check_all(each...); }, parts);
  }
  bool wanted() const {
    return std::apply([](const Parts&... each) { return (each.wanted() || ...); }, parts);
  }
  template <class State>
  [[gnu::always_inline]] void fetch_into(Value& value, const State& state) const {
    const auto& items = list.in(state);
    std::uint32_t place = 0;
    value.code = select.find(items, place);
    if (value.code != NVML_SUCCESS) return;
    std::apply([&](const Parts&... each) { fetch_all(value.facts, items.items[place], each...); }, parts);
  }
  nvmlReturn_t verdict(const Value& value) const {
    if (value.code != NVML_SUCCESS) return value.code;
    return std::apply([&](const Parts&... each) { return verdict_all(value.facts, each...); }, parts);
  }
  void deliver(const Value& value) const {
    std::apply([&](const Parts&... each) { deliver_all(value.facts, each...); }, parts);
  }
};
template <class Place, class Select, class... Parts>
ItemOutputs<Place, Select, Parts...> item(Place list, Select select, Parts... parts) {
  return {list, select, {parts...}};
}

// A member of each entry of an array of structs; what a field without a value leaves behind is zero.
template <auto Member, class Source>
struct Column {
  using Value = typename Source::Value;
  [[no_unique_address]] Source source;
  template <class Item>
  void fetch_into(Value& fact, const Item& item) const {
    source.fetch_into(fact, item);
  }
  template <class Entry>
  void put(Entry& entry, const Value& fact) const {
    assign(member_in(entry, Member), fact);
  }
};
template <auto Member, class Source>
Column<Member, Source> column(Source source) {
  return {source};
}
template <auto Member, auto First, auto... Path>
Column<Member, Field<First, Path...>> column() {
  return {};
}

// Each entry itself, of an array of numbers.
template <class Source>
struct Entry {
  using Value = typename Source::Value;
  [[no_unique_address]] Source source;
  template <class Item>
  void fetch_into(Value& fact, const Item& item) const {
    source.fetch_into(fact, item);
  }
  template <class Number>
  void put(Number& entry, const Value& fact) const {
    entry = static_cast<Number>(fact.value);
  }
};
template <class Source>
Entry<Source> entry(Source source) {
  return {source};
}

template <class Row>
void deliver_row(Row&, const Fetched<>&) {}
template <class Row, class Facts, class First, class... Rest>
void deliver_row(Row& row, const Facts& facts, const First& first, const Rest&... rest) {
  first.put(row, facts.first);
  deliver_row(row, facts.rest, rest...);
}

// A list as an array of numbers whose size in bytes the caller says; `rest` stands behind the last item.
template <class T, class Place, class Source>
struct FilledOutput {
  using ListType = typename Place::Value;
  struct Value {
    std::uint32_t count;
    typename Source::Value items[ListType::capacity];
  };
  T* to;
  std::size_t room;
  [[no_unique_address]] Place list;
  T rest;
  [[no_unique_address]] Source source;

  nvmlReturn_t check() const { return to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return true; }
  template <class State>
  void fetch_into(Value& value, const State& state) const {
    const ListType& items = list.in(state);
    value.count = length_of(items);
    for (std::uint32_t i = 0; i < value.count; ++i)
      source.fetch_into(value.items[i], items.items[i]);
  }
  nvmlReturn_t verdict(const Value& value) const {
    if (value.count == 0) return NVML_ERROR_NOT_SUPPORTED;
    return value.count <= room ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
  }
  void deliver(const Value& value) const {
    for (std::size_t i = 0; i < room; ++i)
      to[i] = i < value.count ? static_cast<T>(value.items[i].value) : rest;
  }
};
template <class T, class Place, class Source>
FilledOutput<T, Place, Source> filled(T* to, std::size_t bytes, Place list, T rest, Source source) {
  return {to, bytes / sizeof(T), list, rest, source};
}

// A list as an array within a struct, with how many there are beside it. What there is no item for becomes zero.
template <class Struct, auto Array, auto Count, nvmlReturn_t Empty, class Place, class... Columns>
struct ArrayOutput {
  using ListType = typename Place::Value;
  struct Value {
    std::uint32_t count;
    Fetched<typename Columns::Value...> rows[ListType::capacity];
  };
  Struct* to;
  [[no_unique_address]] Place list;
  [[no_unique_address]] std::tuple<Columns...> columns;

  nvmlReturn_t check() const { return to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
  bool wanted() const { return true; }
  template <class State>
  void fetch_into(Value& value, const State& state) const {
    const ListType& items = list.in(state);
    value.count = length_of(items);
    for (std::uint32_t i = 0; i < value.count; ++i)
      std::apply([&](const Columns&... each) { fetch_all(value.rows[i], items.items[i], each...); }, columns);
  }
  nvmlReturn_t verdict(const Value& value) const { return value.count == 0 ? Empty : NVML_SUCCESS; }
  void deliver(const Value& value) const {
    auto& entries = member_in(*to, Array);
    constexpr std::uint32_t room = sizeof entries / sizeof *entries;
    const std::uint32_t given = value.count < room ? value.count : room;
    std::memset(&entries, 0, sizeof entries);
    for (std::uint32_t i = 0; i < given; ++i)
      std::apply([&](const Columns&... each) { deliver_row(entries[i], value.rows[i], each...); }, columns);
    auto& number = member_in(*to, Count);
    number = static_cast<std::remove_reference_t<decltype(number)>>(given);
  }
};
template <auto Array, auto Count, nvmlReturn_t Empty = NVML_SUCCESS, class Struct, class Place, class... Columns>
ArrayOutput<Struct, Array, Count, Empty, Place, Columns...> array(Struct* to, Place list, Columns... columns) {
  return {to, list, {columns...}};
}

}  // namespace nvmlab::driver
