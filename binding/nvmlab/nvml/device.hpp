// SPDX-License-Identifier: Apache-2.0
// A GPU, or a MIG device, from Library::device() and its like. A value, see object.hpp.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "nvmlab/nvml/field_value.hpp"
#include "nvmlab/nvml/generated/device_methods.hpp"

namespace nvml::inline v1 {

class MigDevice;

/// A GPU as NVML sees it. Most methods are in DeviceMethods, one for each C function.
class Device : public DeviceMethods {
 public:
  using DeviceMethods::DeviceMethods;

  /// @name MIG devices
  /// @{

  /// The MIG devices of this GPU, without the holes that their places may have. Empty where MIG is off, or unknown to
  /// the board or the driver; mig_mode() says which. What is refused for any other reason is there and says why, as in
  /// Library::devices(). Include nvmlab/nvml/mig_device.hpp, or all of nvmlab/nvml.hpp.
  ///
  /// C: nvmlDeviceGetMaxMigDeviceCount, nvmlDeviceGetMigDeviceHandleByIndex
  [[nodiscard]] std::vector<MigDevice> mig_devices() const;

  /// @}
  /// @name Typed fields
  /// @{

  using DeviceMethods::field_values;

  /// The same of a list in braces: device.field_values({FieldId::memory_temp, {FieldId::nvlink_throughput_data_tx,
  /// 0}}).
  [[nodiscard]] Result<std::vector<FieldValue>> field_values(std::initializer_list<Field> fields) const {
    return field_values(std::span{fields.begin(), fields.size()});
  }

  /// A field, with its type and the time of its measurement:
  ///
  ///     if (auto power = device.field<nvml::FieldId::power_instant>()) std::cout << power->value;  // 70210 mW
  ///
  /// `scope` is which one of several: an NVLink's number, a PowerScope, as the field has it.
  template <FieldId id>
  [[nodiscard]] Result<FieldSample<FieldType<id>>> field(unsigned scope = 0) const {
    const Field asked{id, scope};
    FieldValue value{asked, Value{}};
    detail::read_each_field(state(), handle(), {&asked, 1}, {&value, 1});
    return value.template as<id>();
  }

  /// Several fields in one call of the driver, each with its type and an answer of its own. Nothing is allocated.
  ///
  ///     const auto now = device.fields<nvml::FieldId::power_instant, nvml::FieldId::memory_temp>();
  ///     if (auto power = now.get<nvml::FieldId::power_instant>()) ...
  template <FieldId... ids>
  [[nodiscard]] FieldSamples<ids...> fields(unsigned scope = 0) const {
    constexpr std::size_t kCount = sizeof...(ids);
    const std::array<Field, kCount> asked{Field{ids, scope}...};
    std::array<FieldValue, kCount> values{FieldValue{{ids, scope}, Value{}}...};
    detail::read_each_field(state(), handle(), asked, values);
    return FieldSamples<ids...>{values};
  }

  /// @}
};

}  // namespace nvml::inline v1
