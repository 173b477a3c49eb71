// SPDX-License-Identifier: Apache-2.0
// Facts of a GPU as field values tell them now, and what adds up over its links. Tests:
// tests/drivers/functions/fields_test.cpp, load_test.cpp.
#pragma once

#include "drivers/nvml/hooks/field_places.hpp"
#include "drivers/nvml/hooks/nvlink.hpp"
#include "drivers/nvml/hooks/stored_fields.hpp"

namespace nvmlab::driver {

template <class T>
constexpr auto derived_at(std::size_t offset) -> Fact<T> (*)(const Gpu&) {
  if constexpr (std::is_same_v<T, std::uint64_t>) return derived::function_of_u64(offset);
  if constexpr (std::is_same_v<T, std::int32_t>) return derived::function_of_i32(offset);
  if constexpr (std::is_same_v<T, std::uint32_t>) return derived::function_of_u32(offset);
}

template <class T>
Fact<T> fact_at(const GpuNow& now, std::size_t offset) {
  Fact<T> fact = At<Fact<T>>{offset, derived_at<T>(offset)}.fetch(now.gpu);
  if (fact.moves()) [[unlikely]]
    resolve(fact, Motion(now.gpu, now.now_ns));
  return fact;
}

// Adds up what `part` finds on each of `count` links; refused as the first is where none has it.
template <class Part>
Fact<std::uint64_t> sum_of(std::uint32_t count, const Part& part) {
  Fact<std::uint64_t> sum{};
  for (std::uint32_t i = 0; i < count; ++i) {
    const Fact<std::uint64_t> each = part(i);
    if (each.has_value()) {
      sum.set(sum.value + each.value);
    } else if (i == 0) {
      sum = each;
    }
  }
  return sum;
}

inline Fact<std::uint64_t> bandwidth_of(const GpuNow& now, std::uint32_t set, std::uint32_t number) {
  const auto& counters = now.gpu.nvlink.links.items[number].counters;
  Fact<std::uint64_t> both{};
  if (set >= length_of(counters)) return both;
  Fact<std::uint64_t> rx = load(counters.items[set].rx);
  Fact<std::uint64_t> tx = load(counters.items[set].tx);
  if (rx.moves() || tx.moves()) [[unlikely]] {
    const Motion motion(now.gpu, now.now_ns);
    resolve(rx, motion);
    resolve(tx, motion);
  }
  both.set(rx.value_or(0) + tx.value_or(0));
  return both;
}

inline Fact<std::uint64_t> sum_of_links(const GpuNow& now, std::size_t offset) {
  return sum_of(visible_links(now.gpu), [&now, offset](std::uint32_t number) {
    return fact_at<std::uint64_t>(now, link_place(now.gpu, number, offset).offset);
  });
}

}  // namespace nvmlab::driver
