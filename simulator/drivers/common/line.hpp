// SPDX-License-Identifier: Apache-2.0
// A line of a message, put together without heap and without the C library's printf.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvmlab::driver {

// What a user set, quoted in a message: cut where it is so long that the rest of the line would not fit.
struct Quoted {
  const char* text;
};

// A line put together without the C library's printf, which allocates.
class Line {
 public:
  Line& operator<<(Quoted quoted);
  Line& append(const char* text, std::size_t length);
  Line& operator<<(const char* text);
  Line& operator<<(std::uint64_t number);
  const char* text() const { return text_; }
  std::uint32_t size() const { return size_; }
  void end();  // a newline, in place of the last character where there is no room

 private:
  char text_[1024] = {};
  std::uint32_t size_ = 0;
};

}  // namespace nvmlab::driver
