// SPDX-License-Identifier: Apache-2.0
#include "kernels/images/unpack.hpp"

namespace nvmlab::kernels {
namespace {

// A length of 15 goes on in bytes until one is not 255.
bool longer(std::string_view packed, std::size_t* at, std::uint64_t* length) {
  for (;;) {
    if (*at >= packed.size()) return false;
    const auto more = static_cast<unsigned char>(packed[(*at)++]);
    *length += more;
    if (more != 255) return true;
  }
}

}  // namespace

bool repeat_bytes(std::string* out, std::uint64_t offset, std::uint64_t length, std::uint64_t most) {
  if (offset == 0 || offset > out->size() || length > most - out->size()) return false;
  const std::size_t from = out->size() - offset;
  if (offset >= length) {
    out->resize(out->size() + length);
    out->replace(out->size() - length, length, out->data() + from, length);
    return true;
  }
  for (std::uint64_t i = 0; i < length; ++i)
    out->push_back((*out)[from + i]);
  return true;
}

bool unpack_lz4(std::string_view packed, std::uint64_t most, std::string* out) {
  constexpr std::uint64_t kMore = 15;
  constexpr std::uint64_t kLeastMatch = 4;
  out->clear();
  for (std::size_t at = 0; at < packed.size();) {
    const auto token = static_cast<unsigned char>(packed[at++]);
    std::uint64_t literals = token >> 4;
    if (literals == kMore && !longer(packed, &at, &literals)) return false;
    if (literals > packed.size() - at || literals > most - out->size()) return false;
    out->append(packed.substr(at, literals));
    at += literals;
    if (at == packed.size()) return true;  // the last sequence has literals alone
    if (packed.size() - at < 2) return false;
    const auto low = static_cast<unsigned char>(packed[at]);
    const auto high = static_cast<unsigned char>(packed[at + 1]);
    at += 2;
    std::uint64_t length = token & kMore;
    if (length == kMore && !longer(packed, &at, &length)) return false;
    if (!repeat_bytes(out, std::uint64_t{low} | std::uint64_t{high} << 8, length + kLeastMatch, most)) return false;
  }
  return false;
}

}  // namespace nvmlab::kernels
