// SPDX-License-Identifier: Apache-2.0
#include "engine/store/identity.hpp"

#include "engine/store/hash.hpp"
#include "engine/store/image.hpp"

namespace nvmlab {
namespace {

std::uint64_t hash_of_name(const char* machine) {
  std::uint32_t length = 0;
  while (length + 1 < sizeof ImageHeader::name && machine[length] != '\0')
    ++length;
  return fnv1a(machine, length);
}

}  // namespace

// GPU-xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx: the form of a random (version 4) UUID. The places of its version and
// variant hide no digit of the two numbers but the highest of the second one.
void derive_uuid(const char* machine, std::uint32_t index, Text<96>* out) {
  const std::uint64_t sum = hash_of_name(machine);
  const std::uint64_t high = mix(sum + index);
  const std::uint64_t low = mix(high ^ sum);
  const std::uint64_t halves[] = {(high & ~0xFFFFull) | 0x4000 | (high & 0xFFF),
                                  0x8000ull << 48 | (low >> 52) << 48 | (low & 0xFFFF'FFFF'FFFFull)};
  char text[41] = "GPU-";
  std::uint32_t at = 4;
  for (std::uint32_t digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) text[at++] = '-';
    text[at++] = "0123456789abcdef"[(halves[digit / 16] >> (60 - 4 * (digit % 16))) & 0xF];
  }
  out->set(text, at);
}

std::uint64_t derive_pdi(const char* machine, std::uint32_t index) { return mix(~(hash_of_name(machine) + index)); }

void count_up(Text<32>* serial, std::uint64_t by) {
  if (!serial->has_value()) return;
  for (std::uint32_t i = serial->length < serial->capacity ? serial->length : 0; i > 0 && by > 0; --i) {
    char& digit = serial->data[i - 1];
    if (digit < '0' || digit > '9') continue;
    const std::uint64_t sum = static_cast<std::uint64_t>(digit - '0') + by % 10;
    digit = static_cast<char>('0' + sum % 10);
    by = by / 10 + sum / 10;
  }
}

void count_up(Bytes<16>* guid, std::uint64_t by) {
  if (!guid->has_value()) return;
  for (std::uint32_t i = guid->capacity; i > 0 && by > 0; --i) {
    const std::uint64_t sum = guid->data[i - 1] + (by & 0xFF);
    guid->data[i - 1] = static_cast<std::uint8_t>(sum);
    by = (by >> 8) + (sum >> 8);
  }
}

void count_up(Fact<std::uint32_t>* number, std::uint64_t by) {
  if (number->has_value()) number->set(number->value + static_cast<std::uint32_t>(by));
}

std::uint64_t number_of(const Text<32>& serial) {
  std::uint64_t number = 0;
  for (std::uint32_t i = 0; i < serial.length && i < serial.capacity; ++i) {
    const char digit = serial.data[i];
    if (digit >= '0' && digit <= '9') number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return number;
}

std::uint64_t number_of(const Bytes<16>& guid) {
  std::uint64_t number = 0;
  for (std::uint32_t i = 8; i < guid.capacity; ++i)
    number = number << 8 | guid.data[i];
  return number;
}

}  // namespace nvmlab
