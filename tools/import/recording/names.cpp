// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "import/recording/generated/enumerators.hpp"
#include "import/recording/recording.hpp"

namespace nvmlab::recording {
namespace {

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::int64_t> enumerator(std::string_view name) {
  const auto* const at = std::ranges::lower_bound(kEnumerators, name, {}, &Enumerator::name);
  if (at == std::end(kEnumerators) || at->name != name) return std::nullopt;
  return at->value;
}

std::optional<std::int64_t> integer(const nlohmann::json& value) {
  if (value.is_string()) return enumerator(value.get_ref<const std::string&>());
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return std::nullopt;
}

std::optional<int> return_code(std::string_view code) {
  for (const char* prefix : {"NVML_ERROR_", "NVML_"}) {
    if (const auto value = enumerator(prefix + std::string(code))) return static_cast<int>(*value);
  }
  return number_of(code);
}

}  // namespace nvmlab::recording
