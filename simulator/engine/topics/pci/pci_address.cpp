// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Up to `most` hexadecimal digits; null when there is none or one too many.
const char* read_number(const char* text, int most, std::uint32_t* value) {
  *value = 0;
  int count = 0;
  for (; digit_value(*text) >= 0; ++text) {
    if (++count > most) return nullptr;
    *value = *value << 4 | static_cast<std::uint32_t>(digit_value(*text));
  }
  return count == 0 ? nullptr : text;
}

char* write_number(char* out, std::uint32_t value, std::uint32_t digits) {
  constexpr char hex[] = "0123456789ABCDEF";
  for (std::uint32_t i = digits; i > 0; --i)
    *out++ = hex[(value >> (4 * (i - 1))) & 0xF];
  return out;
}

}  // namespace

bool parse_pci_address(const char* text, PciAddress* out) {
  std::uint32_t parts[3] = {};
  int count = 0;
  const char* at = text;
  for (; count < 3; ++count) {
    at = read_number(at, 8, &parts[count]);
    if (at == nullptr) return false;
    if (*at != ':') {
      ++count;
      break;
    }
    ++at;
  }
  if (count < 2) return false;
  out->domain = count == 3 ? parts[0] : 0;
  out->bus = parts[count - 2];
  out->device = parts[count - 1];
  out->function = 0;
  if (*at == '.') {
    at = read_number(at + 1, 1, &out->function);
    if (at == nullptr) return false;
  }
  return *at == '\0' && out->bus <= 0xFF && out->device <= 0x1F && out->function <= 7;
}

void format_pci_address(const PciAddress& address, std::uint32_t domain_digits, char (&out)[17]) {
  char* at = write_number(out, address.domain, domain_digits);
  *at++ = ':';
  at = write_number(at, address.bus, 2);
  *at++ = ':';
  at = write_number(at, address.device, 2);
  *at++ = '.';
  *at++ = static_cast<char>('0' + address.function);
  *at = '\0';
}

}  // namespace nvmlab
