// SPDX-License-Identifier: Apache-2.0
// Fields: many small things about a device, asked for together. Each has an answer of its own. NVIDIA has numbered
// some fields differently over time; a FieldId means the same with every driver, and the number that the driver at
// hand uses for it is found here. Covered by tests/binding/field_values_test.cpp.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "nvmlab/loader/error.hpp"
#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/generated/field_types.hpp"
#include "nvmlab/nvml/hashing.hpp"
#include "nvmlab/nvml/id_type.hpp"
#include "nvmlab/nvml/value.hpp"

namespace nvml::inline v1 {

enum class FieldId : unsigned;  // nvml/generated/field_id.hpp

namespace detail {

constexpr FieldKind kind_of(FieldId id) noexcept {
  return static_cast<unsigned>(id) < std::size(FieldKinds::by_id) ? FieldKinds::by_id[static_cast<unsigned>(id)]
                                                                  : FieldKind::none;
}

}  // namespace detail

/// What a field's value is: Milliwatts of FieldId::power_instant. Value where nobody says what the number means.
template <FieldId id>
using FieldType = typename detail::IdType<detail::kind_of(id)>::type;

/// "mW", "" for what has no unit.
std::string_view unit_of(FieldId id) noexcept;

/// The value of a field, and when it was measured.
template <class T>
struct FieldSample {
  T value{};                            ///< in the unit of the field, which is part of its type
  Timestamp timestamp{};                ///< of the measurement
  std::chrono::microseconds latency{};  ///< that it took to read
  bool operator==(const FieldSample&) const = default;
};

/// A field, and which one of several: an NVLink's number, a power scope, as the field has it.
struct Field {
  constexpr Field() = default;
  /// A field; of its first link or part where nothing is said.
  constexpr Field(FieldId which, unsigned of = 0) noexcept  // NOLINT(google-explicit-constructor): lists of ids
      : id(which), scope(of) {}

  FieldId id{};        ///< which field
  unsigned scope = 0;  ///< an NVLink's number, a power scope, a sensor; 0 where there is one
  bool operator==(const Field&) const = default;
};

/// What came of one field.
struct FieldValue {
  Field field;                          ///< that was asked for
  Result<Value> value;                  ///< as the driver typed it, or why there is none
  Timestamp timestamp{};                ///< of the measurement
  std::chrono::microseconds latency{};  ///< that it took to read

  /// The same with the type of the field. It must be of that id; any other is INVALID_ARGUMENT of origin binding.
  template <FieldId id>
  [[nodiscard]] Result<FieldSample<FieldType<id>>> as() const;
};

namespace detail {

// The driver's number is none that the field can have, or the value is another field's.
[[gnu::cold]] Error no_sample(const FieldValue& value, FieldId wanted);

template <class T>
Result<FieldSample<T>> sample_of(const FieldValue& from, FieldId wanted) {
  if (!from.value) return unexpected(from.value.error());
  const auto value = from.field.id == wanted ? value_as<T>(*from.value) : std::nullopt;
  if (!value) return unexpected(no_sample(from, wanted));
  return FieldSample<T>{*value, from.timestamp, from.latency};
}

}  // namespace detail

template <FieldId id>
Result<FieldSample<FieldType<id>>> FieldValue::as() const {
  return detail::sample_of<FieldType<id>>(*this, id);
}

/// What came of several fields that were asked for in one call, each with its type and an answer of its own. Made by
/// Device::fields(); needs no memory but its own.
template <FieldId... ids>
class FieldSamples {
 public:
  /// What came of the call, in the order of the ids.
  explicit FieldSamples(const std::array<FieldValue, sizeof...(ids)>& values) : values_(values) {}

  /// Of one of them.
  template <FieldId id>
  [[nodiscard]] Result<FieldSample<FieldType<id>>> get() const {
    static_assert(((id == ids) || ...), "this field was not asked for");
    std::size_t at = 0;
    static_cast<void>(((ids == id || (static_cast<void>(++at), false)) || ...));
    return values_[at].template as<id>();
  }

  /// Of the one at this place, so that they may be taken apart:
  ///     const auto [power, memory] = device.fields<nvml::FieldId::power_instant, nvml::FieldId::memory_temp>();
  template <std::size_t place>
  [[nodiscard]] auto get() const {
    constexpr FieldId all[] = {ids...};
    return values_[place].template as<all[place]>();
  }

  /// All of them, without their types.
  const std::array<FieldValue, sizeof...(ids)>& values() const noexcept { return values_; }

 private:
  std::array<FieldValue, sizeof...(ids)> values_;
};

namespace detail {

// `room` has an element for each field.

// C: nvmlDeviceGetFieldValues
Result<std::vector<FieldValue>> read_fields(const State& state, abi::nvmlDevice_t device,
                                            std::span<const Field> fields);

// C: nvmlDeviceGetFieldValues. Into the caller's memory; nothing is allocated.
Result<void> read_fields(const State& state, abi::nvmlDevice_t device, std::span<const Field> fields,
                         std::span<FieldValue> room);

// C: nvmlDeviceGetFieldValues. One field, with its own error in the place of the call's. field<id>() knows its type.
Result<FieldSample<Value>> read_field(const State& state, abi::nvmlDevice_t device, Field field);

// As read_fields(): an error of the call is one of each field.
void read_each_field(const State& state, abi::nvmlDevice_t device, std::span<const Field> fields,
                     std::span<FieldValue> room);

// C: nvmlDeviceClearFieldValues
Result<std::vector<Result<void>>> clear_fields(const State& state, abi::nvmlDevice_t device,
                                               std::span<const Field> fields);

// C: nvmlDeviceClearFieldValues. Into the caller's memory; nothing is allocated.
Result<void> clear_fields(const State& state, abi::nvmlDevice_t device, std::span<const Field> fields,
                          std::span<Result<void>> room);

}  // namespace detail

}  // namespace nvml::inline v1

/// @cond what the language asks for to take them apart
template <nvml::FieldId... ids>
struct std::tuple_size<nvml::FieldSamples<ids...>> : std::integral_constant<std::size_t, sizeof...(ids)> {};
template <std::size_t place, nvml::FieldId... ids>
struct std::tuple_element<place, nvml::FieldSamples<ids...>> {
  using type = decltype(std::declval<const nvml::FieldSamples<ids...>&>().template get<place>());
};
/// @endcond

template <>
struct std::hash<nvml::Field> {
  std::size_t operator()(const nvml::Field& field) const noexcept {
    return nvml::detail::mixed(static_cast<unsigned>(field.id), field.scope);
  }
};
