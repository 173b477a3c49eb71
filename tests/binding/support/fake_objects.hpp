// SPDX-License-Identifier: Apache-2.0
// Objects of a fake library, for tests of methods.
#pragma once

#include <cstdint>

#include "nvmlab/nvml/fake.hpp"
#include "nvmlab/nvml/generated/library_methods.hpp"
#include "nvmlab/nvml/objects.hpp"

namespace nvmlab::binding_test {

inline nvml::abi::nvmlDevice_t device_handle(std::uintptr_t number = 0x10) {
  return reinterpret_cast<nvml::abi::nvmlDevice_t>(number);
}

inline nvml::Device device_of(const nvml::Fake& fake, std::uintptr_t number = 0x10) {
  return nvml::Device{fake.library().library(), device_handle(number)};
}

inline nvml::Error driver_error(nvml::abi::nvmlReturn_t code, const char* function) {
  return nvml::Error{static_cast<nvml::Return>(code), nvml::Origin::driver, function};
}

}  // namespace nvmlab::binding_test
