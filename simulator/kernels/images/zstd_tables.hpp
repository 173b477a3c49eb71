// SPDX-License-Identifier: Apache-2.0
// The two codes of zstd (RFC 8878, sections 4.1 and 4.2), and the bits that they are read from. Tests:
// tests/unit/kernels/unpack_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nvmlab::kernels::zstd {

inline std::uint32_t byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

// Bits from the end of some bytes to their beginning; the highest bit that is set says where they begin.
class BackwardBits {
 public:
  bool open(std::string_view bytes);
  // Bits before the first one are zeros, and left() is negative then.
  std::uint64_t take(std::uint32_t count);
  std::uint64_t peek(std::uint32_t count) const;
  void skip(std::uint32_t count) { left_ -= count; }
  std::int64_t left() const { return left_; }

 private:
  std::string_view bytes_;
  std::int64_t left_ = 0;
};

struct FseEntry {
  std::uint8_t symbol = 0;
  std::uint8_t bits = 0;
  std::uint16_t base = 0;  // of the next state
};

struct FseTable {
  std::uint32_t log = 0;
  std::vector<FseEntry> entries;

  bool empty() const { return entries.empty(); }
  // Always the same symbol.
  void fill_with(std::uint8_t symbol);
  // A symbol with -1 is rarer than one state's worth.
  bool build(std::span<const std::int16_t> counts, std::uint32_t accuracy);
  // Reads counts; how many bytes they took is taken off `bytes`.
  bool read(std::string_view* bytes, std::uint32_t most_symbols, std::uint32_t most_log);
};

struct HuffmanEntry {
  std::uint8_t symbol = 0;
  std::uint8_t bits = 0;
};

struct HuffmanTable {
  std::uint32_t log = 0;
  std::vector<HuffmanEntry> entries;

  // Reads the weights of symbols, and takes them off `bytes`.
  bool read(std::string_view* bytes);
  // Decodes all of `bytes` to exactly `count` symbols.
  bool decode(std::string_view bytes, std::size_t count, std::string* out) const;

 private:
  bool build(std::vector<std::uint8_t> weights);
};

}  // namespace nvmlab::kernels::zstd
