// SPDX-License-Identifier: Apache-2.0
//
// Which fields a function reads may depend on enumerators that the caller passes: a table with a row for each choice.
#pragma once

#include <cstddef>

#include "drivers/nvml/process.hpp"
#include "engine/state/field_offset.hpp"

namespace nvmlab::driver {

template <std::size_t Keys, std::size_t Fields>
struct Choice {
  long long keys[Keys];
  std::size_t at[Fields];  // byte offsets
};

// `code` for shapes/gates.hpp: known(). Where it is no success the offsets are zero, which leads to some field.
template <std::size_t Fields>
struct Chosen {
  nvmlReturn_t code;
  std::size_t at[Fields];
};

template <std::size_t N, std::size_t Keys, std::size_t Fields, class... Arguments>
[[gnu::always_inline]] inline Chosen<Fields> choose(const Choice<Keys, Fields> (&choices)[N], nvmlReturn_t otherwise,
                                                    Arguments... arguments) {
  static_assert(sizeof...(Arguments) == Keys);
  const long long wanted[] = {static_cast<long long>(arguments)...};
  for (const Choice<Keys, Fields>& choice : choices) {
    bool same = true;
    for (std::size_t i = 0; i < Keys; ++i)
      same = same && choice.keys[i] == wanted[i];
    if (!same) continue;
    if (choice.at[0] == kNoField) return {NVML_ERROR_NOT_SUPPORTED, {}};
    Chosen<Fields> chosen{NVML_SUCCESS, {}};
    for (std::size_t i = 0; i < Fields; ++i)
      chosen.at[i] = choice.at[i];
    return chosen;
  }
  return {otherwise, {}};
}

}  // namespace nvmlab::driver
