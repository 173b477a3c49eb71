// SPDX-License-Identifier: Apache-2.0
// A family of versions as one method: the newest version that the library knows answers. Covered by
// tests/binding/families_test.cpp.
#pragma once

#include <utility>

#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {

inline bool knows_not(const Error& error) noexcept { return knows_not(static_cast<abi::nvmlReturn_t>(error.code())); }

// The oldest.
template <class Version>
[[gnu::always_inline]] inline auto newest(Version&& version) {
  return version();
}

template <class Answer, class... Older>
void ask_older(Answer& answer, Older&&... older);

// From newest to oldest. All ways out return the one `answer`, so that it is made where the caller wants it, and what
// the newest version answers is not moved; clang does so where the type of what is returned is not deduced.
template <class Version, class... Older>
requires(sizeof...(Older) > 0) [[gnu::always_inline]] inline auto newest(Version&& version, Older&&... older)
    -> decltype(version()) {
  decltype(version()) answer = version();
  if (!answer.has_value() && knows_not(answer.error())) [[unlikely]]
    ask_older(answer, std::forward<Older>(older)...);
  return answer;
}

// In place of the answer of a version that the library does not know. If it knows none, the newest one's answer tells
// most; if it has none, the oldest one's error does, which names the driver that is needed at least.
template <class Answer, class... Older>
[[gnu::noinline]] void ask_older(Answer& answer, Older&&... older) {
  auto fallback = newest(std::forward<Older>(older)...);
  const bool neither = !fallback.has_value() && knows_not(fallback.error());
  if (neither && (answer.error().origin() != Origin::symbol || fallback.error().origin() != Origin::symbol)) return;
  answer = std::move(fallback);
}

// Without the newest, whose error is made only where no older one answers: to make it takes longer than many a call.
template <class Version, class... Older>
[[gnu::noinline]] auto without_newest(Version&& version, Older&&... older) -> decltype(version()) {
  decltype(version()) answer = newest(std::forward<Older>(older)...);
  if (!answer.has_value() && knows_not(answer.error()))
    answer = newest(std::forward<Version>(version), std::forward<Older>(older)...);
  return answer;
}

// From newest to oldest, where the library may lack the newest, which has its entry at `slot`.
template <class F, class Version, class... Older>
[[gnu::always_inline]] inline auto newest_of(const State& state, F* Functions::*slot, Version&& version,
                                             Older&&... older) -> decltype(version()) {
  if (state.functions.*slot == nullptr) [[unlikely]]
    return without_newest(std::forward<Version>(version), std::forward<Older>(older)...);
  return newest(std::forward<Version>(version), std::forward<Older>(older)...);
}

}  // namespace nvml::inline v1::detail
