// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/replicate.hpp"

#include "engine/machine/image.hpp"

namespace nvmlab {
namespace {

constexpr char kHex[] = "0123456789abcdef";

std::uint64_t mix(std::uint64_t value) {  // splitmix64's finaliser
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

// As much of a name as an image keeps: a machine has the same GPUs whoever repeats them.
std::uint64_t hash(const char* name) {
  std::uint64_t sum = 0xcbf29ce484222325ull;
  for (std::uint32_t i = 0; i + 1 < sizeof ImageHeader::name && name[i] != '\0'; ++i)
    sum = (sum ^ static_cast<unsigned char>(name[i])) * 0x100000001b3ull;
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
  for (std::uint32_t i = serial->length < N ? serial->length : N; i > 0 && carry > 0; --i) {  // never leads outside
    char& digit = serial->data[i - 1];
    if (digit < '0' || digit > '9') continue;
    const std::uint64_t sum = static_cast<std::uint64_t>(digit - '0') + carry;
    digit = static_cast<char>('0' + sum % 10);
    carry = sum / 10;
  }
}

}  // namespace

void Replicator::list(const Gpu& gpu) {
  ++listed_;
  serials_.take(digits_of(gpu.identity.serial));
  domains_.take(gpu.pci.domain.value_or(0));
}

void Replicator::rename(std::uint32_t index, Gpu* gpu) const {
  if (listed_ == 0) return;
  const std::uint32_t round = index / listed_;
  const std::uint64_t seed = hash(profile_) + index;
  write_uuid(mix(seed * 2), mix(seed * 2 + 1), &gpu->identity.uuid);
  if (gpu->identity.serial.has_value()) advance_serial(&gpu->identity.serial, round * serials_.step());
  if (gpu->identity.pdi.has_value()) gpu->identity.pdi.set(mix(seed * 3));
  gpu->identity.minor_number.set(index);
  // Each round of GPUs sits in PCI domains of its own, at the addresses of the listed ones.
  gpu->pci.domain.set(gpu->pci.domain.value_or(0) + round * static_cast<std::uint32_t>(domains_.step()));
}

}  // namespace nvmlab
