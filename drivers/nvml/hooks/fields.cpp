// SPDX-License-Identifier: Apache-2.0
// nvmlDeviceGetFieldValues: many values in one call, each with a return code of its own.
#include "drivers/nvml/generated/field_ids.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "engine/machine/system.hpp"
#include "engine/topics/topology/path.hpp"

namespace nvmlab::driver {
namespace {

constexpr std::uint32_t kRowCount = sizeof kFieldRows / sizeof kFieldRows[0];

// What an id means in the simulated driver; null when it means nothing there.
const FieldRow* find_row(std::uint32_t id) {
  std::uint32_t low = 0;
  std::uint32_t high = kRowCount;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (kFieldRows[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < kRowCount && kFieldRows[low].id == id; ++low) {
    if (in_simulated_driver(kFieldRows[low].drivers)) return &kFieldRows[low];
  }
  return nullptr;
}

void give_unsigned(nvmlFieldValue_t& entry, std::uint32_t value) {
  entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  entry.value.uiVal = value;
  entry.nvmlReturn = NVML_SUCCESS;
}

// `base` is the Gpu, or the link that holds the field.
template <class State>
void give_fact(const GpuSlot& slot, const FieldRow& row, std::size_t offset, const State& locate,
               nvmlFieldValue_t& entry) {
  switch (row.type) {
    case FieldValue::u32: {
      const auto fact =
          consistent(slot, [&](const Gpu& gpu) { return At<Fact<std::uint32_t>>{offset}.fetch(locate(gpu)); });
      entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
      entry.nvmlReturn = give(fact, &entry.value.uiVal);
      break;
    }
    case FieldValue::i32: {
      const auto fact =
          consistent(slot, [&](const Gpu& gpu) { return At<Fact<std::int32_t>>{offset}.fetch(locate(gpu)); });
      entry.valueType = NVML_VALUE_TYPE_SIGNED_INT;
      entry.nvmlReturn = give(fact, &entry.value.siVal);
      break;
    }
    case FieldValue::u64: {
      const auto fact =
          consistent(slot, [&](const Gpu& gpu) { return At<Fact<std::uint64_t>>{offset}.fetch(locate(gpu)); });
      entry.valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
      entry.nvmlReturn = give(fact, &entry.value.ullVal);
      break;
    }
  }
}

void give_link(const GpuSlot& slot, const FieldRow& row, std::uint32_t number, nvmlFieldValue_t& entry) {
  const auto count =
      consistent(slot, [](const Gpu& gpu) { return __atomic_load_n(&gpu.nvlink.links.count, __ATOMIC_ACQUIRE); });
  if (number >= decltype(Nvlink::links)::capacity) {
    entry.nvmlReturn = NVML_ERROR_INVALID_ARGUMENT;
  } else if (number < count) {
    give_fact(
        slot, row, row.offsets[0],
        [number](const Gpu& gpu) -> const Nvlink::Link& { return gpu.nvlink.links.items[number]; }, entry);
  }
}

void fill(const GpuSlot& slot, nvmlFieldValue_t& entry) {
  entry.value.ullVal = 0;
  entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  entry.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  const FieldRow* row = find_row(entry.fieldId);
  if (row == nullptr) return;
  const auto whole = [](const Gpu& gpu) -> const Gpu& { return gpu; };
  switch (row->source) {
    case FieldSource::plain:
      give_fact(slot, *row, row->offsets[0], whole, entry);
      break;
    case FieldSource::scoped:
      if (entry.scopeId > 2) {
        entry.nvmlReturn = NVML_ERROR_INVALID_ARGUMENT;
      } else if (row->offsets[entry.scopeId] != kNoField) {
        give_fact(slot, *row, row->offsets[entry.scopeId], whole, entry);
      }
      break;
    case FieldSource::link_of_scope:
      give_link(slot, *row, entry.scopeId, entry);
      break;
    case FieldSource::link_of_number:
      give_link(slot, *row, row->number, entry);
      break;
    case FieldSource::link_count: {
      const std::uint32_t count = fetch(slot, &Gpu::nvlink).links.size();
      if (count > 0) give_unsigned(entry, count);
      break;
    }
    case FieldSource::switched_link_count: {
      const Nvlink nvlink = fetch(slot, &Gpu::nvlink);
      if (nvlink.links.size() > 0) give_unsigned(entry, switched_links(nvlink));
      break;
    }
    case FieldSource::constant:
      give_unsigned(entry, row->number);
      break;
  }
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetFieldValues(const Device& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  const auto now_us = static_cast<long long>(sys::realtime_ns() / 1000);
  for (int i = 0; i < valuesCount; ++i) {
    values[i].timestamp = now_us;
    values[i].latencyUsec = 0;
    fill(gpu.slot, values[i]);
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
