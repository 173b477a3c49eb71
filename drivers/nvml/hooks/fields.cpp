// SPDX-License-Identifier: Apache-2.0
//
// Field values: many in one call, each with a return code of its own. The table of ids says where in a GPU the value of
// an id lies; reading and clearing go there. Tests: tests/drivers/functions/fields_test.cpp.
#include "drivers/nvml/hooks/field_places.hpp"
#include "drivers/nvml/hooks/field_sums.hpp"
#include "drivers/nvml/hooks/nvlink.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "engine/topics/ecc/ecc_rules.hpp"
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

void give_fact(const Gpu& gpu, const FieldRow& row, std::size_t offset, nvmlFieldValue_t& entry) {
  switch (row.type) {
    case FieldValue::u32: {
      const auto fact = fact_at<std::uint32_t>(gpu, offset);
      entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
      entry.value.uiVal = fact.value_or(0) * row.times;
      entry.nvmlReturn = code_of(fact.code());
      break;
    }
    case FieldValue::i32: {
      const auto fact = fact_at<std::int32_t>(gpu, offset);
      entry.valueType = NVML_VALUE_TYPE_SIGNED_INT;
      entry.value.siVal = fact.value_or(0) * static_cast<std::int32_t>(row.times);
      entry.nvmlReturn = code_of(fact.code());
      break;
    }
    case FieldValue::u64:
      give_long(entry, fact_at<std::uint64_t>(gpu, offset), row.times);
      break;
  }
}

// A traffic counter without a link is that of all links.
constexpr std::uint32_t kAllLinks = ~std::uint32_t{0};
constexpr bool counts_traffic(const FieldRow& row) {
  return row.offsets[0] >= offsetof(Nvlink::Link, data_tx_kib) && row.offsets[0] <= offsetof(Nvlink::Link, raw_rx_kib);
}

void give_length(const Gpu& gpu, const FieldRow& row, nvmlFieldValue_t& entry) {
  const auto supported = fact_at<std::uint32_t>(gpu, row.offsets[1]);
  entry.nvmlReturn = code_of(supported.code());
  if (supported.has_value()) give_unsigned(entry, length_at(gpu, row.offsets[0]));
}

// Error counters need error correction to be on.
constexpr bool counts_errors(const FieldRow& row) {
  return row.source == FieldSource::plain && row.offsets[0] >= offsetof(Gpu, ecc.corrected_volatile) &&
         row.offsets[0] < offsetof(Gpu, ecc.sram);
}

void give_plain(const Gpu& gpu, const FieldRow& row, nvmlFieldValue_t& entry) {
  const Place place = place_of(gpu, row, entry.scopeId);
  entry.nvmlReturn = place.code;
  if (place.code == NVML_SUCCESS && counts_errors(row))
    entry.nvmlReturn = code_of(correction_missing(load(gpu.ecc.mode)));
  if (entry.nvmlReturn == NVML_SUCCESS) give_fact(gpu, row, place.offset, entry);
}

// What adds up or counts.
void give_made_up(const Gpu& gpu, const FieldRow& row, nvmlFieldValue_t& entry) {
  switch (row.source) {
    case FieldSource::link_sum:
      give_long(entry, sum_of_links(gpu, row.offsets[0]), 1);
      break;
    case FieldSource::link_of_scope:
      if (entry.scopeId != kAllLinks || !counts_traffic(row)) return give_plain(gpu, row, entry);
      give_long(entry, sum_of_links(gpu, row.offsets[0]), 1);
      break;
    case FieldSource::bandwidth_sum:
      give_long(entry,
                sum_of(visible_links(gpu),
                       [&](std::uint32_t number) { return bandwidth_of(gpu, row.number / kLinksOfSet, number); }),
                1);
      break;
    case FieldSource::bandwidth_of_number: {
      const std::uint32_t number = row.number % kLinksOfSet;
      entry.nvmlReturn = check_link(gpu, number);
      if (entry.nvmlReturn == NVML_SUCCESS) give_long(entry, bandwidth_of(gpu, row.number / kLinksOfSet, number), 1);
      break;
    }
    case FieldSource::length:
      give_length(gpu, row, entry);
      break;
    case FieldSource::link_count:
      if (const std::uint32_t count = visible_links(gpu); count > 0) give_unsigned(entry, count);
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
      give_plain(gpu, row, entry);
  }
}

