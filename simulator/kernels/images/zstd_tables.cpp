// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/zstd_tables.hpp"

#include <bit>
#include <cstdlib>
#include <string>

namespace nvmlab::kernels::zstd {
namespace {

std::uint32_t highest_bit(std::uint32_t value) { return static_cast<std::uint32_t>(std::bit_width(value)) - 1; }

// Bits from the beginning, as counts are written.
class ForwardBits {
 public:
  explicit ForwardBits(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t take(std::uint32_t count) {
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < count; ++i, ++at_) {
      if (at_ / 8 < bytes_.size()) value |= (byte_at(bytes_, at_ / 8) >> at_ % 8 & 1) << i;
    }
    return value;
  }
  void give_back() { --at_; }
  bool overrun() const { return at_ > bytes_.size() * 8; }
  std::size_t bytes_taken() const { return (at_ + 7) / 8; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// How often a symbol comes, as a number between -1 and `remaining`; small ones take a bit less.
std::int32_t read_count(ForwardBits& bits, std::uint32_t remaining) {
  const std::uint32_t width = highest_bit(remaining + 1) + 1;
  const std::uint32_t low = (1U << (width - 1)) - 1;
  const std::uint32_t short_ones = (1U << width) - 1 - (remaining + 1);
  std::uint32_t value = bits.take(width);
  if ((value & low) < short_ones) {
    bits.give_back();
    value &= low;
  } else if (value > low) {
    value -= short_ones;
  }
  return static_cast<std::int32_t>(value) - 1;
}

}  // namespace

bool BackwardBits::open(std::string_view bytes) {
  if (bytes.empty() || bytes.back() == '\0') return false;
  bytes_ = bytes;
  left_ = static_cast<std::int64_t>((bytes.size() - 1) * 8 + highest_bit(byte_at(bytes, bytes.size() - 1)));
  return true;
}

std::uint64_t BackwardBits::peek(std::uint32_t count) const {
  std::uint64_t value = 0;
  for (std::int64_t need = left_ - count, at = left_; at > need;) {
    if (at <= 0) return value << (at - need);
    const std::int64_t byte = (at - 1) / 8;
    const std::int64_t from = byte * 8 > need ? byte * 8 : need;
    const auto width = static_cast<std::uint32_t>(at - from);
    const std::uint32_t bits = byte_at(bytes_, static_cast<std::size_t>(byte)) >> (from - byte * 8);
    value = value << width | (bits & ((1U << width) - 1));
    at = from;
  }
  return value;
}

std::uint64_t BackwardBits::take(std::uint32_t count) {
  const std::uint64_t value = peek(count);
  skip(count);
  return value;
}

void FseTable::fill_with(std::uint8_t symbol) {
  log = 0;
  entries.assign(1, {symbol, 0, 0});
}

bool FseTable::build(std::span<const std::int16_t> counts, std::uint32_t accuracy) {
  const std::uint32_t size = 1U << accuracy;
  std::vector<std::uint32_t> next(counts.size());
  std::uint32_t high = size;
  std::uint32_t sum = 0;
  log = accuracy;
  entries.assign(size, {});
  for (std::size_t i = 0; i < counts.size(); ++i) {
    next[i] = static_cast<std::uint32_t>(std::abs(counts[i]));
    sum += next[i];
    if (sum > size) return false;
    if (counts[i] == -1) entries[--high].symbol = static_cast<std::uint8_t>(i);
  }
  if (sum != size) return false;
  const std::uint32_t step = (size >> 1) + (size >> 3) + 3;
  std::uint32_t position = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::int32_t k = 0; k < counts[i]; ++k) {
      entries[position].symbol = static_cast<std::uint8_t>(i);
      do {
        position = (position + step) & (size - 1);
      } while (position >= high);
    }
  }
  for (FseEntry& each : entries) {
    const std::uint32_t state = next[each.symbol]++;
    each.bits = static_cast<std::uint8_t>(log - highest_bit(state));
    each.base = static_cast<std::uint16_t>((state << each.bits) - size);
  }
  return true;
}

bool FseTable::read(std::string_view* bytes, std::uint32_t most_symbols, std::uint32_t most_log) {
  ForwardBits bits(*bytes);
  const std::uint32_t accuracy = bits.take(4) + 5;
  if (accuracy > most_log) return false;
  std::vector<std::int16_t> counts;
  for (std::uint32_t remaining = 1U << accuracy; remaining > 0;) {
    if (counts.size() >= most_symbols || bits.overrun()) return false;
    const std::int32_t count = read_count(bits, remaining);
    const auto uses = static_cast<std::uint32_t>(std::abs(count));
    if (uses > remaining) return false;
    remaining -= uses;
    counts.push_back(static_cast<std::int16_t>(count));
    for (std::uint32_t zeros = count == 0 ? 3 : 0; zeros == 3;) {
      zeros = bits.take(2);
      counts.insert(counts.end(), zeros, 0);
      if (counts.size() > most_symbols || bits.overrun()) return false;
    }
  }
  if (bits.overrun() || !build(counts, accuracy)) return false;
  bytes->remove_prefix(bits.bytes_taken());
  return true;
}

bool HuffmanTable::read(std::string_view* bytes) {
  constexpr std::uint32_t kPlain = 128;
  constexpr std::size_t kMostWeights = 255;
  if (bytes->empty()) return false;
  const std::uint32_t head = byte_at(*bytes, 0);
  bytes->remove_prefix(1);
  std::vector<std::uint8_t> weights;
  const std::size_t size = head >= kPlain ? (head - kPlain + 2) / 2 : head;
  if (size > bytes->size()) return false;
  std::string_view own = bytes->substr(0, size);
  bytes->remove_prefix(size);
  if (head >= kPlain) {
    for (std::uint32_t i = 0; i <= head - kPlain; ++i)
      weights.push_back(byte_at(own, i / 2) >> (i % 2 == 0 ? 4 : 0) & 15);
    return build(std::move(weights));
  }
  constexpr std::uint32_t kMostLog = 6;
  FseTable code;
  BackwardBits bits;
  if (!code.read(&own, kMostWeights, kMostLog) || !bits.open(own)) return false;
  // Two states take turns until the bits are used up; what the other one has then is the last.
  std::uint64_t states[2] = {bits.take(code.log), bits.take(code.log)};
  if (bits.left() < 0) return false;
  for (std::uint32_t turn = 0;; turn ^= 1) {
    const FseEntry& entry = code.entries[states[turn]];
    if (weights.size() + 2 > kMostWeights) return false;
    weights.push_back(entry.symbol);
    states[turn] = entry.base + bits.take(entry.bits);
    if (bits.left() < 0) {
      weights.push_back(code.entries[states[turn ^ 1]].symbol);
      return build(std::move(weights));
    }
  }
}

// The last weight is not written: it makes the sum a power of two.
bool HuffmanTable::build(std::vector<std::uint8_t> weights) {
  constexpr std::uint32_t kMostLog = 11;
  std::uint32_t sum = 0;
  for (const std::uint8_t each : weights) {
    if (each > kMostLog) return false;
    if (each != 0) sum += 1U << (each - 1);
  }
  if (sum == 0) return false;
  log = highest_bit(sum) + 1;
  const std::uint32_t rest = (1U << log) - sum;
  if (log > kMostLog || !std::has_single_bit(rest)) return false;
  weights.push_back(static_cast<std::uint8_t>(highest_bit(rest) + 1));
  entries.clear();
  for (std::uint32_t weight = 1; weight <= log; ++weight) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] != weight) continue;
      entries.insert(entries.end(), std::size_t{1} << (weight - 1),
                     {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(log + 1 - weight)});
    }
  }
  return entries.size() == std::size_t{1} << log;
}

bool HuffmanTable::decode(std::string_view bytes, std::size_t count, std::string* out) const {
  BackwardBits bits;
  if (!bits.open(bytes)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const HuffmanEntry entry = entries[bits.peek(log)];
    bits.skip(entry.bits);
    if (bits.left() < 0) return false;
    out->push_back(static_cast<char>(entry.symbol));
  }
  return bits.left() == 0;
}

}  // namespace nvmlab::kernels::zstd
