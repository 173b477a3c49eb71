// SPDX-License-Identifier: Apache-2.0
//
// FNV-1a: short, the same on every machine, and no protection against anybody. Tests: tests/unit/base/text_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace nvmlab {

constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t sum = 0xcbf29ce484222325U) {
  for (const char letter : text)
    sum = (sum ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return sum;
}

}  // namespace nvmlab
