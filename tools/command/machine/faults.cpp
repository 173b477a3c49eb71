// SPDX-License-Identifier: Apache-2.0
#include "command/machine/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/nearest.hpp"
#include "base/text.hpp"

namespace nvmlab::tool {
namespace {

std::expected<FaultKind, std::string> find_kind(const std::string& word) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    if (word == find_fault(kind)->name) return kind;
    names.emplace_back(find_fault(kind)->name);
  }
  names.insert(names.end(), {"call", "init"});
  return std::unexpected(fmt::format("there is no fault {}; {}", in_quotes(word), hint(word, names, "faults")));
}

std::expected<std::uint32_t, std::string> read_location(const std::string& word) {
  const auto* found = std::ranges::find(kEccLocations, std::string_view(word));
  if (found != std::end(kEccLocations)) return static_cast<std::uint32_t>(found - std::begin(kEccLocations));
  const std::vector<std::string> names(std::begin(kEccLocations), std::end(kEccLocations));
  return std::unexpected(
      fmt::format("there is no place {} in memory; {}", in_quotes(word), hint(word, names, "places")));
}

std::expected<std::uint32_t, std::string> read_number(FaultNumber what, const std::string& name,
                                                      const std::string& word) {
  if (what == FaultNumber::location) return read_location(word);
  const auto number = whole_number(word);
  if (!number || *number > 0xFFFF)
    return std::unexpected(fmt::format("{} takes the number of {}, not {}", name,
                                       what == FaultNumber::xid    ? "an Xid"
                                       : what == FaultNumber::link ? "a link"
                                                                   : "a fan",
                                       in_quotes(word)));
  if (what == FaultNumber::xid && find_xid(static_cast<std::uint32_t>(*number)) == nullptr)
    return std::unexpected(
        fmt::format("{} is no Xid of the catalogue; `nvmlab event xid {}` raises the event alone", *number, *number));
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

std::string_view number_word(FaultNumber number) {
  switch (number) {
    case FaultNumber::xid:
      return "N";
    case FaultNumber::location:
      return "PLACE";
    case FaultNumber::link:
      return "LINK";
    case FaultNumber::fan:
      return "FAN";
    case FaultNumber::none:
      break;
  }
  return "";
}

std::expected<FaultName, std::string> read_fault(const std::vector<std::string>& words) {
  const auto kind = find_kind(words.front());
  if (!kind) return std::unexpected(kind.error());
  const FaultRow& row = *find_fault(*kind);
  const std::size_t most = row.number == FaultNumber::none ? 1 : 2;
  if (words.size() > most)
    return std::unexpected(
        fmt::format("{}: {} takes no{} word", in_quotes(words[most]), row.name, most == 1 ? " second" : " third"));
  FaultName fault{*kind, 0, words.size() == 2};
  if (!fault.numbered) return fault;
  const auto number = read_number(row.number, row.name, words[1]);
  if (!number) return std::unexpected(number.error());
  fault.number = *number;
  return fault;
}

std::string describe(FaultKind kind, std::uint32_t number) {
  const FaultRow* const row = find_fault(kind);
  if (row == nullptr) return fmt::format("fault {}", static_cast<std::uint32_t>(kind));
  if (row->number == FaultNumber::none) return row->name;
  if (row->number == FaultNumber::location && number < kEccLocationCount)
    return fmt::format("{} {}", row->name, kEccLocations[number]);
  return fmt::format("{} {}", row->name, number);
}

std::string describe(const ActiveFault& fault) {
  std::string text = describe(static_cast<FaultKind>(fault.kind), fault.number);
  if (fault.gpu_instance != kNoInstance) text += fmt::format(" gpu-instance {}", fault.gpu_instance);
  if (fault.compute_instance != kNoInstance) text += fmt::format(" compute-instance {}", fault.compute_instance);
  if (fault.times > 1) text += fmt::format(" ({} times)", fault.times);
  return text;
}

}  // namespace nvmlab::tool
