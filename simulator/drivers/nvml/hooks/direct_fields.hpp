// SPDX-License-Identifier: Apache-2.0
//
// The first and shortest way to a field value: a field as it is stored, or a total of errors, of an id that every
// driver from some row on knows. Eight bytes for each id say where it lies; the rest goes on to stored_fields.hpp.
// Tests: tests/drivers/functions/fields_test.cpp, stack_test.cpp (Instructions.AreFew).
#pragma once

#include "drivers/nvml/hooks/stored_fields.hpp"

namespace nvmlab::driver {

enum class DirectKind : std::uint8_t {
  plain,
  scoped,        // the scope must be 0
  total_errors,  // error correction must be on
};

struct DirectField {
  std::uint32_t at;
  std::uint8_t first_row;  // of the drivers that know it
  std::uint8_t type;       // nvmlValueType_t
  std::uint8_t code_at;    // behind the value
  DirectKind kind;
};
static_assert(sizeof(DirectField) == 8);

inline constexpr std::uint8_t kNoDriver = 0xFF;

constexpr DirectField direct_field(const StoredField& field) {
  DirectField direct{0, kNoDriver, field.type, field.code_at, DirectKind::plain};
  const std::uint64_t before = (field.drivers & (~field.drivers + 1)) - 1;
  const bool stays = field.drivers != 0 && (field.drivers | before) == kEveryDriver;
  if (!stays || field.at[0] == kNowhere) return direct;
  switch (field.kind) {
    case StoredKind::plain:
      break;
    case StoredKind::scoped:
      direct.kind = DirectKind::scoped;
      break;
    case StoredKind::total_errors:
      direct.kind = DirectKind::total_errors;
      break;
    default:
      return direct;
  }
  direct.at = field.at[0];
  direct.first_row = static_cast<std::uint8_t>(__builtin_ctzll(field.drivers));
  return direct;
}
struct DirectFields {
  DirectField of[kFieldIdCount] = {};
};
inline constexpr DirectFields kDirectFields = [] {
  DirectFields fields;
  for (std::uint32_t id = 0; id < kFieldIdCount; ++id)
    fields.of[id] = direct_field(kStoredFields.of[id]);
  return fields;
}();

// What of a stored word is the value, by its type.
inline constexpr std::uint64_t kValueMasks[] = {~std::uint64_t{0}, ~std::uint32_t{0}, ~std::uint64_t{0},
                                                ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint32_t{0}};
static_assert(NVML_VALUE_TYPE_UNSIGNED_INT == 1 && NVML_VALUE_TYPE_UNSIGNED_LONG_LONG == 3 &&
              NVML_VALUE_TYPE_SIGNED_INT == 5);

inline void give_value(nvmlFieldValue_t& entry, const DirectField& field, std::uint32_t code, std::uint64_t value) {
  entry.valueType = static_cast<nvmlValueType_t>(field.type);
  entry.nvmlReturn = static_cast<nvmlReturn_t>(code);
  entry.value.ullVal = value;
}

// A total lies behind the counters that it adds up. Not inlined: the loop needs the registers.
[[gnu::noinline]] inline void give_total(const unsigned char* total, const DirectField& field,
                                         nvmlFieldValue_t& entry) {
  const auto& counts = *reinterpret_cast<const Ecc::Counts*>(total - offsetof(Ecc::Counts, total));
  const Fact<std::uint64_t> errors = derived::with_residue(load(counts.total), sum_of_parts(counts));
  give_value(entry, field, errors.code(), errors.value_or(0));
}

// A GPU whose fields are told one after the other.
struct DirectReading {
  explicit DirectReading(const Gpu& state)
      : gpu(reinterpret_cast<const unsigned char*>(&state)),
        row(simulated_row()),
        counts_errors(correction_missing(load(state.ecc.mode)) == kSuccess) {}
  const unsigned char* gpu;
  std::uint32_t row;
  bool counts_errors;

  // False, and nothing written, where the id is none of those, or what it names is refused otherwise, or moves.
  [[gnu::always_inline]] bool give(nvmlFieldValue_t& entry) const {
    const std::uint32_t id = entry.fieldId;
    if (id >= kFieldIdCount) return false;
    const DirectField& field = kDirectFields.of[id];
    if (row < field.first_row) return false;
    const unsigned char* const at = gpu + field.at;
    if (field.kind != DirectKind::plain) {
      if (field.kind == DirectKind::total_errors) {
        if (counts_errors) give_total(at, field, entry);
        return counts_errors;
      }
      if (entry.scopeId != 0) return false;
    }
    const std::uint64_t word = __atomic_load_n(reinterpret_cast<const AliasedWord*>(at), __ATOMIC_ACQUIRE);
    const auto* code_at = reinterpret_cast<const std::uint32_t*>(at + field.code_at);
    const std::uint32_t code = __atomic_load_n(code_at, __ATOMIC_ACQUIRE) ^ kNotSupported;
    if (code == kSuccess) [[likely]] {
      give_value(entry, field, kSuccess, word & kValueMasks[field.type]);
    } else {
      if (code == kMoving) return false;
      give_value(entry, field, code, 0);
    }
    return true;
  }
};

}  // namespace nvmlab::driver
