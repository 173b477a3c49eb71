// SPDX-License-Identifier: Apache-2.0
//
// Field values: many in one call, each with a return code of its own. The table of ids says where in a GPU the value of
// an id lies; reading and clearing go there. Tests: tests/drivers/functions/fields_test.cpp.
#include "drivers/nvml/generated/field_ids.hpp"

#include "drivers/nvml/hooks/nvlink.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "engine/machine/system.hpp"
#include "engine/topics/ecc/ecc_rules.hpp"
#include "engine/topics/topology/path.hpp"

namespace nvmlab::driver {
namespace {

constexpr std::uint32_t kRowCount = sizeof kFieldRows / sizeof kFieldRows[0];
constexpr std::uint32_t kIdCount = kFieldRows[kRowCount - 1].id + 1;

// Where the rows of each id begin; they are sorted by id, and by one id drivers may mean several things.
struct FirstRows {
  std::uint16_t of[kIdCount + 1] = {};
};
constexpr FirstRows kFirstRows = [] {
  FirstRows first;
  std::uint16_t row = 0;
  for (std::uint32_t id = 0; id <= kIdCount; ++id) {
    while (row < kRowCount && kFieldRows[row].id < id)
      ++row;
    first.of[id] = row;
  }
  return first;
}();

// What an id means in the simulated driver; null when it means nothing there.
const FieldRow* find_row(std::uint32_t id) {
  if (id >= kIdCount) return nullptr;
  for (std::uint32_t row = kFirstRows.of[id]; row < kFirstRows.of[id + 1]; ++row) {
    if (in_simulated_driver(kFieldRows[row].drivers)) return &kFieldRows[row];
  }
  return nullptr;
}

// Where a fact lies within a Gpu, or why there is none.
struct Place {
  nvmlReturn_t code;
  std::size_t offset;
};

template <class Items>
Place item_place(const GpuSlot& slot, std::size_t list, std::uint32_t number, std::size_t within) {
  const std::uint32_t count = consistent(slot, [list](const Gpu& gpu) {
    return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const unsigned char*>(&gpu) + list),
                           __ATOMIC_ACQUIRE);
  });
  if (number >= Items::capacity || number >= count) return {NVML_ERROR_NOT_SUPPORTED, 0};
  return {NVML_SUCCESS, list + offsetof(Items, items) + number * sizeof(typename Items::Item) + within};
}

Place link_place(const GpuSlot& slot, std::uint32_t number, std::size_t within) {
  if (const nvmlReturn_t code = check_link(slot, number); code != NVML_SUCCESS) return {code, 0};
  return item_place<decltype(Nvlink::links)>(slot, offsetof(Gpu, nvlink.links), number, within);
}

// Of the rows that stand for one fact.
Place place_of(const GpuSlot& slot, const FieldRow& row, std::uint32_t scope) {
  switch (row.source) {
    case FieldSource::plain:
      return {NVML_SUCCESS, row.offsets[0]};
    case FieldSource::scoped:
      if (scope > 2) return {NVML_ERROR_INVALID_ARGUMENT, 0};
      return {row.offsets[scope] == kNoField ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS, row.offsets[scope]};
    case FieldSource::link_of_scope:
      return link_place(slot, scope, row.offsets[0]);
    case FieldSource::link_of_number:
      return link_place(slot, row.number, row.offsets[0]);
    case FieldSource::port_of_scope: {
      if (scope >= link_limit()) return {NVML_ERROR_INVALID_ARGUMENT, 0};
      return item_place<decltype(NvlinkPorts::ports)>(slot, offsetof(Gpu, nvlink_ports.ports), scope, row.offsets[0]);
    }
    case FieldSource::c2c_of_scope:
      return item_place<decltype(C2c::links)>(slot, offsetof(Gpu, c2c.links), scope, row.offsets[0]);
    case FieldSource::profile_of_scope:
      return item_place<decltype(Power::smoothing_profiles)>(slot, offsetof(Gpu, power.smoothing_profiles), scope,
                                                             row.offsets[0]);
    default:
      return {NVML_ERROR_NOT_SUPPORTED, 0};
  }
}

void give_unsigned(nvmlFieldValue_t& entry, std::uint32_t value) {
  entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  entry.value.uiVal = value;
  entry.nvmlReturn = NVML_SUCCESS;
}

void give_long(nvmlFieldValue_t& entry, const Fact<std::uint64_t>& fact, std::uint64_t times) {
  entry.valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
  entry.value.ullVal = fact.value_or(0) * times;
  entry.nvmlReturn = code_of(fact.code());
}

template <class T>
constexpr auto derived_at(std::size_t offset) -> Fact<T> (*)(const Gpu&) {
  if constexpr (std::is_same_v<T, std::uint64_t>) return derived::function_of_u64(offset);
  if constexpr (std::is_same_v<T, std::int32_t>) return derived::function_of_i32(offset);
  if constexpr (std::is_same_v<T, std::uint32_t>) return derived::function_of_u32(offset);
}

template <class T>
Fact<T> fact_at(const GpuSlot& slot, std::size_t offset) {
  return consistent(slot, [offset](const Gpu& gpu) { return At<Fact<T>>{offset, derived_at<T>(offset)}.fetch(gpu); });
}

