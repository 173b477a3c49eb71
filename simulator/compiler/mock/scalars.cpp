// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/scalars.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/nearest.hpp"
#include "compiler/numbers.hpp"

namespace nvmlab::compiler {

std::string mock_word(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '-' || letter == ' ') letter = '_';
  }
  return out;
}

const Source& mock_source() {
  static const Source source{"mock", "assumed", "a configuration of NVIDIA's Go mock of NVML", ""};
  return source;
}

std::uint32_t mock_number(const yaml::Node& node, const std::string& key, std::uint64_t most, std::uint32_t fallback,
                          Problems& problems) {
  auto number = node.is_scalar() ? parse_number(node.scalar) : std::unexpected(std::string());
  if (number && !number->negative && number->magnitude <= most) return static_cast<std::uint32_t>(number->magnitude);
  problems.push_back(
      node.error(fmt::format("{} was found; '{}' takes a whole number from 0 to {}",
                             node.is_scalar() ? in_quotes(node.scalar) : std::string(node.describe()), key, most)));
  return fallback;
}

double mock_real(const yaml::Node& node, const std::string& key, double most, Problems& problems) {
  double value = 0;
  const char* const end = node.scalar.data() + node.scalar.size();
  const auto [at, error] = std::from_chars(node.scalar.data(), end, value);
  if (node.is_scalar() && error == std::errc{} && at == end && value >= 0 && value <= most) return value;
  problems.push_back(
      node.error(fmt::format("{} was found; '{}' takes a number from 0 to {}",
                             node.is_scalar() ? in_quotes(node.scalar) : std::string(node.describe()), key, most)));
  return 0;
}

bool mock_truth(const yaml::Node& node, const std::string& key, Problems& problems) {
  const std::string word = node.is_scalar() ? mock_word(node.scalar) : std::string();
  if (word == "true" || word == "yes" || word == "on" || word == "enabled" || word == "1") return true;
  if (word == "false" || word == "no" || word == "off" || word == "disabled" || word == "0") return false;
  problems.push_back(
      node.error(fmt::format("{} was found; '{}' takes true or false",
                             node.is_scalar() ? in_quotes(node.scalar) : std::string(node.describe()), key)));
  return false;
}

bool mock_address(const yaml::Node& node, const std::string& key, MockAddress& out, Problems& problems) {
  // 0000:07:00.0, with any number of digits in the domain, or without a domain.
  const auto part = [](std::string_view text, std::uint32_t most, std::uint32_t& value) {
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return failed == std::errc{} && stop == text.data() + text.size() && value <= most;
  };
  std::string_view text = node.is_scalar() ? std::string_view(node.scalar) : std::string_view();
  const std::size_t dot = text.rfind('.');
  bool good = dot != std::string_view::npos && text.substr(dot) == ".0";
  if (good) text = text.substr(0, dot);
  const std::size_t device = text.rfind(':');
  good = good && device != std::string_view::npos && part(text.substr(device + 1), 0x1F, out.device);
  if (good) text = text.substr(0, device);
  const std::size_t bus = text.rfind(':');
  good = good && part(bus == std::string_view::npos ? text : text.substr(bus + 1), 0xFF, out.bus);
  if (good && bus != std::string_view::npos) good = part(text.substr(0, bus), 0xFFFF'FFFFu, out.domain);
  if (!good) {
    problems.push_back(
        node.error(fmt::format("{} was found; '{}' takes a PCI address such as 0000:07:00.0",
                               node.is_scalar() ? in_quotes(node.scalar) : std::string(node.describe()), key)));
  }
  return good;
}

}  // namespace nvmlab::compiler
