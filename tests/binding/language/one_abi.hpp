// SPDX-License-Identifier: Apache-2.0
// What the two files of a program hand each other, of which each is compiled in another language mode.
#pragma once

#include <nvmlab/nvml.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace one_abi {

// Everything that is in a signature of ours, through code of the other file.
nvml::Result<nvml::Memory> memory(const nvml::Device& device);
nvml::Result<void> nothing(bool well);
nvml::Result<std::vector<nvml::Device>> devices(nvml::Library library);
nvml::expected<std::string, int> text(nvml::expected<std::optional<int>, int> number);
std::size_t size_of_results();

inline const nvml::Error& refused() {
  static const nvml::Error error{nvml::Return::not_supported, nvml::Origin::binding, "one_abi"};
  return error;
}

constexpr std::size_t sizes() {
  std::size_t all = 0;
  for (const std::size_t one : {sizeof(nvml::Result<void>), sizeof(nvml::Result<nvml::Memory>),
                                sizeof(nvml::expected<char, int>), sizeof(nvml::Error), sizeof(nvml::Library),
                                sizeof(nvml::Device), sizeof(nvml::Result<std::vector<nvml::Device>>)})
    all = all * 131 + one;
  return all;
}

}  // namespace one_abi
