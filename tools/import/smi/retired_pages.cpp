// SPDX-License-Identifier: Apache-2.0
//
// Retired pages: how many there are stands in every log, which they are in XML alone. Pages of which only the number is
// known have no address: none is made up. Tests: tests/unit/import/leaves_test.cpp.
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "engine/state/generated/state.hpp"
#include "import/smi/gpu_log.hpp"

namespace nvmlab::importer {
namespace {

using compiler::LiteralList;
using compiler::LiteralRecord;

struct RetirementCause {
  std::string_view xml;
  std::string_view text;
  std::string_view field;
  std::string_view pending;
};

constexpr std::array kCauses{
    RetirementCause{"multiple_single_bit_retirement", "Single Bit ECC", "ecc.retired_single_bit",
                    "ecc.retirement_pending_single_bit"},
    RetirementCause{"double_bit_retirement", "Double Bit ECC", "ecc.retired_double_bit",
                    "ecc.retirement_pending_double_bit"},
};

constexpr std::size_t kPages = decltype(Ecc::retired_single_bit)::capacity;

std::optional<std::uint64_t> address_of(std::string_view printed) {
  if (!printed.starts_with("0x")) return std::nullopt;
  printed.remove_prefix(2);
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(printed.data(), printed.data() + printed.size(), address, 16);
  return error == std::errc() && end == printed.data() + printed.size() ? std::optional(address) : std::nullopt;
}

void pages_of(const GpuLog& log, const RetirementCause& cause) {
  const auto* counted = log.index.find(fmt::format("retired_pages/{}/retired_count", cause.xml),
                                       fmt::format("Retired Pages/{}", cause.text));
  const auto list = fmt::format("retired_pages/{}/retired_pagelist/retired_page", cause.xml);
  const auto* none = log.index.find(fmt::format("retired_pages/{}/retired_pagelist", cause.xml), {});
  LiteralList pages;
  std::vector<const capture::Leaf*> listed;
  for (const auto* leaf : log.index.leaves()) {
    const bool address_leaf = leaf->path.find("retired_page_address") != std::string::npos;
    if (!log.xml() || !address_leaf || !leaf->path.starts_with(list)) continue;
    const auto address = address_of(leaf->value);
    if (!address) {
      log.reading.leave_noted(*leaf, fmt::format("{} is no address of a page", in_quotes(leaf->value)));
    } else if (pages.size() == kPages) {
      log.reading.fates.leave(*leaf, fmt::format("at most {} retired pages are simulated", kPages));
    } else {
      pages.emplace_back(LiteralRecord{{"address", *address}});
      listed.push_back(leaf);
    }
  }
  const auto count = number_of(counted, "");
  if (counted != nullptr && !error_name_of(counted->value).empty()) {  // its support is that of what is pending
    log.carry(counted, "ecc.retirement_pending");
    if (none != nullptr) log.carry(none, "ecc.retirement_pending");
  }
  if (count && *count > kPages) {
    log.reading.leave_noted(*counted, fmt::format("{} retired pages; at most {} are simulated", *count, kPages));
    pages.resize(kPages, LiteralRecord());
  } else if (count) {
    pages.resize(std::max<std::size_t>(pages.size(), *count), LiteralRecord());
  }
  const auto* first = counted != nullptr ? counted : listed.empty() ? nullptr : listed.front();
  if (first == nullptr || (counted != nullptr && !count)) return;
  log.reading.evidence.observe(log.subject, cause.field, pages, log.reading.origin(*first));
  if (count && *count <= kPages) log.carry(counted, cause.field);
  for (const auto* leaf : listed)
    log.carry(leaf, cause.field);
  if (pages.empty()) log.carry(none, cause.field);
}

}  // namespace

void read_retired_pages(const GpuLog& log) {
  const auto* pending = log.index.find("retired_pages/pending_retirement", "Retired Pages/Pending Page Blacklist");
  for (const RetirementCause& cause : kCauses) {
    pages_of(log, cause);
    if (pending != nullptr && pending->value == "No" && log.subject.find(cause.field) != nullptr)
      log.observe(cause.pending, false, pending);
  }
}

}  // namespace nvmlab::importer
