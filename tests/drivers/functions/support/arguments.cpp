// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/functions/support/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace nvmlab::driver_test {

std::size_t allocated_size(const FunctionFacts& function, const ParameterFacts& parameter) {
  static const std::set<std::string> short_pci_info = {"nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2",
                                                       "nvmlDeviceGetNvLinkRemotePciInfo"};
  // The struct has another name since 11.3.
  if (function.name == "nvmlGetBlacklistDeviceInfoByIndex" && parameter.is_pointer())
    return Api::get().size_of("nvmlExcludedDeviceInfo_t");
  if (parameter.type.base == "nvmlPciInfo_t" && short_pci_info.contains(function.name)) return 36;
  return parameter.size;
}

// A struct with a list or a text behind a pointer: what lies there is the caller's to keep good.
static bool points_elsewhere(const codegen::Record& record) {
  return std::ranges::any_of(record.fields, [](const codegen::Field& field) { return field.type.pointers > 0; });
}

Arguments::Arguments(const FunctionFacts& function, Word device) : function_(function), device_(device) {
  for (const ParameterFacts& each : function.parameters) {
    pages_.emplace_back(each.is_pointer() ? std::size_t{128} << 10 : 1);
  }
  reset();
}

void Arguments::reset() {
  for (std::size_t i = 0; i < function_.parameters.size(); ++i)
    fill(i);
}

void Arguments::fill(std::size_t at) {
  const ParameterFacts& parameter = function_.parameters[at];
  GuardedPage& page = pages_[at];
  switch (parameter.role) {
    case Role::device:
      words.at(at) = device_;
      return;
    case Role::handle:
      words.at(at) = 0;
      return;
    case Role::number: {
      const bool of_text = at > 0 && function_.parameters[at - 1].role == Role::text;
      words.at(at) = parameter.counts() ? (of_text ? kTextSize : 1) : 0;
      return;
    }
    case Role::text: {
      std::byte* room = page.place(kTextSize);
      if (parameter.type.constant) std::memcpy(room, "none", 5);
      words.at(at) = reinterpret_cast<Word>(room);
      break;
    }
    case Role::pointer: {
      std::byte* room = page.place(allocated_size(function_, parameter));
      if (parameter.counts()) {
        const unsigned one = 1;
        std::memcpy(room, &one, sizeof one);
      } else if (parameter.record != nullptr) {
        // Inputs that say nothing: no flags, no counts, no pointers.
        if (parameter.version != 0 || parameter.type.constant || points_elsewhere(*parameter.record))
          std::memset(room, 0, page.size());
        if (parameter.version != 0) std::memcpy(room, &parameter.version, sizeof parameter.version);
        for (const codegen::Field& field : parameter.record->fields) {
          const bool waits = field.name.starts_with("timeout");  // for days, if it held the pattern
          if (waits) std::memset(room + field.offset, 0, field.size);
        }
      }
      words.at(at) = reinterpret_cast<Word>(room);
      break;
    }
  }
  page.remember();
}

int Arguments::call() const { return Driver::get().call_words(function_.name, words); }

bool Arguments::changed() const {
  for (const GuardedPage& page : pages_) {
    if (page.changed()) return true;
  }
  return false;
}

namespace {

// Where a struct counts the items of an array that it points at; nowhere in most structs.
MemberPlace count_in(const ParameterFacts& parameter) {
  if (parameter.record == nullptr) return {};
  for (const codegen::Field& field : parameter.record->fields) {
    const bool counts =
        field.name.find("Count") != std::string::npos || field.name.find("Entries") != std::string::npos;
    if (counts && field.size == sizeof(std::uint32_t)) return {field.offset, field.size};
  }
  return {};
}

}  // namespace

bool Arguments::changed_beyond_counts() const {
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    const ParameterFacts& parameter = function_.parameters[i];
    const bool count = parameter.is_pointer() && parameter.counts();
    const MemberPlace member = count_in(parameter);
    const std::size_t end = count ? pages_[i].size() : member.offset + member.size;
    if (pages_[i].changed_outside(count ? 0 : member.offset, end)) return true;
  }
  return false;
}

}  // namespace nvmlab::driver_test
