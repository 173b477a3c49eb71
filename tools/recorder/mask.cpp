// SPDX-License-Identifier: Apache-2.0
#include "recorder/mask.hpp"

#include <algorithm>

namespace nvmlab::recorder {
namespace {

constexpr std::size_t kUuidLength = 36;
constexpr std::size_t kDashes[] = {8, 13, 18, 23};

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool is_uuid(std::string_view text) {
  if (text.size() < kUuidLength) return false;
  for (std::size_t i = 0; i < kUuidLength; ++i) {
    const bool dash = std::ranges::find(kDashes, i) != std::end(kDashes);
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

bool says_nothing(std::string_view text) {
  if (text.empty() || text == "N/A" || text == "Unknown" || text == "[N/A]") return true;
  return text.find_first_not_of("0-") == std::string_view::npos;
}

// "0000000000007", as long as the original where the number is not longer.
std::string numbered(std::size_t number, std::size_t length) {
  std::string digits = std::to_string(number);
  return digits.size() < length ? std::string(length - digits.size(), '0') + digits : digits;
}

}  // namespace

std::size_t Masker::place(char kind, std::string_view value) {
  std::size_t last = 0;
  for (const Seen& each : seen_) {
    if (each.kind != kind) continue;
    if (each.value == value) return each.place;
    last = each.place;
  }
  seen_.push_back({kind, std::string(value), last + 1});
  return last + 1;
}

std::string Masker::uuid(std::string_view value) {
  if (says_nothing(value)) return std::string(value);
  return "00000000-0000-0000-0000-" + numbered(place('u', value), 12);
}

std::string Masker::text(std::string_view value, Mask mask) {
  if (!on_ || mask == Mask::none || says_nothing(value)) return std::string(value);
  if (mask == Mask::process) return "process-" + std::to_string(place('p', value));
  if (mask == Mask::host) return "host-" + std::to_string(place('h', value));
  std::string masked;
  bool found = false;
  for (std::size_t i = 0; i < value.size();) {
    if (is_uuid(value.substr(i))) {
      masked += uuid(value.substr(i, kUuidLength));
      i += kUuidLength;
      found = true;
    } else {
      masked += value[i++];
    }
  }
  return found ? masked : numbered(place('t', value), value.size());
}

std::uint64_t Masker::number(std::uint64_t value) {
  const bool nothing = value == 0 || value == ~std::uint64_t{0} || value == 0xFFFFFFFFu;
  return on_ && !nothing ? place('n', std::to_string(value)) : value;
}

std::string Masker::bytes(const std::byte* value, std::size_t size) {
  std::string masked(reinterpret_cast<const char*>(value), size);
  if (!on_ || masked.find_first_not_of('\0') == std::string::npos) return masked;
  std::size_t number = place('b', masked);
  masked.assign(size, '\0');
  for (std::size_t i = size; i-- > 0 && number != 0; number >>= 8)
    masked[i] = static_cast<char>(number & 0xFF);
  return masked;
}

}  // namespace nvmlab::recorder
