// SPDX-License-Identifier: Apache-2.0
//
// Field values: many in one call, each with a return code of its own. The table of ids says where in a GPU the value of
// an id lies; reading and clearing go there. Tests: tests/drivers/functions/fields_test.cpp.
#include "drivers/nvml/hooks/direct_fields.hpp"
#include "drivers/nvml/hooks/field_sums.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "engine/topics/topology/path.hpp"

namespace nvmlab::driver {
namespace {

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

void give_fact(const GpuNow& now, const FieldRow& row, std::size_t offset, nvmlFieldValue_t& entry) {
  switch (row.type) {
    case FieldValue::u32: {
      const auto fact = fact_at<std::uint32_t>(now, offset);
      entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
      entry.value.uiVal = fact.value_or(0) * row.times;
      entry.nvmlReturn = code_of(fact.code());
      break;
    }
    case FieldValue::i32: {
      const auto fact = fact_at<std::int32_t>(now, offset);
      entry.valueType = NVML_VALUE_TYPE_SIGNED_INT;
      entry.value.siVal = fact.value_or(0) * static_cast<std::int32_t>(row.times);
      entry.nvmlReturn = code_of(fact.code());
      break;
    }
    case FieldValue::u64:
      give_long(entry, fact_at<std::uint64_t>(now, offset), row.times);
      break;
  }
}

// A traffic counter without a link is that of all links.
constexpr std::uint32_t kAllLinks = ~std::uint32_t{0};
constexpr bool counts_traffic(const FieldRow& row) {
  return row.offsets[0] >= offsetof(Nvlink::Link, data_tx_kib) && row.offsets[0] <= offsetof(Nvlink::Link, raw_rx_kib);
}

void give_length(const GpuNow& now, const FieldRow& row, nvmlFieldValue_t& entry) {
  const auto supported = fact_at<std::uint32_t>(now, row.offsets[1]);
  entry.nvmlReturn = code_of(supported.code());
  if (supported.has_value()) give_unsigned(entry, length_at(now.gpu, row.offsets[0]));
}

void give_plain(const GpuNow& now, const FieldRow& row, nvmlFieldValue_t& entry) {
  const Place place = place_of(now.gpu, row, entry.scopeId);
  entry.nvmlReturn = place.code;
  if (place.code == NVML_SUCCESS && counts_errors(row))
    entry.nvmlReturn = code_of(correction_missing(load(now.gpu.ecc.mode)));
  if (entry.nvmlReturn == NVML_SUCCESS) give_fact(now, row, place.offset, entry);
}

// What adds up or counts.
void give_made_up(const GpuNow& now, const FieldRow& row, nvmlFieldValue_t& entry) {
  const Gpu& gpu = now.gpu;
  switch (row.source) {
    case FieldSource::link_sum:
      give_long(entry, sum_of_links(now, row.offsets[0]), 1);
      break;
    case FieldSource::link_of_scope:
      if (entry.scopeId != kAllLinks || !counts_traffic(row)) return give_plain(now, row, entry);
      give_long(entry, sum_of_links(now, row.offsets[0]), 1);
      break;
    case FieldSource::bandwidth_sum:
      give_long(entry,
                sum_of(visible_links(gpu),
                       [&](std::uint32_t number) { return bandwidth_of(now, row.number / kLinksOfSet, number); }),
                1);
      break;
    case FieldSource::bandwidth_of_number: {
      const std::uint32_t number = row.number % kLinksOfSet;
      entry.nvmlReturn = check_link(gpu, number);
      if (entry.nvmlReturn == NVML_SUCCESS) give_long(entry, bandwidth_of(now, row.number / kLinksOfSet, number), 1);
      break;
    }
    case FieldSource::length:
      give_length(now, row, entry);
      break;
    case FieldSource::switched_link_count:
      if (length_of(gpu.nvlink.links) > 0) give_unsigned(entry, switched_links(gpu.nvlink, visible_links(gpu)));
      break;
    case FieldSource::c2c_count:
      give_unsigned(entry, length_of(gpu.c2c.links));
      break;
    case FieldSource::refused:
      entry.nvmlReturn = code_of(row.number);
      break;
    default:
      give_plain(now, row, entry);
  }
}

[[gnu::noinline]] void give_other(const GpuNow& now, nvmlFieldValue_t& entry) { give_stored(now, entry); }

// Of the state now, for what goes on to change it.
Place place_of(const GpuSlot& slot, const FieldRow& row, std::uint32_t scope) {
  return consistent(slot, [&](const Gpu& gpu) { return place_of(gpu, row, scope); });
}

nvmlReturn_t clear_place(const Device& gpu, const FieldRow& row, std::size_t offset) {
  return apply(gpu, ClearCounter{static_cast<std::uint32_t>(offset), row.type == FieldValue::u64 ? 1u : 0u});
}

nvmlReturn_t clear(const Device& gpu, const nvmlFieldValue_t& entry) {
  const FieldRow* row = find_row(entry.fieldId, driver_bit());
  if (row == nullptr || !row->clears) return NVML_ERROR_NOT_SUPPORTED;
  if (row->source == FieldSource::link_sum) {
    nvmlReturn_t code = NVML_ERROR_NOT_SUPPORTED;
    const std::uint32_t links = consistent(gpu.slot, [](const Gpu& state) { return visible_links(state); });
    for (std::uint32_t number = 0; number < links; ++number) {
      const Place place =
          consistent(gpu.slot, [=](const Gpu& state) { return link_place(state, number, row->offsets[0]); });
      code = clear_place(gpu, *row, place.offset);
    }
    return code;
  }
  const Place place = place_of(gpu.slot, *row, entry.scopeId);
  if (place.code != NVML_SUCCESS) return place.code;
  return clear_place(gpu, *row, place.offset);
}

// A function of its own, so that all that the loop needs is in registers.
[[gnu::noinline]] void give_all(const GpuNow& now, nvmlFieldValue_t* values, const nvmlFieldValue_t* end) {
  const auto now_us = static_cast<long long>(now.now_ns / 1000);
  const DirectReading reading(now.gpu);
  for (; values != end; ++values) {
    values->timestamp = now_us;
    values->latencyUsec = 0;
    if (!reading.give(*values)) [[unlikely]]
      give_other(now, *values);
  }
}

void keep_what_asks_for_a_reset(int count, nvmlFieldValue_t* values) {
  for (int i = 0; i < count; ++i) {
    if (!answered_before_reset(values[i].fieldId)) values[i].nvmlReturn = NVML_ERROR_RESET_REQUIRED;
  }
}

}  // namespace

void give_unstored(const GpuNow& now, nvmlFieldValue_t& entry) {
  entry.value.ullVal = 0;
  entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  entry.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  if (const FieldRow* row = find_row(entry.fieldId, driver_bit()); row != nullptr) give_made_up(now, *row, entry);
}

namespace hooks {

nvmlReturn_t nvmlDeviceGetFieldValues(const Device& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  const std::uint64_t now_ns = machine_time_ns(gpu.store.clock);
  consistent(gpu.slot, [=](const Gpu& state) {
    give_all({state, now_ns}, values, values + valuesCount);
    return true;
  });
  if (must_be_reset(gpu.slot)) [[unlikely]]
    keep_what_asks_for_a_reset(valuesCount, values);
  return NVML_SUCCESS;
}

// The call succeeds whatever becomes of single fields; each says in its code.
nvmlReturn_t nvmlDeviceClearFieldValues(const Device& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  const auto now_us = static_cast<long long>(machine_time_ns(gpu.store.clock) / 1000);
  for (int i = 0; i < valuesCount; ++i) {
    values[i].timestamp = now_us;
    values[i].latencyUsec = 0;
    values[i].nvmlReturn = clear(gpu, values[i]);
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
