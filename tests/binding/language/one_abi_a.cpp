// SPDX-License-Identifier: Apache-2.0
#include "one_abi.hpp"

namespace one_abi {

nvml::Result<nvml::Memory> memory(const nvml::Device& device) { return device.memory_info(); }

nvml::Result<void> nothing(bool well) {
  if (well) return {};
  return nvml::unexpected(refused());
}

nvml::Result<std::vector<nvml::Device>> devices(nvml::Library library) {
  return library.device_count().transform([&](unsigned) { return library.devices(); });
}

nvml::expected<std::string, int> text(nvml::expected<std::optional<int>, int> number) {
  return number.transform([](std::optional<int> some) { return some ? std::to_string(*some) : "none"; });
}

std::size_t size_of_results() { return sizes(); }

}  // namespace one_abi
