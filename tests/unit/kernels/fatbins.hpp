// SPDX-License-Identifier: Apache-2.0
// Fatbins as nvcc writes them, put together by hand, and packed bytes by the tools that are the oracle of our decoders.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "tests/support/process.hpp"

namespace nvmlab::kernels_test {

inline constexpr std::uint64_t kPackedByLz4 = 0x2000;
inline constexpr std::uint64_t kPackedByZstd = 0x8000;

template <class T>
void put(std::string& to, std::size_t at, T value) {
  std::memcpy(to.data() + at, &value, sizeof value);
}

// kind 1: PTX, 2: cubin; ptx: 84 of PTX 8.4. `whole`: the size before packing.
inline std::string fatbin_entry(std::uint16_t kind, std::uint32_t sm, std::uint32_t ptx, const std::string& payload,
                                std::uint64_t flags = 0, std::uint64_t whole = 0) {
  constexpr std::uint32_t kHeader = 72;
  const std::size_t padded = (payload.size() + 7) / 8 * 8;
  std::string made(kHeader + padded, '\0');
  put(made, 0, kind);
  put<std::uint16_t>(made, 2, 0x101);
  put<std::uint32_t>(made, 4, kHeader);
  put<std::uint64_t>(made, 8, padded);
  put(made, 16, flags == 0 ? 0 : static_cast<std::uint32_t>(payload.size()));
  put(made, 20, static_cast<std::uint16_t>(ptx % 10));
  put(made, 22, static_cast<std::uint16_t>(ptx / 10));
  put(made, 28, sm);
  put(made, 40, flags | 0x11);
  put(made, 56, whole);
  return made.replace(kHeader, payload.size(), payload);
}

inline std::string fatbin(const std::string& entries) {
  std::string made(16, '\0');
  put<std::uint32_t>(made, 0, 0xBA55ED50);
  put<std::uint16_t>(made, 4, 1);
  put<std::uint16_t>(made, 6, 16);
  put<std::uint64_t>(made, 8, entries.size());
  return made + entries;
}

inline std::string packed_by_zstd(const std::string& text, const std::string& level = "-3") {
  return test::run({.arguments = {"zstd", "-q", "--ultra", level, "-c"}, .input = text}).out;
}

// The one block of a frame of lz4, for texts of up to 4 MiB.
inline std::string packed_by_lz4(const std::string& text, const std::string& level = "-9") {
  const std::string frame = test::run({.arguments = {"lz4", "-q", level, "-B7", "-c"}, .input = text}).out;
  if (frame.size() < 23) return "";
  const std::size_t head = 7 + ((frame[4] & 8) != 0 ? 8 : 0);
  std::uint32_t size = 0;
  std::memcpy(&size, frame.data() + head, sizeof size);
  return frame.substr(head + sizeof size, size);
}

}  // namespace nvmlab::kernels_test
