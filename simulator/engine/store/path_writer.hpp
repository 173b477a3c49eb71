// SPDX-License-Identifier: Apache-2.0
//
// Puts a path together in memory of the caller's, without the C library's printf. Tests:
// tests/unit/machine/store_file_test.cpp, tests/drivers/functions/processes_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

class PathWriter {
 public:
  template <std::uint32_t N>
  explicit PathWriter(char (&text)[N]) : text_(text), room_(N) {
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

  void add(std::uint64_t number) {
    char digits[24];
    int at = 23;
    digits[at] = '\0';
    do
      digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    add(digits + at);
  }

  bool complete() const { return complete_; }  // false: there was no room for all of it

 private:
  char* text_;
  std::uint32_t room_;
  std::uint32_t at_ = 0;
  bool complete_ = true;
};

}  // namespace nvmlab
