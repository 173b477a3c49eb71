// SPDX-License-Identifier: Apache-2.0
//
// What a field takes, from its row in the vocabulary. Internal to values.cpp. Tests:
// tests/unit/compiler/values_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/numbers.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::compiler {

// A field that counts bytes may be written in KiB, MiB or GiB.
std::vector<std::string> word_names(const Field& field);

struct Bounds {
  bool is_signed = false;
  std::int64_t low = 0;
  std::uint64_t high = 0;
};
Bounds bounds_of(const Field& field);
bool within(const Number& number, const Bounds& bounds);

// For messages: "a whole number (mW)", "one of disabled, enabled".
std::string wanted(const Field& field);

}  // namespace nvmlab::compiler
