// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/library.hpp"

#include "nvmlab/nvml/objects.hpp"

namespace nvml {

Result<Library> Library::open(const Options& options) {
  auto opened = detail::open(options);
  if (!opened) return std::unexpected(std::move(opened.error()));
  return Library{std::move(*opened)};
}

Library Library::from_table(const Functions& functions) {
  auto* const state = new detail::State;
  detail::Shared shared{state};
  state->functions = functions;
  return Library{std::move(shared)};
}

std::vector<Device> Library::devices() const {
  std::vector<Device> all;
  const unsigned count = device_count().value_or(0);
  for (unsigned index = 0; index < count; ++index) {
    if (auto one = device(index)) all.push_back(*std::move(one));
  }
  return all;
}

std::vector<Unit> Library::units() const {
  std::vector<Unit> all;
  const unsigned count = unit_count().value_or(0);
  for (unsigned index = 0; index < count; ++index) {
    if (auto one = unit(index)) all.push_back(*std::move(one));
  }
  return all;
}

}  // namespace nvml
