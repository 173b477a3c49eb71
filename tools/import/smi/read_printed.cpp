// SPDX-License-Identifier: Apache-2.0
//
// Printed texts as values. Numbers are exact decimals: "49.68 W" is 49680 mW without a floating-point number between.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <limits>
#include <map>

#include "compiler/return_codes.hpp"
#include "import/capture/capture.hpp"
#include "import/evidence/evidence.hpp"
#include "import/formats/sections.hpp"
#include "import/smi/rules.hpp"
#include "nvmlab/abi/generated/return_texts.hpp"

namespace nvmlab::importer {
namespace {

struct ErrorText {
  std::string_view printed;
  std::string_view code;
};

// nvidia-smi prints nvmlErrorString() of what a call gave, and these; "N/A" where the board has no such thing.
constexpr ErrorText kErrorTexts[] = {
    {"N/A", "NOT_SUPPORTED"},
    {"Deprecated", "DEPRECATED"},
    {"ERR!", "UNKNOWN"},
    {"Not Ready", "NOT_READY"},
};

// What is printed in other words than profiles use.
constexpr std::array<std::array<std::string_view, 2>, 17> kSynonyms{{
    {"supported", "enabled"},
    {"on", "enabled"},
    {"off", "disabled"},
    {"ada_lovelace", "ada"},
    {"switch_connected", "switch"},
    {"direct_connected", "direct"},
    {"exclusive", "exclusive_thread"},
    {"success", "0"},
    {"low_double_precision", "low_dp"},
    {"gpu_reset", "reset"},
    {"node_reboot", "reboot"},
    {"limited", "limited_capacity"},
    {"nvidia_virtual_applications", "nvidia_vapps"},
    {"nvidia_virtual_pc", "nvidia_vpc"},
    {"nvidia_virtual_compute_server", "nvidia_vcs"},
    {"nvidia_rtx_virtual_workstation", "nvidia_vws"},
    {"nvidia_vgaming", "nvidia_cloud_gaming"},
}};

Reading value(compiler::Literal literal) { return {Reading::Kind::value, std::move(literal)}; }
Reading unknown() { return {}; }
Reading wrong() { return {Reading::Kind::wrong}; }

// Digits with at most one dot, times a factor that is a power of ten or has no fraction to multiply.
Reading decimal(std::string_view text, std::uint64_t factor) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::uint64_t sum = 0;
  std::uint64_t scale = 1;
  bool fraction = false;
  if (text.empty() || !is_digit(text.front())) return wrong();
  for (char letter : text) {
    if (letter == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(letter)) return wrong();
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const auto next = static_cast<std::uint64_t>(letter - '0');
    if (sum > (kMost - next) / 10 || (fraction && scale > kMost / 10)) return wrong();
    sum = sum * 10 + next;
    if (fraction) scale *= 10;
  }
  if (sum != 0 && factor > std::numeric_limits<std::uint64_t>::max() / sum) return wrong();
  return value(compiler::Number{negative, sum * factor / scale});
}

// "7015662857 us", "16x", "P8": the unit may stand on either side.
Reading with_unit(std::string_view printed, std::string_view unit, std::uint64_t factor) {
  if (printed.empty()) return unknown();
  std::string_view rest = printed;
  if (!unit.empty() && rest.ends_with(unit)) {
    rest.remove_suffix(unit.size());
  } else if (!unit.empty() && rest.starts_with(unit)) {
    rest.remove_prefix(unit.size());
  }
  while (rest.ends_with(' '))
    rest.remove_suffix(1);
  if (rest.empty() || (!is_digit(rest.front()) && rest.front() != '-')) return unknown();
  return decimal(rest, factor);
}

Reading hexadecimal(std::string_view printed, bool as_bytes) {
  std::string_view rest = printed.starts_with("0x") || printed.starts_with("0X") ? printed.substr(2) : printed;
  std::string digits;
  for (char letter : rest) {
    if (as_bytes && letter == '-') continue;
    const bool good = is_digit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
    if (!good) return unknown();
    digits += letter;
  }
  if (digits.empty()) return unknown();
  if (!as_bytes) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    return error == std::errc() ? value(number) : wrong();
  }
  constexpr std::size_t kDigits = 32;  // every such field has sixteen bytes
  if (digits.size() > kDigits) return wrong();
  return value(std::string(kDigits - digits.size(), '0') + digits);
}

