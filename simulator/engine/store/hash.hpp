// SPDX-License-Identifier: Apache-2.0
//
// Numbers from bytes, the same on every machine, and no protection against anybody: FNV-1a over any length, and a
// mixer after which neighbouring numbers have nothing in common. Tests: tests/unit/machine/hash_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvmlab {

inline constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325U;

// `sum` is the hash of what stands before these bytes.
constexpr std::uint64_t fnv1a(const char* bytes, std::size_t size, std::uint64_t sum = kEmptyHash) {
  for (std::size_t i = 0; i < size; ++i)
    sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3U;
  return sum;
}

// The finaliser of splitmix64: no two numbers become one.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

}  // namespace nvmlab
