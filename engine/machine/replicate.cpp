// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/replicate.hpp"

#include "engine/machine/words.hpp"

namespace nvmlab {
namespace {

constexpr char kHex[] = "0123456789abcdef";

std::uint64_t mix(std::uint64_t value) {  // splitmix64's finaliser
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

std::uint64_t hash(const char* text) {
  std::uint64_t sum = 0xcbf29ce484222325ull;
  for (; *text != '\0'; ++text)
    sum = (sum ^ static_cast<unsigned char>(*text)) * 0x100000001b3ull;
  return sum;
}

// GPU-xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx from 128 bits: the form of a random (version 4) UUID.
void write_uuid(std::uint64_t high, std::uint64_t low, Text<96>* out) {
  char text[41] = "GPU-";
  std::uint32_t at = 4;
  for (std::uint32_t digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) text[at++] = '-';
    const std::uint64_t half = digit < 16 ? high : low;
    std::uint32_t value = (half >> (60 - 4 * (digit % 16))) & 0xF;
    if (digit == 12) value = 4;
    if (digit == 16) value = 8 | (value & 3);
    text[at++] = kHex[value];
  }
  out->set(text, at);
}

// The digits of a serial number as one number; letters are left out.
template <std::uint32_t N>
std::uint64_t digits_of(const Text<N>& serial) {
  std::uint64_t number = 0;
  for (std::uint32_t i = 0; i < serial.length && i < N; ++i) {
    const char digit = serial.data[i];
    if (digit >= '0' && digit <= '9') number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return number;
}

// Adds to a serial number in decimal, keeping its width; letters are left alone.
template <std::uint32_t N>
void advance_serial(Text<N>* serial, std::uint64_t by) {
  std::uint64_t carry = by;
  for (std::uint32_t i = serial->length; i > 0 && carry > 0; --i) {
    char& digit = serial->data[i - 1];
    if (digit < '0' || digit > '9') continue;
    const std::uint64_t sum = static_cast<std::uint64_t>(digit - '0') + carry;
    digit = static_cast<char>('0' + sum % 10);
    carry = sum / 10;
  }
}

// How far a round must be from the next so that the numbers of two rounds never meet.
struct Span {
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  void take(std::uint64_t number) {
    low = number < low ? number : low;
    high = number > high ? number : high;
  }
  std::uint64_t step() const { return high < low ? 1 : high - low + 1; }
};

}  // namespace

void replicate(const Image& pattern, std::uint32_t index, Gpu* out) {
  const std::uint32_t listed = pattern.header->gpu_count;
  if (listed == 0) return;
  store(*out, pattern.gpus[index % listed]);
  if (index < listed) return;
  const std::uint32_t round = index / listed;

  const std::uint64_t seed = hash(pattern.header->name) + index;
  write_uuid(mix(seed * 2), mix(seed * 2 + 1), &out->identity.uuid);
  Span serials;
  Span domains;
  for (std::uint32_t i = 0; i < listed; ++i) {
    serials.take(digits_of(pattern.gpus[i].identity.serial));
    domains.take(pattern.gpus[i].pci.domain.value_or(0));
  }
  if (out->identity.serial.known()) advance_serial(&out->identity.serial, round * serials.step());
  if (out->identity.pdi.known()) out->identity.pdi.set(mix(seed * 3));
  out->identity.minor_number.set(index);
  // Each round of GPUs sits in PCI domains of its own, at the addresses of the listed ones.
  out->pci.domain.set(pattern.gpus[index % listed].pci.domain.value_or(0) +
                      round * static_cast<std::uint32_t>(domains.step()));
}

}  // namespace nvmlab
