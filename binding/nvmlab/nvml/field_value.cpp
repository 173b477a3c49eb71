// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/field_value.hpp"

#include <algorithm>
#include <array>

#include "nvmlab/nvml/field_numbers.hpp"
#include "nvmlab/nvml/generated/field_id.hpp"

namespace nvml::inline v1::detail {
namespace {

using Entry = abi::nvmlFieldValue_t;
constexpr std::size_t kAtOnce = 64;  // fields of one C call, on the stack

// One C call over up to kAtOnce fields at a time, and each entry to `take` then. The driver is not asked for fields
// that it does not know by a number which means another field to it.
template <class F, class Take>
Result<void> ask_fields(const State& state, F* Functions::*slot, abi::nvmlDevice_t device,
                        std::span<const Field> fields, Take&& take) {
  F* const function = state.functions.*slot;
  if (function == nullptr) return unexpected(failure(state, slot_offset(slot), abi::NVML_SUCCESS));
  const bool moved = std::ranges::any_of(fields, [](Field field) { return was_renumbered(unsigned(field.id)); });
  const std::uint32_t release = moved ? release_of(state) : 0;
  for (std::size_t first = 0; first < fields.size(); first += kAtOnce) {
    const auto some = fields.subspan(first, std::min(kAtOnce, fields.size() - first));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): as many as are asked for are filled right away
    std::array<Entry, kAtOnce> entries;
    std::ranges::transform(some, entries.begin(), [&](Field field) {
      Entry entry{};  // zeroed, as drivers do not write all of a union
      entry.fieldId = moved ? field_number(unsigned(field.id), release) : unsigned(field.id);
      entry.scopeId = field.scope;
      return entry;
    });
    if (const abi::nvmlReturn_t code = function(device, static_cast<int>(some.size()), entries.data());
        code != abi::NVML_SUCCESS)
      return unexpected(failure(state, slot_offset(slot), code, {device}));
    for (std::size_t i = 0; i < some.size(); ++i)
      take(first + i, entries[i]);
  }
  return {};
}

Error wrong_room(const char* function, std::size_t offered, std::size_t needed) {
  return Error{Return{abi::NVML_ERROR_INSUFFICIENT_SIZE}, Origin::binding, function}.with_shortage(
      {static_cast<unsigned>(offered), static_cast<unsigned>(needed)});
}

// Names of enumerators are texts of the program, with a NUL behind them.
FailedItem item_of(Field field) {
  const std::string_view name = name_of(field.id);
  return {"field", name.empty() ? "" : name.data(), static_cast<unsigned>(field.id), field.scope};
}

FieldValue field_value_of(const State& state, abi::nvmlDevice_t device, Field field, const Entry& entry) {
  constexpr auto kSlot = &Functions::nvmlDeviceGetFieldValues;
  FieldValue made{field, Value{}, {}, std::chrono::microseconds{entry.latencyUsec}};
  made.timestamp += std::chrono::microseconds{entry.timestamp};
  if (entry.nvmlReturn != abi::NVML_SUCCESS) {
    made.value =
        unexpected(about(state, item_of(field), failure(state, slot_offset(kSlot), entry.nvmlReturn, {device})));
  } else if (const auto value = value_of(entry.valueType, entry.value)) {
    made.value = *value;
  } else {
    made.value = unexpected(
        Error{Return{abi::NVML_ERROR_UNKNOWN}, Origin::binding, "nvmlDeviceGetFieldValues", "a value of a new type"}
            .with_item(item_of(field)));
  }
  return made;
}

}  // namespace

Result<void> read_fields(const State& state, abi::nvmlDevice_t device, std::span<const Field> fields,
                         std::span<FieldValue> room) {
  if (room.size() < fields.size())
    return unexpected(wrong_room("nvmlDeviceGetFieldValues", room.size(), fields.size()));
  return ask_fields(
      state, &Functions::nvmlDeviceGetFieldValues, device, fields,
      [&](std::size_t i, const Entry& entry) { room[i] = field_value_of(state, device, fields[i], entry); });
}

Result<std::vector<FieldValue>> read_fields(const State& state, abi::nvmlDevice_t device,
                                            std::span<const Field> fields) {
  std::vector<FieldValue> values;
  values.reserve(fields.size());
  auto asked = ask_fields(
      state, &Functions::nvmlDeviceGetFieldValues, device, fields,
      [&](std::size_t i, const Entry& entry) { values.push_back(field_value_of(state, device, fields[i], entry)); });
  if (!asked) return unexpected(std::move(asked.error()));
  return values;
}

Result<FieldSample<Value>> read_field(const State& state, abi::nvmlDevice_t device, Field field) {
  FieldValue value{field, Value{}};
  read_each_field(state, device, {&field, 1}, {&value, 1});
  return sample_of<Value>(value, field.id);
}

void read_each_field(const State& state, abi::nvmlDevice_t device, std::span<const Field> fields,
                     std::span<FieldValue> room) {
  const auto read = read_fields(state, device, fields, room);
  if (read) return;
  for (std::size_t i = 0; i < fields.size(); ++i)
    room[i] = {fields[i], unexpected(about(state, item_of(fields[i]), read.error())), {}, {}};
}

Error no_sample(const FieldValue& value, FieldId wanted) {
  const bool other = value.field.id != wanted;
  return Error{Return{other ? abi::NVML_ERROR_INVALID_ARGUMENT : abi::NVML_ERROR_UNKNOWN}, Origin::binding,
               "nvmlDeviceGetFieldValues",
               other ? "the value is of another field" : "the driver's number is none that this field can have"}
      .with_item(item_of({wanted, value.field.scope}));
}

Result<void> clear_fields(const State& state, abi::nvmlDevice_t device, std::span<const Field> fields,
                          std::span<Result<void>> room) {
  constexpr auto kSlot = &Functions::nvmlDeviceClearFieldValues;
  if (room.size() < fields.size())
    return unexpected(wrong_room("nvmlDeviceClearFieldValues", room.size(), fields.size()));
  return ask_fields(state, kSlot, device, fields, [&](std::size_t i, const Entry& entry) {
    room[i] = Result<void>{};
    if (entry.nvmlReturn != abi::NVML_SUCCESS)
      room[i] =
          unexpected(about(state, item_of(fields[i]), failure(state, slot_offset(kSlot), entry.nvmlReturn, {device})));
  });
}

Result<std::vector<Result<void>>> clear_fields(const State& state, abi::nvmlDevice_t device,
                                               std::span<const Field> fields) {
  std::vector<Result<void>> answers(fields.size());
  if (auto cleared = clear_fields(state, device, fields, answers); !cleared)
    return unexpected(std::move(cleared.error()));
  return answers;
}

}  // namespace nvml::inline v1::detail
