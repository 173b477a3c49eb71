// SPDX-License-Identifier: Apache-2.0
//
// What most NVML_FI_* ids ask for: a field as it is stored, perhaps one for each scope, or a total of errors, which
// means the same in whatever drivers know it. Where that is, is known beforehand and found by the id alone.
// Tests: tests/drivers/functions/fields_test.cpp.
#pragma once

#include "drivers/nvml/hooks/field_places.hpp"
#include "drivers/nvml/hooks/nvlink.hpp"
#include "engine/topics/ecc/ecc_rules.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab::driver {

// A GPU at the time of a call: what moves has one value for all of it.
struct GpuNow {
  const Gpu& gpu;
  std::uint64_t now_ns;
};

// Error counters need error correction to be on.
constexpr bool counts_errors(const FieldRow& row) {
  return row.source == FieldSource::plain && row.offsets[0] >= offsetof(Gpu, ecc.corrected_volatile) &&
         row.offsets[0] < offsetof(Gpu, ecc.sram);
}

enum class StoredKind : std::uint8_t {
  plain,
  scoped,
  errors,          // where error correction is on
  total_errors,    // likewise; they add up counters in front of them
  limit_in_force,  // the board's, or its module's
  links,           // how many there are
};

struct StoredField {
  std::uint64_t drivers;  // that know it; 0: another kind of row, or several for one id
  std::uint64_t mask;     // of the value within its word
  std::uint32_t at[3];    // by scope; kNowhere: there is no such field
  std::uint8_t code_at;   // behind the value
  std::uint8_t type;      // nvmlValueType_t
  StoredKind kind;
};
static_assert(sizeof(StoredField) == 32);

inline constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
// Of those ids that are stored, or errors added up.
constexpr bool is_total_errors(std::size_t at) {
  return at == offsetof(Gpu, ecc.corrected_volatile.total) || at == offsetof(Gpu, ecc.corrected_aggregate.total) ||
         at == offsetof(Gpu, ecc.uncorrected_volatile.total) || at == offsetof(Gpu, ecc.uncorrected_aggregate.total);
}
constexpr bool is_limit_in_force(const FieldRow& row) {
  return row.source == FieldSource::scoped && row.offsets[0] == offsetof(Gpu, power.enforced_limit_mw) &&
         row.offsets[1] == offsetof(Gpu, power.module_enforced_limit_mw) && row.offsets[2] == kNoField;
}
constexpr bool is_stored(const FieldRow& row) {
  if (row.source == FieldSource::link_count) return true;
  for (const std::size_t at : row.offsets) {
    if (derived::is_derived(at) && !is_total_errors(at) && !is_limit_in_force(row)) return false;
  }
  if (row.source != FieldSource::plain && row.source != FieldSource::scoped) return false;
  return row.times == 1 && row.offsets[0] != kNoField;
}
constexpr StoredKind stored_kind(const FieldRow& row) {
  if (row.source == FieldSource::link_count) return StoredKind::links;
  if (is_limit_in_force(row)) return StoredKind::limit_in_force;
  if (row.source == FieldSource::scoped) return StoredKind::scoped;
  if (is_total_errors(row.offsets[0])) return StoredKind::total_errors;
  return counts_errors(row) ? StoredKind::errors : StoredKind::plain;
}
constexpr StoredField stored_field(const FieldRow& row) {
  StoredField field{};
  field.drivers = row.drivers;
  for (std::uint32_t scope = 0; scope < 3; ++scope)
    field.at[scope] = row.offsets[scope] == kNoField ? kNowhere : static_cast<std::uint32_t>(row.offsets[scope]);
  field.kind = stored_kind(row);
  field.mask = ~std::uint32_t{0};
  field.code_at = offsetof(Fact<std::uint32_t>, stored_code);
  field.type = NVML_VALUE_TYPE_UNSIGNED_INT;
  if (row.type == FieldValue::i32) field.type = NVML_VALUE_TYPE_SIGNED_INT;
  if (row.type == FieldValue::u64) {
    field.mask = ~std::uint64_t{0};
    field.code_at = offsetof(Fact<std::uint64_t>, stored_code);
    field.type = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
  }
  return field;
}
struct StoredFields {
  StoredField of[kFieldIdCount] = {};
};
inline constexpr StoredFields kStoredFields = [] {
  StoredFields fields;
  for (std::uint32_t row = 0; row < kFieldRowCount; ++row) {
    const bool alone = (row == 0 || kFieldRows[row - 1].id != kFieldRows[row].id) &&
                       (row + 1 == kFieldRowCount || kFieldRows[row + 1].id != kFieldRows[row].id);
    if (alone && is_stored(kFieldRows[row])) fields.of[kFieldRows[row].id] = stored_field(kFieldRows[row]);
  }
  return fields;
}();

