// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/library.hpp"

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

}  // namespace nvml
