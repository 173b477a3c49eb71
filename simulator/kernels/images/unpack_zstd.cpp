// SPDX-License-Identifier: Apache-2.0
// Frames and blocks of zstd (RFC 8878, section 3.1.1); their codes are in zstd_tables.cpp.
#include <algorithm>
#include <array>

#include "kernels/images/unpack.hpp"
#include "kernels/images/zstd_tables.hpp"

namespace nvmlab::kernels::zstd {
namespace {

constexpr std::uint32_t kBiggestBlock = 128 << 10;

std::uint64_t little_endian(std::string_view bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value |= std::uint64_t{byte_at(bytes, i)} << (8 * i);
  return value;
}

// What a code stands for: a number, and bits that are added to it.
struct CodeStep {
  std::uint32_t base;
  std::uint8_t bits;
};

template <std::size_t N>
constexpr auto steps(const std::array<std::uint8_t, N>& bits, std::uint32_t first) {
  std::array<CodeStep, N> made{};
  for (std::size_t i = 0; i < N; ++i) {
    made[i] = {first, bits[i]};
    first += 1U << bits[i];
  }
  return made;
}

constexpr auto kLiteralSteps =
    steps(std::array<std::uint8_t, 36>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  1,  1,
                                       1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
          0);
constexpr auto kMatchSteps = steps(
    std::array<std::uint8_t, 53>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0, 0,
                                 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
    3);
static_assert(kLiteralSteps[35].base == 65536 && kMatchSteps[52].base == 65539);

constexpr std::int16_t kLiteralCounts[] = {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                                           2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
constexpr std::int16_t kMatchCounts[] = {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                         1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                         1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
constexpr std::int16_t kOffsetCounts[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                          1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

struct SequenceCode {  // of the three codes of a sequence
  std::span<const std::int16_t> counts;
  std::uint32_t log;
  std::uint32_t most_log;
  std::uint32_t most_symbols;
};
const SequenceCode kCodes[] = {{kLiteralCounts, 6, 9, 36}, {kOffsetCounts, 5, 8, 32}, {kMatchCounts, 6, 9, 53}};

// What a frame remembers from block to block.
class ZstdFrame {
 public:
  ZstdFrame(std::string* out, std::uint64_t most) : out_(out), most_(most), start_(out->size()) {}
  bool block(std::string_view bytes);

 private:
  bool literals(std::string_view* bytes);
  bool packed_literals(std::string_view* bytes, bool new_table);
  bool sequences(std::string_view bytes);
  bool table(std::uint32_t mode, std::size_t kind, std::string_view* bytes);
  std::uint64_t offset_of(std::uint64_t value, bool no_literals);
  bool take_literals(std::uint64_t count);

  std::string* out_;
  std::uint64_t most_;
  std::size_t start_;  // of this frame
  HuffmanTable huffman_;
  FseTable tables_[3];
  std::uint64_t recent_[3] = {1, 4, 8};
  std::string literals_;
  std::size_t taken_ = 0;
};

bool ZstdFrame::literals(std::string_view* bytes) {
  literals_.clear();
  taken_ = 0;
  if (bytes->empty()) return false;
  const std::uint32_t type = byte_at(*bytes, 0) & 3;
  if (type >= 2) return packed_literals(bytes, type == 2);
  const std::uint32_t format = byte_at(*bytes, 0) >> 2 & 3;
  const std::size_t head = (format & 1) == 0 ? 1 : format == 1 ? 2 : 3;
  if (bytes->size() < head) return false;
  const std::uint64_t size = little_endian(*bytes, head) >> (head == 1 ? 3 : 4);
  bytes->remove_prefix(head);
  const std::uint64_t stored = type == 0 ? size : 1;
  if (size > kBiggestBlock || stored > bytes->size()) return false;
  literals_ = type == 0 ? std::string(bytes->substr(0, size)) : std::string(size, bytes->front());
  bytes->remove_prefix(stored);
  return true;
}

bool ZstdFrame::packed_literals(std::string_view* bytes, bool new_table) {
  constexpr std::uint32_t kWidths[] = {10, 10, 14, 18};
  const std::uint32_t format = byte_at(*bytes, 0) >> 2 & 3;
  const std::uint32_t width = kWidths[format];
  const std::size_t head = (4 + 2 * width) / 8;
  if (bytes->size() < head) return false;
  const std::uint64_t sizes = little_endian(*bytes, head) >> 4;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  const std::uint64_t size = sizes & mask;
  const std::uint64_t stored = sizes >> width & mask;
  bytes->remove_prefix(head);
  if (size > kBiggestBlock || stored > bytes->size()) return false;
  std::string_view own = bytes->substr(0, stored);
  bytes->remove_prefix(stored);
  if (new_table ? !huffman_.read(&own) : huffman_.entries.empty()) return false;
  if (format == 0) return huffman_.decode(own, size, &literals_);
  constexpr std::size_t kJumps = 6;
  if (own.size() < kJumps) return false;
  std::string_view streams = own.substr(kJumps);
  const std::uint64_t each = (size + 3) / 4;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t length = little_endian(own.substr(2 * i), 2);
    if (length > streams.size() || !huffman_.decode(streams.substr(0, length), each, &literals_)) return false;
    streams.remove_prefix(length);
  }
  return literals_.size() <= size && huffman_.decode(streams, size - literals_.size(), &literals_);
}

bool ZstdFrame::table(std::uint32_t mode, std::size_t kind, std::string_view* bytes) {
  const SequenceCode& of = kCodes[kind];
  FseTable& table = tables_[kind];
  switch (mode) {
    case 0:
      return table.build(of.counts, of.log);
    case 1:
      if (bytes->empty() || byte_at(*bytes, 0) >= of.most_symbols) return false;
      table.fill_with(static_cast<std::uint8_t>(bytes->front()));
      bytes->remove_prefix(1);
      return true;
    case 2:
      return table.read(bytes, of.most_symbols, of.most_log);
    default:
      return !table.empty();
  }
}

// Small values name offsets that were used last.
std::uint64_t ZstdFrame::offset_of(std::uint64_t value, bool no_literals) {
  std::uint64_t offset = value - 3;
  std::uint64_t place = 2;
  if (value <= 3) {
    place = value - 1 + (no_literals ? 1 : 0);
    offset = place == 3 ? recent_[0] - 1 : recent_[place];
  }
  for (std::uint64_t i = std::min<std::uint64_t>(place, 2); i > 0; --i)
    recent_[i] = recent_[i - 1];
  recent_[0] = offset;
  return offset;
}

bool ZstdFrame::take_literals(std::uint64_t count) {
  if (count > literals_.size() - taken_ || count > most_ - out_->size()) return false;
  out_->append(literals_, taken_, count);
  taken_ += count;
  return true;
}

bool ZstdFrame::sequences(std::string_view bytes) {
  if (bytes.empty()) return false;
  std::uint64_t count = byte_at(bytes, 0);
  const std::size_t head = count < 128 ? 1 : count < 255 ? 2 : 3;
  if (bytes.size() < head) return false;
  if (head == 2) count = ((count - 128) << 8) + byte_at(bytes, 1);
  if (head == 3) count = little_endian(bytes.substr(1), 2) + 0x7F00;
  bytes.remove_prefix(head);
  if (count == 0) return bytes.empty() && take_literals(literals_.size());
  if (bytes.empty()) return false;
  const std::uint32_t modes = byte_at(bytes, 0);
  bytes.remove_prefix(1);
  for (std::size_t i = 0; i < 3; ++i) {
    if (!table(modes >> (6 - 2 * i) & 3, i, &bytes)) return false;
  }
  BackwardBits bits;
  if (!bits.open(bytes)) return false;
  std::uint64_t states[3];
  for (std::size_t i = 0; i < 3; ++i)
    states[i] = bits.take(tables_[i].log);
  for (; count > 0; --count) {
    const FseEntry now[3] = {tables_[0].entries[states[0]], tables_[1].entries[states[1]],
                             tables_[2].entries[states[2]]};
    const std::uint64_t value = (std::uint64_t{1} << now[1].symbol) + bits.take(now[1].symbol);
    const CodeStep match = kMatchSteps[now[2].symbol];
    const std::uint64_t length = match.base + bits.take(match.bits);
    const CodeStep literal = kLiteralSteps[now[0].symbol];
    const std::uint64_t literals = literal.base + bits.take(literal.bits);
    if (count > 1) {
      for (const std::size_t i : {0U, 2U, 1U})
        states[i] = now[i].base + bits.take(now[i].bits);
    }
    if (bits.left() < 0 || !take_literals(literals)) return false;
    const std::uint64_t offset = offset_of(value, literals == 0);
    if (offset > out_->size() - start_ || !repeat_bytes(out_, offset, length, most_)) return false;
  }
  return bits.left() == 0 && take_literals(literals_.size() - taken_);
}

bool ZstdFrame::block(std::string_view bytes) { return literals(&bytes) && sequences(bytes); }

bool blocks(std::string_view* bytes, std::uint64_t most, std::string* out) {
  ZstdFrame frame(out, most);
  for (bool last = false; !last;) {
    if (bytes->size() < 3) return false;
    const std::uint64_t head = little_endian(*bytes, 3);
    bytes->remove_prefix(3);
    last = (head & 1) != 0;
    const std::uint64_t type = head >> 1 & 3;
    const std::uint64_t size = head >> 3;
    const std::uint64_t stored = type == 1 ? 1 : size;
    if (type == 3 || size > kBiggestBlock || stored > bytes->size()) return false;
    const std::string_view own = bytes->substr(0, stored);
    bytes->remove_prefix(stored);
    if (type == 2) {
      if (!frame.block(own)) return false;
    } else {
      if (size > most - out->size()) return false;
      out->append(type == 0 ? std::string(own) : std::string(size, own.front()));
    }
  }
  return true;
}

bool frame(std::string_view* bytes, std::uint64_t most, std::string* out) {
  constexpr std::size_t kDictionaryBytes[] = {0, 1, 2, 4};
  constexpr std::size_t kSizeBytes[] = {0, 2, 4, 8};
  if (bytes->empty()) return false;
  const std::uint32_t head = byte_at(*bytes, 0);
  const bool single = (head & 0x20) != 0;
  const bool checksum = (head & 4) != 0;
  const std::size_t size_bytes = head >> 6 == 0 && single ? 1 : kSizeBytes[head >> 6];
  const std::size_t skip = 1 + (single ? 0 : 1) + kDictionaryBytes[head & 3] + size_bytes;
  if ((head & 8) != 0 || bytes->size() < skip) return false;
  bytes->remove_prefix(skip);
  if (!blocks(bytes, most, out)) return false;
  if (!checksum) return true;
  if (bytes->size() < 4) return false;
  bytes->remove_prefix(4);
  return true;
}

bool frames(std::string_view packed, std::uint64_t most, std::string* out) {
  constexpr std::uint64_t kMagic = 0xFD2FB528;
  constexpr std::uint64_t kSkippable = 0x184D2A50;  // and the fifteen that follow
  do {
    if (packed.size() < 4) return false;
    const std::uint64_t magic = little_endian(packed, 4);
    packed.remove_prefix(4);
    if ((magic & ~std::uint64_t{15}) == kSkippable) {
      if (packed.size() < 4) return false;
      const std::uint64_t size = little_endian(packed, 4);
      if (size > packed.size() - 4) return false;
      packed.remove_prefix(4 + size);
    } else if (magic != kMagic || !frame(&packed, most, out)) {
      return false;
    }
  } while (!packed.empty());
  return true;
}

}  // namespace
}  // namespace nvmlab::kernels::zstd

namespace nvmlab::kernels {

bool unpack_zstd(std::string_view packed, std::uint64_t most, std::string* out) {
  out->clear();
  return zstd::frames(packed, most, out);
}

}  // namespace nvmlab::kernels
