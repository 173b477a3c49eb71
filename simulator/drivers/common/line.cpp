// SPDX-License-Identifier: Apache-2.0
#include "drivers/common/line.hpp"

namespace nvmlab::driver {

Line& Line::operator<<(const char* text) {
  if (text == nullptr) return *this;
  for (; *text != '\0' && size_ + 1 < sizeof text_; ++text)
    text_[size_++] = *text;
  text_[size_] = '\0';
  return *this;
}

Line& Line::append(const char* text, std::size_t length) {
  for (; length > 0 && size_ + 1 < sizeof text_; --length)
    text_[size_++] = *text++;
  text_[size_] = '\0';
  return *this;
}

Line& Line::operator<<(Quoted quoted) {
  constexpr std::uint32_t longest = 400;
  const std::uint32_t start = size_;
  for (const char* at = quoted.text; at != nullptr && *at != '\0'; ++at) {
    if (size_ - start == longest) return *this << "...";
    const char letter[2] = {*at == '\n' ? ' ' : *at, '\0'};
    *this << letter;
  }
  return *this;
}

void Line::end() {
  if (size_ + 1 == sizeof text_) --size_;
  text_[size_++] = '\n';
  text_[size_] = '\0';
}

Line& Line::operator<<(std::uint64_t number) {
  char digits[24];
  int at = 23;
  digits[at] = '\0';
  do
    digits[--at] = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  return *this << (digits + at);
}

}  // namespace nvmlab::driver
