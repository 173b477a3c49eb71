// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/library.hpp"

#include "nvmlab/nvml/generated/return.hpp"
#include "nvmlab/nvml/objects.hpp"

namespace nvml::inline v1 {

Result<Library> Library::open(const Options& options) {
  auto opened = detail::open(options);
  if (!opened) return unexpected(std::move(opened.error()));
  return Library{std::move(*opened)};
}

Library Library::from_table(const Functions& functions) {
  auto* const state = new detail::State;
  detail::Shared shared{state};
  state->functions = functions;
  return Library{std::move(shared)};
}

namespace {

// An object for each index: one of its handle, or one that says why it was refused.
template <class T, class Find, class Named>
std::vector<T> one_for_each(const Result<unsigned>& count, Find find, Named named) {
  if (!count) return {T{detail::refused(count.error()), nullptr}};
  std::vector<T> all;
  all.reserve(*count);
  for (unsigned index = 0; index < *count; ++index) {
    if (auto one = find(index)) {
      all.push_back(*std::move(one));
    } else {
      all.emplace_back(detail::refused(named(index, one.error())), nullptr);
    }
  }
  return all;
}

}  // namespace

std::vector<Device> Library::devices() const {
  return one_for_each<Device>(
      device_count(),
      [&](unsigned index) {
        auto found = device(index);
        if (found) detail::remember_index(state(), found->handle(), index);
        return found;
      },
      [](unsigned index, const Error& error) { return detail::about(index, error); });
}

std::vector<Unit> Library::units() const {
  const auto count = unit_count();
  // Drivers of today know no units at all.
  if (!count && (count.error().code() == Return::not_supported || count.error().code() == Return::function_not_found))
    return {};
  return one_for_each<Unit>(
      count, [&](unsigned index) { return unit(index); },
      [](unsigned index, const Error& error) { return error.with_detail("unit " + std::to_string(index)); });
}

}  // namespace nvml::inline v1