// As UTC: a capture does not say in which zone it was printed.
Reading read_moment(std::string_view printed) {
  std::array<int, 7> part{};
  const std::string text(printed);
  int read = 0;
  const int found = std::sscanf(text.c_str(), "%4d/%2d/%2d %2d:%2d:%2d.%3d%n", &part[0], &part[1], &part[2], &part[3],
                                &part[4], &part[5], &part[6], &read);
  if (found != 7 || static_cast<std::size_t>(read) != text.size()) return unknown();
  const std::chrono::year_month_day day{std::chrono::year(part[0]), std::chrono::month(static_cast<unsigned>(part[1])),
                                        std::chrono::day(static_cast<unsigned>(part[2]))};
  if (!day.ok() || part[0] < 1970) return wrong();
  const auto at = std::chrono::sys_days(day) + std::chrono::hours(part[3]) + std::chrono::minutes(part[4]) +
                  std::chrono::seconds(part[5]) + std::chrono::milliseconds(part[6]);
  return value(std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count());
}

// "12.4" is 12040.
Reading read_dotted(std::string_view printed) {
  unsigned major = 0;
  unsigned minor = 0;
  const char* end = printed.data() + printed.size();
  const auto first = std::from_chars(printed.data(), printed.data() + printed.size(), major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return unknown();
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  if (second.ec != std::errc() || second.ptr != end || major > 9999 || minor > 99) return wrong();
  return value(major * 1000 + minor * 10);
}

// A field without labels can still have one state with a name.
Reading named(std::string_view label) { return label == "0" ? value(0) : value(compiler::Label{std::string(label)}); }

Reading read_word(std::string_view printed, std::span<const std::string> labels) {
  std::string plain;
  for (char letter : printed) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == ' ') letter = '_';
    if (letter != '-' && letter != '.') plain += letter;
  }
  const auto known = [&](std::string_view candidate) {
    if (labels.empty()) return candidate == "yes" || candidate == "no" || candidate == "0";
    return std::ranges::find(labels, candidate) != labels.end();
  };
  if (known(plain)) return named(plain);
  for (const auto& [said, meant] : kSynonyms) {
    if (plain == said && known(meant)) return named(meant);
  }
  return unknown();
}

// What nvmlErrorString() answers, and the name of the code.
std::map<std::string_view, std::string> registered_texts() {
  std::map<std::string_view, std::string> texts;
  for (const auto& row : nvml::abi::return_texts) {
    if (row.code != nvml::abi::NVML_SUCCESS && row.since != nvml::abi::kNoDriver)
      texts.emplace(row.text, compiler::return_code_name(row.code));
  }
  return texts;
}

}  // namespace

std::optional<std::uint64_t> Reading::number() const {
  const auto* found = kind == Kind::value ? literal.get_if<compiler::Number>() : nullptr;
  return found == nullptr || found->negative ? std::nullopt : std::optional(found->magnitude);
}

std::string_view error_name_of(std::string_view printed) {
  if (printed.starts_with('[') && printed.ends_with(']')) printed = printed.substr(1, printed.size() - 2);
  for (const auto& [text, name] : kErrorTexts) {
    if (printed == text) return name;
  }
  static const auto texts = registered_texts();
  const auto found = texts.find(printed);
  return found == texts.end() ? std::string_view() : std::string_view(found->second);
}

Reading read_printed(const Rule& rule, std::string_view printed, std::span<const std::string> labels) {
  if (rule.shape == PrintedForm::version || rule.shape == PrintedForm::release) {
    if (printed.starts_with("Deprecated, see ")) return {Reading::Kind::said_elsewhere};
    printed = capture::without_remark(printed);
  }
  if (rule.shape == PrintedForm::word) {  // before the error codes: "Not Supported" can be a state
    if (Reading found = read_word(printed, labels); found.kind == Reading::Kind::value) return found;
  }
  if (const auto name = error_name_of(printed); !name.empty()) return {Reading::Kind::error, error_code(name)};
  switch (rule.shape) {
    case PrintedForm::text:
      return value(printed);
    case PrintedForm::number:
      return with_unit(printed, rule.unit, rule.factor);
    case PrintedForm::hex:
      return hexadecimal(printed, false);
    case PrintedForm::bytes:
      return hexadecimal(printed, true);
    case PrintedForm::moment:
      return read_moment(printed);
    case PrintedForm::release:
      return capture::is_version(printed) ? value(printed) : unknown();
    case PrintedForm::version:
      return read_dotted(printed);
    default:
      return unknown();
  }
}

std::optional<std::uint64_t> read_number(std::string_view printed, std::string_view unit, std::uint64_t factor) {
  return read_printed({{}, {}, {}, PrintedForm::number, unit, factor}, printed, {}).number();
}

}  // namespace nvmlab::importer
