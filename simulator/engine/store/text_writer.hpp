// SPDX-License-Identifier: Apache-2.0
//
// Writes paths and lines into memory of the caller, without the C library's printf. Tests:
// tests/unit/machine/store_file_test.cpp, tests/drivers/functions/processes_test.cpp,
// tests/unit/topics/xid_lines_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

class TextWriter {
 public:
  template <std::uint32_t N>
  explicit TextWriter(char (&text)[N]) : text_(text), room_(N) {
    text_[0] = '\0';
  }

  void add(const char* text) {
    for (; *text != '\0'; ++text) {
      if (at_ + 1 >= room_) {
        complete_ = false;
        return;
      }
      text_[at_++] = *text;
    }
    text_[at_] = '\0';
  }

  // With zeros in front up to `digits` digits, of which there are at most 20.
  void add(std::uint64_t number, int digits = 1) { add_number(number, 10, digits); }
  void add_hexadecimal(std::uint64_t number, int digits) { add_number(number, 16, digits); }

  bool complete() const { return complete_; }  // false: there was no room for all of it
  std::uint32_t size() const { return at_; }

 private:
  void add_number(std::uint64_t number, std::uint32_t base, int digits) {
    char text[24];
    int at = 23;
    text[at] = '\0';
    while (number > 0 || 23 - at < digits) {
      text[--at] = "0123456789abcdef"[number % base];
      number /= base;
    }
    add(text + at);
  }

  char* text_;
  std::uint32_t room_;
  std::uint32_t at_ = 0;
  bool complete_ = true;
};

}  // namespace nvmlab
