// SPDX-License-Identifier: Apache-2.0
// Names for tests with parameters, which GoogleTest wants of letters, digits and underscores.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace nvmlab::test {

inline std::string in_underscores(std::string_view text) {
  std::string name{text};
  std::ranges::replace(name, '-', '_');
  return name;
}

// For INSTANTIATE_TEST_SUITE_P, where the parameter is a text.
struct NamedByParam {
  template <class Info>
  std::string operator()(const Info& info) const {
    return in_underscores(info.param);
  }
};

}  // namespace nvmlab::test