inline void give_value(nvmlFieldValue_t& entry, const StoredField& field, std::uint32_t code, std::uint64_t value) {
  entry.valueType = static_cast<nvmlValueType_t>(field.type);
  entry.nvmlReturn = static_cast<nvmlReturn_t>(code);
  entry.value.ullVal = value;
}

[[gnu::noinline, gnu::cold]] inline void give_moving(const GpuNow& at, const StoredField& field, std::uint64_t which,
                                                     nvmlFieldValue_t& entry) {
  Fact<std::uint64_t> fact{which, kMoving ^ kNotSupported};
  resolve(fact, Motion(at.gpu, at.now_ns));
  give_value(entry, field, kSuccess, fact.value & field.mask);
}

// For an id that is none of those here, or whose field the board refuses; defined where the other ids are (fields.cpp).
[[gnu::noinline]] void give_unstored(const GpuNow& now, nvmlFieldValue_t& entry);

// Each kind has a function of its own, which ends in a jump: what one of them needs is not kept in registers for the
// others.

[[gnu::noinline]] inline void give_limit_in_force(const GpuNow& now, const StoredField& field,
                                                  nvmlFieldValue_t& entry) {
  if (entry.scopeId > 1) return give_unstored(now, entry);
  const Fact<std::uint32_t> limit =
      entry.scopeId == 0 ? derived::enforced_limit(now.gpu) : derived::module_enforced_limit(now.gpu);
  if (limit.moves()) return give_unstored(now, entry);
  give_value(entry, field, limit.code(), limit.value_or(0));
}

[[gnu::noinline]] inline void give_links(const GpuNow& now, const StoredField& field, nvmlFieldValue_t& entry) {
  const std::uint32_t count = visible_links(now.gpu);
  if (count == 0) return give_unstored(now, entry);
  give_value(entry, field, kSuccess, count);
}

[[gnu::noinline]] inline void give_fact_of(const GpuNow& now, const StoredField& field, nvmlFieldValue_t& entry) {
  std::uint32_t offset = field.at[0];
  if (field.kind == StoredKind::scoped) {
    const std::uint32_t scope = entry.scopeId;
    if (scope > 2 || field.at[scope] == kNowhere) return give_unstored(now, entry);
    offset = field.at[scope];
  }
  if (field.kind == StoredKind::errors && correction_missing(load(now.gpu.ecc.mode)) != kSuccess)
    return give_unstored(now, entry);
  const auto* at = reinterpret_cast<const unsigned char*>(&now.gpu) + offset;
  const auto* code_at = reinterpret_cast<const std::uint32_t*>(at + field.code_at);
  const std::uint64_t word = __atomic_load_n(reinterpret_cast<const AliasedWord*>(at), __ATOMIC_ACQUIRE);
  const std::uint32_t code = __atomic_load_n(code_at, __ATOMIC_ACQUIRE) ^ kNotSupported;
  if (code == kSuccess) [[likely]] {
    give_value(entry, field, kSuccess, word & field.mask);
  } else if (code != kMoving) {
    give_value(entry, field, code, 0);
  } else {
    give_moving(now, field, word & field.mask, entry);
  }
}

inline void give_stored(const GpuNow& now, nvmlFieldValue_t& entry) {
  const std::uint32_t id = entry.fieldId;
  const StoredField& field = kStoredFields.of[id < kFieldIdCount ? id : 0];  // no id is 0
  if ((field.drivers & driver_bit()) == 0) return give_unstored(now, entry);
  switch (field.kind) {
    case StoredKind::total_errors:  // direct_fields.hpp
      return give_unstored(now, entry);
    case StoredKind::limit_in_force:
      return give_limit_in_force(now, field, entry);
    case StoredKind::links:
      return give_links(now, field, entry);
    default:
      return give_fact_of(now, field, entry);
  }
}

}  // namespace nvmlab::driver