void give_fact(const GpuSlot& slot, const FieldRow& row, std::size_t offset, nvmlFieldValue_t& entry) {
  switch (row.type) {
    case FieldValue::u32: {
      const auto fact = fact_at<std::uint32_t>(slot, offset);
      entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
      entry.value.uiVal = fact.value_or(0) * row.times;
      entry.nvmlReturn = code_of(fact.code());
      break;
    }
    case FieldValue::i32: {
      const auto fact = fact_at<std::int32_t>(slot, offset);
      entry.valueType = NVML_VALUE_TYPE_SIGNED_INT;
      entry.value.siVal = fact.value_or(0) * static_cast<std::int32_t>(row.times);
      entry.nvmlReturn = code_of(fact.code());
      break;
    }
    case FieldValue::u64:
      give_long(entry, fact_at<std::uint64_t>(slot, offset), row.times);
      break;
  }
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

Fact<std::uint64_t> bandwidth_of(const GpuSlot& slot, std::uint32_t set, std::uint32_t number) {
  const auto link = consistent(slot, [number](const Gpu& gpu) { return load(gpu.nvlink.links.items[number]); });
  Fact<std::uint64_t> both{};
  if (set < link.counters.size()) both.set(link.counters[set].rx.value_or(0) + link.counters[set].tx.value_or(0));
  return both;
}

void give_length(const GpuSlot& slot, const FieldRow& row, nvmlFieldValue_t& entry) {
  const auto supported = fact_at<std::uint32_t>(slot, row.offsets[1]);
  entry.nvmlReturn = code_of(supported.code());
  if (!supported.has_value()) return;
  give_unsigned(entry, consistent(slot, [&row](const Gpu& gpu) {
                  return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(
                                             reinterpret_cast<const unsigned char*>(&gpu) + row.offsets[0]),
                                         __ATOMIC_ACQUIRE);
                }));
}

// Error counters need error correction to be on.
bool counts_errors(const FieldRow& row) {
  return row.source == FieldSource::plain && row.offsets[0] >= offsetof(Gpu, ecc.corrected_volatile) &&
         row.offsets[0] < offsetof(Gpu, ecc.sram);
}

void fill(const GpuSlot& slot, nvmlFieldValue_t& entry) {
  entry.value.ullVal = 0;
  entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  entry.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  const FieldRow* row = find_row(entry.fieldId);
  if (row == nullptr) return;
  switch (row->source) {
    case FieldSource::link_sum:
      give_long(entry,
                sum_of(visible_links(slot),
                       [&](std::uint32_t number) {
                         return fact_at<std::uint64_t>(slot, link_place(slot, number, row->offsets[0]).offset);
                       }),
                1);
      break;
    case FieldSource::bandwidth_sum:
      give_long(entry,
                sum_of(visible_links(slot),
                       [&](std::uint32_t number) { return bandwidth_of(slot, row->number / kLinksOfSet, number); }),
                1);
      break;
    case FieldSource::bandwidth_of_number: {
      const std::uint32_t number = row->number % kLinksOfSet;
      entry.nvmlReturn = check_link(slot, number);
      if (entry.nvmlReturn == NVML_SUCCESS) give_long(entry, bandwidth_of(slot, row->number / kLinksOfSet, number), 1);
      break;
    }
    case FieldSource::length:
      give_length(slot, *row, entry);
      break;
    case FieldSource::link_count:
      if (const std::uint32_t count = visible_links(slot); count > 0) give_unsigned(entry, count);
      break;
    case FieldSource::switched_link_count: {
      const Nvlink nvlink = fetch(slot, &Gpu::nvlink);
      if (nvlink.links.size() > 0) give_unsigned(entry, switched_links(nvlink));
      break;
    }
    case FieldSource::c2c_count:
      give_unsigned(entry, fetch(slot, &Gpu::c2c).links.size());
      break;
    case FieldSource::refused:
      entry.nvmlReturn = code_of(row->number);
      break;
    default: {
      const Place place = place_of(slot, *row, entry.scopeId);
      entry.nvmlReturn = place.code;
      if (place.code == NVML_SUCCESS && counts_errors(*row))
        entry.nvmlReturn = code_of(correction_missing(read_field(slot, &Gpu::ecc, &Ecc::mode)));
      if (entry.nvmlReturn == NVML_SUCCESS) give_fact(slot, *row, place.offset, entry);
    }
  }
}

nvmlReturn_t clear_place(const Device& gpu, const FieldRow& row, std::size_t offset) {
  return apply(gpu, ClearCounter{static_cast<std::uint32_t>(offset), row.type == FieldValue::u64 ? 1u : 0u});
}

nvmlReturn_t clear(const Device& gpu, const nvmlFieldValue_t& entry) {
  const FieldRow* row = find_row(entry.fieldId);
  if (row == nullptr || !row->clears) return NVML_ERROR_NOT_SUPPORTED;
  if (row->source == FieldSource::link_sum) {
    nvmlReturn_t code = NVML_ERROR_NOT_SUPPORTED;
    for (std::uint32_t number = 0; number < visible_links(gpu.slot); ++number) {
      const Place place = link_place(gpu.slot, number, row->offsets[0]);
      code = clear_place(gpu, *row, place.offset);
    }
    return code;
  }
  const Place place = place_of(gpu.slot, *row, entry.scopeId);
  if (place.code != NVML_SUCCESS) return place.code;
  return clear_place(gpu, *row, place.offset);
}

long long now_us() { return static_cast<long long>(sys::realtime_ns() / 1000); }

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetFieldValues(const Device& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  const long long now = now_us();
  // Each value may take several looks at the GPU; all of them see one state.
  unchanged(gpu.slot, [&] {
    for (int i = 0; i < valuesCount; ++i) {
      values[i].timestamp = now;
      values[i].latencyUsec = 0;
      fill(gpu.slot, values[i]);
    }
  });
  return NVML_SUCCESS;
}

// The call succeeds whatever becomes of single fields; each says in its code.
nvmlReturn_t nvmlDeviceClearFieldValues(const Device& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  for (int i = 0; i < valuesCount; ++i) {
    values[i].timestamp = now_us();
    values[i].latencyUsec = 0;
    values[i].nvmlReturn = clear(gpu, values[i]);
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