// Most ids are a field as it is stored, perhaps one for each scope, and mean it in whatever drivers know them: where
// that is, is known beforehand and found by the id alone.
constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
struct StoredField {
  std::uint64_t drivers;     // 0: another kind of row, or several for one id
  std::uint32_t at[3];       // by scope; kNowhere: there is no such field
  std::uint32_t scope_mask;  // 0: the scope is not looked at
  std::uint8_t code_at;      // behind the value
  std::uint8_t type;         // nvmlValueType_t
  bool counts_errors;
};
struct StoredFields {
  StoredField of[kFieldIdCount] = {};
};
constexpr bool is_stored(const FieldRow& row) {
  for (const std::size_t at : row.offsets) {
    if (derived::is_derived(at)) return false;
  }
  if (row.source != FieldSource::plain && row.source != FieldSource::scoped) return false;
  return row.times == 1 && row.offsets[0] != kNoField;
}
constexpr StoredField stored_field(const FieldRow& row) {
  StoredField field{};
  field.drivers = row.drivers;
  for (std::uint32_t scope = 0; scope < 3; ++scope)
    field.at[scope] = row.offsets[scope] == kNoField ? kNowhere : static_cast<std::uint32_t>(row.offsets[scope]);
  if (row.source == FieldSource::scoped) field.scope_mask = ~std::uint32_t{0};
  field.code_at = offsetof(Fact<std::uint32_t>, stored_code);
  field.type = NVML_VALUE_TYPE_UNSIGNED_INT;
  if (row.type == FieldValue::i32) field.type = NVML_VALUE_TYPE_SIGNED_INT;
  if (row.type == FieldValue::u64) {
    field.code_at = offsetof(Fact<std::uint64_t>, stored_code);
    field.type = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
  }
  field.counts_errors = counts_errors(row);
  return field;
}
constexpr StoredFields kStoredFields = [] {
  StoredFields fields;
  for (std::uint32_t row = 0; row < kFieldRowCount; ++row) {
    const bool alone = (row == 0 || kFieldRows[row - 1].id != kFieldRows[row].id) &&
                       (row + 1 == kFieldRowCount || kFieldRows[row + 1].id != kFieldRows[row].id);
    if (alone && is_stored(kFieldRows[row])) fields.of[kFieldRows[row].id] = stored_field(kFieldRows[row]);
  }
  return fields;
}();

// A fact of 32 bits is one word, its code in the upper half; of 64 bits, the code lies in the next one.
void give_stored(const Gpu& gpu, const StoredField& field, std::uint32_t scope, nvmlFieldValue_t& entry) {
  const auto* at = reinterpret_cast<const unsigned char*>(&gpu) + field.at[scope];
  const std::uint64_t word = __atomic_load_n(reinterpret_cast<const AliasedWord*>(at), __ATOMIC_ACQUIRE);
  const std::uint64_t code_word =
      __atomic_load_n(reinterpret_cast<const AliasedWord*>(at + (field.code_at & ~std::size_t{7})), __ATOMIC_ACQUIRE);
  const bool large = field.code_at == sizeof(std::uint64_t);
  const auto code = static_cast<std::uint32_t>(large ? code_word : code_word >> 32) ^ kNotSupported;
  entry.value.ullVal = code != kSuccess ? 0 : large ? word : word & 0xFFFF'FFFF;
  entry.valueType = static_cast<nvmlValueType_t>(field.type);
  entry.nvmlReturn = code_of(code);
}

void fill_slow_path(const Gpu& gpu, std::uint64_t driver, nvmlFieldValue_t& entry) {
  entry.value.ullVal = 0;
  entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  entry.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  if (const FieldRow* row = find_row(entry.fieldId, driver); row != nullptr) give_made_up(gpu, *row, entry);
}

void fill(const Gpu& gpu, std::uint64_t driver, nvmlFieldValue_t& entry) {
  if (entry.fieldId < kFieldIdCount) [[likely]] {
    const StoredField& field = kStoredFields.of[entry.fieldId];
    const std::uint32_t scope = entry.scopeId & field.scope_mask;
    if ((field.drivers & driver) != 0 && scope < 3 && field.at[scope] != kNowhere) [[likely]] {
      if (!field.counts_errors || correction_missing(load(gpu.ecc.mode)) == kSuccess) {
        give_stored(gpu, field, scope, entry);
        if (entry.nvmlReturn != kMovingCode) [[likely]]
          return;
      }
    }
  }
  fill_slow_path(gpu, driver, entry);
}

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

long long stamp_us(const Device& gpu) { return static_cast<long long>(machine_time_ns(gpu.store.clock) / 1000); }

void keep_what_asks_for_a_reset(int count, nvmlFieldValue_t* values) {
  for (int i = 0; i < count; ++i) {
    if (!answered_before_reset(values[i].fieldId)) values[i].nvmlReturn = NVML_ERROR_RESET_REQUIRED;
  }
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetFieldValues(const Device& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  const long long now = stamp_us(gpu);
  const std::uint64_t driver = driver_bit();
  consistent(gpu.slot, [=](const Gpu& state) {
    for (int i = 0; i < valuesCount; ++i) {
      values[i].timestamp = now;
      values[i].latencyUsec = 0;
      fill(state, driver, values[i]);
    }
    return true;
  });
  if (must_be_reset(gpu.slot)) [[unlikely]]
    keep_what_asks_for_a_reset(valuesCount, values);
  return NVML_SUCCESS;
}

// The call succeeds whatever becomes of single fields; each says in its code.
nvmlReturn_t nvmlDeviceClearFieldValues(const Device& gpu, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  for (int i = 0; i < valuesCount; ++i) {
    values[i].timestamp = stamp_us(gpu);
    values[i].latencyUsec = 0;
    values[i].nvmlReturn = clear(gpu, values[i]);
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
