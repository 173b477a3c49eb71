// SPDX-License-Identifier: Apache-2.0
//
// Which items of a list a call means, which of them its caller may see, and how each comes into the caller's arrays:
// what shapes/lists.hpp is made of. Tests: tests/drivers/functions/protocols_test.cpp, pid_namespace_test.cpp.
#pragma once

#include "drivers/nvml/process_sight.hpp"
#include "drivers/nvml/shapes/read.hpp"

namespace nvmlab::driver {

// Which items of a list are meant.
struct Every {
  template <class Item>
  bool takes(const Item&) const {
    return true;
  }
};
// Those that have one of the bits.
template <class Source>
struct WithBits {
  [[no_unique_address]] Source mask;
  std::uint32_t bits = 0;
  template <class Item>
  bool takes(const Item& item) const {
    return (mask.fetch(item).value & bits) != 0;
  }
};

// Those in which it has this value.
template <class Source>
struct WithValue {
  [[no_unique_address]] Source own_field;
  std::uint32_t value = 0;
  template <class Item>
  bool takes(const Item& item) const {
    const Fact<std::uint32_t> own = own_field.fetch(item);
    return own.has_value() && own.value == value;
  }
};

// All of them, where they are newer than what the caller has seen; samples are of now.
struct NewerThan {
  bool newer;
  template <class Item>
  bool takes(const Item&) const {
    return newer;
  }
};
inline NewerThan newer_than(std::uint64_t last_seen_us) { return {current_time_us() > last_seen_us}; }

// Those that run in an instance, where a MIG device is asked.
template <class Filter>
struct OfInstance {
  Filter filter;
  std::uint32_t gpu_instance;
  std::uint32_t compute_instance;
  template <class Item>
  bool takes(const Item& item) const {
    return filter.takes(item) && load(item.gpu_instance).value_or(kNoInstance) == gpu_instance &&
           load(item.compute_instance).value_or(kNoInstance) == compute_instance;
  }
};

// What a caller sees of items: everything, but for processes of other pid namespaces.
template <class Items>
struct Sight {
  template <class State>
  explicit Sight(const Latched<State>& /*slot*/) {}
  template <class Item>
  bool hides(const Item& /*item*/) const {
    return false;
  }
  template <class Item, class Give>
  void show(const Item& item, Give&& give) const {
    give(item);
  }
};
template <>
struct Sight<decltype(Processes::running)> : ProcessSight {
  using ProcessSight::ProcessSight;
  template <class Give>
  void show(const Processes::Process& each, Give&& give) const {
    std::uint32_t pid = 0;
    if (!renames(each, &pid)) return give(each);
    Processes::Process shown = load(each);
    shown.pid.set(pid);
    give(shown);
  }
};

template <class Filter, class Items>
std::uint32_t count_rows(const Items& list, const Filter& filter, const Sight<Items>& sight) {
  constexpr bool all_are_seen = !std::is_base_of_v<ProcessSight, Sight<Items>>;
  if constexpr (std::is_same_v<Filter, Every> && all_are_seen) return length_of(list);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < length_of(list); ++i)
    count += filter.takes(list.items[i]) && !sight.hides(list.items[i]) ? 1 : 0;
  return count;
}

// A process that has all of a load, as it is now.
template <class... Columns>
[[gnu::noinline, gnu::cold]] void give_moving(std::uint32_t row, const Gpu& gpu, const Processes::Process& item,
                                              const Columns&... columns) {
  Processes::Process told{};
  load_into(told, item);
  resolve(told, Motion(gpu, current_time_ns()));
  (columns.give(row, told), ...);
}
template <class State, class Item, class... Columns>
void give_row(std::uint32_t row, const State& state, const Item& item, const Columns&... columns) {
  if constexpr (std::is_same_v<State, Gpu> && std::is_same_v<Item, Processes::Process>) {
    if (load(item.sm_percent).moves()) [[unlikely]]
      return give_moving(row, state, item, columns...);
  }
  (columns.give(row, item), ...);
}

template <class State, class Items, class Filter, class... Columns>
void give_rows(const State& state, const Items& list, const Filter& filter, const Sight<Items>& sight,
               std::uint32_t count, const Columns&... columns) {
  std::uint32_t row = 0;
  for (std::uint32_t i = 0; i < length_of(list) && row < count; ++i) {
    if (!filter.takes(list.items[i]) || sight.hides(list.items[i])) continue;
    sight.show(list.items[i], [&](const auto& item) { give_row(row, state, item, columns...); });
    ++row;
  }
}

}  // namespace nvmlab::driver
