// SPDX-License-Identifier: Apache-2.0
// Replaces what names one unit, its owner or its place by running numbers: equal values stay equal and distinct ones
// distinct, whatever function tells them, and the shape stays, so that importers read it. Tests:
// tests/unit/recorder/mask_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/walk_row.hpp"

namespace nvmlab::recorder {

class Masker {
 public:
  explicit Masker(bool on) : on_(on) {}

  bool on() const { return on_; }

  // UUIDs within the text become others; a text without one becomes a number of its length, or a word and a number.
  std::string text(std::string_view value, Mask mask);
  std::uint64_t number(std::uint64_t value);
  std::string bytes(const std::byte* value, std::size_t size);

 private:
  std::size_t place(char kind, std::string_view value);  // from 1
  std::string uuid(std::string_view value);

  struct Seen {
    char kind;
    std::string value;
    std::size_t place;
  };

  bool on_;
  std::vector<Seen> seen_;
};

}  // namespace nvmlab::recorder
