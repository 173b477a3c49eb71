// SPDX-License-Identifier: Apache-2.0
#include "compiler/values_store.hpp"

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/texts.hpp"
#include "compiler/values_raw.hpp"
#include "compiler/values_rules.hpp"

namespace nvmlab::compiler {

std::expected<void, std::string> check_range(const Number& number, std::string_view spelled, const Field& field,
                                             std::string_view name) {
  const Bounds bounds = bounds_of(field);
  if (within(number, bounds)) return {};
  return std::unexpected(
      fmt::format("{} is out of range; {} takes {} to {}", in_quotes(spelled), name, bounds.low, bounds.high));
}

void put_number(const Number& number, FieldType type, std::byte* at) {
  const std::uint64_t bits = number.negative ? std::uint64_t{0} - number.magnitude : number.magnitude;
  switch (type) {
    case FieldType::u64:
    case FieldType::list_u64:
      raw::store<std::uint64_t>(at, bits);
      break;
    case FieldType::list_u16:
      raw::store<std::uint16_t>(at, static_cast<std::uint16_t>(bits));
      break;
    default:
      raw::store<std::uint32_t>(at, static_cast<std::uint32_t>(bits));
  }
}

void store_number(const Number& number, const Field& field, std::byte* at) {
  raw::set_error(field, at, kNotSupported);
  put_number(number, field.type, at);
  raw::set_success(field, at);
}

std::expected<void, std::string> store_text(std::string_view text, const Field& field, std::string_view name,
                                            std::byte* at) {
  if (text.size() >= field.capacity) {
    return std::unexpected(
        fmt::format("a text of {} bytes is too long; {} takes at most {}", text.size(), name, field.capacity - 1));
  }
  if (const char* flaw = text_flaw(text))
    return std::unexpected(fmt::format("{} in {}; it takes UTF-8 in one line", flaw, name));
  raw::set_error(field, at, kNotSupported);
  raw::store<std::uint32_t>(at, static_cast<std::uint32_t>(text.size()));
  std::memcpy(at + raw::kDataOffset, text.data(), text.size());
  raw::set_success(field, at);
  return {};
}

std::expected<void, std::string> store_hex(std::string_view digits, const Field& field, std::string_view name,
                                           std::byte* at) {
  auto data = parse_hex_bytes(digits, field.capacity);
  if (!data) return std::unexpected(fmt::format("{}; {} takes {}", data.error(), name, wanted(field)));
  raw::set_error(field, at, kNotSupported);
  std::memcpy(at + raw::kDataOffset, data->data(), data->size());
  raw::set_success(field, at);
  return {};
}

}  // namespace nvmlab::compiler
