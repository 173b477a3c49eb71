// SPDX-License-Identifier: Apache-2.0
// What can go in: names, numbers, or what earlier calls told. Tests: tests/unit/recorder/ask_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "recorder/seen.hpp"

namespace nvmlab::recorder {

struct Choice {
  std::uint64_t number = 0;
  const char* name = nullptr;
  std::string text;
};

// In the order in which they are tried. `field` is what they are given for, `gpu` the one at hand (-1: none).
std::vector<Choice> choices(const Input& input, const Field& field, const Seen& seen, int gpu);

}  // namespace nvmlab::recorder
