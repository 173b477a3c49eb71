// SPDX-License-Identifier: Apache-2.0
// Members of a caller's struct as the engine has them in a Change, where that is more than a number: for the verdict
// `change`, whose exports are generated. Tests: tests/drivers/functions/setters_test.cpp, power_profiles_test.cpp.
#pragma once

#include <cstring>

#include "engine/change/change.hpp"

namespace nvmlab::driver {

inline ProfileMask taken(const nvmlMask255_t& from) {
  ProfileMask mask;
  static_assert(sizeof mask.words == sizeof from);
  std::memcpy(mask.words, &from, sizeof mask.words);
  return mask;
}

inline HostnameText taken(const char (&from)[sizeof(HostnameText)]) {
  HostnameText text;
  std::memcpy(text.characters, from, sizeof text.characters);
  return text;
}

}  // namespace nvmlab::driver
