// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/oracle/situations.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace nvmlab::oracle {
namespace {

using driver_test::Arguments;
using driver_test::Role;

constexpr const char* kTable = "nvmlInternalGetExportTable";

// 6c3efec4-8fc9-4e6c-a327-ee696e12f7c4 in the byte order in which nvidia-smi passes it.
constexpr std::array<unsigned char, 16> kTableId = {0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E,
                                                    0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4};

// A handle of somebody else: it points at memory that can be read, and no library of NVML's gave it out.
Word foreign_handle() {
  static std::array<std::uint64_t, 64> memory{};
  return reinterpret_cast<Word>(memory.data());
}

bool takes_text(const FunctionFacts& function) {
  const auto& all = function.parameters;
  return std::ranges::any_of(all, [](const auto& each) { return each.role == Role::text && !each.type.constant; }) &&
         std::ranges::any_of(all, [](const auto& each) { return each.role == Role::number && each.counts(); });
}

}  // namespace

const std::vector<Lifecycle>& lifecycles() {
  static const std::vector<Lifecycle> all = {
      {"before_init", {}},
      {"after_init", {{"nvmlInit", 0}}},
      {"after_init_v2", {{"nvmlInit_v2", 0}}},
      {"after_init_flags_0", {{"nvmlInitWithFlags", 0}}},
      {"after_init_flags_1", {{"nvmlInitWithFlags", 1}}},
      {"after_init_flags_2", {{"nvmlInitWithFlags", 2}}},
      {"after_init_flags_ffff", {{"nvmlInitWithFlags", 0xFFFF}}},
      {"after_two_inits", {{"nvmlInit_v2", 0}, {"nvmlInit_v2", 0}}},
      {"after_shutdown", {{"nvmlShutdown", 0}}},
      {"after_init_v2_and_shutdown", {{"nvmlInit_v2", 0}, {"nvmlShutdown", 0}}},
  };
  return all;
}

bool changes_lifecycle(const std::string& function) {
  return function.starts_with("nvmlInit") ? function != kTable : function == "nvmlShutdown";
}

std::vector<std::string> argument_kinds(const FunctionFacts& function) {
  std::vector<std::string> kinds = {"good"};
  if (function.name == kTable) kinds.emplace_back("known_id");
  if (function.parameters.empty()) return kinds;
  if (takes_text(function)) kinds.insert(kinds.end(), {"fits", "short"});  // next to the call that tells the length
  kinds.insert(kinds.end(), {"zeros", "ones"});
  bool handles = false;
  for (const auto& each : function.parameters) {
    handles = handles || each.role == Role::device || each.role == Role::handle;
    if (each.is_pointer()) kinds.push_back("null:" + each.name);
    if (each.role == Role::number && each.counts()) kinds.push_back(each.name + "=0");
  }
  if (handles) kinds.emplace_back("foreign");
  return kinds;
}

void prepare(const FunctionFacts& function, const std::string& kind, std::size_t length, const Words& good,
             Arguments& arguments) {
  auto& words = arguments.words;
  if (kind == "zeros") return words.fill(0);
  if (kind == "ones") return words.fill(~Word{0});
  if (function.name == kTable || arguments.changed()) arguments.reset();
  words = good;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const auto& each = function.parameters[i];
    const bool handle = each.role == Role::device || each.role == Role::handle;
    if (kind == "foreign" && handle) words.at(i) = foreign_handle();
    if (kind == "null:" + each.name || kind == each.name + "=0") words.at(i) = 0;
    if (each.role == Role::number && each.counts() && (kind == "fits" || kind == "short"))
      words.at(i) = kind == "fits" ? length : length - 1;
    if (function.name == kTable && each.name == "id" && words.at(i) != 0) {
      auto& page = arguments.memory(i);
      std::byte* room = page.place(kTableId.size());
      if (kind == "known_id" || kind == "null:table") std::memcpy(room, kTableId.data(), kTableId.size());
      words.at(i) = reinterpret_cast<Word>(room);
      page.remember();
    }
  }
}

}  // namespace nvmlab::oracle
