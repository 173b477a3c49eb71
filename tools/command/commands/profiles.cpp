// SPDX-License-Identifier: Apache-2.0
// nvmlab profiles: the profiles that nvmlab ships. Tests: tests/command/profiles_test.cpp.
#include <algorithm>

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/json.hpp"
#include "command/profile/facts.hpp"
#include "command/profile/sources.hpp"
#include "command/profile/summary.hpp"
#include "compiler/shipped.hpp"

namespace nvmlab::tool {
namespace {

struct ProfileRow {
  ProfileHead head;
  std::optional<compiler::Machine> machine;  // not of a family
};

std::string kind_of(const ProfileHead& head) { return head.family ? "family" : (head.machine ? "machine" : "GPU"); }

Json json_of(const std::vector<ProfileRow>& rows) {
  Json all = Json::array();
  for (const ProfileRow& row : rows) {
    Json each = {{"name", row.head.name}, {"kind", kind_of(row.head)}, {"doc", row.head.doc}};
    if (row.machine) {
      each["gpus"] = row.machine->gpu_count();
      each["boards"] = boards_of(*row.machine);
      each["driver"] = driver_of(*row.machine);
      Json values = Json::object();
      for (const auto& [kind, count] : values_by_source(*row.machine))
        values[kind] = count;
      each["values"] = std::move(values);
    }
    all.push_back(std::move(each));
  }
  return all;
}

std::string percent_of(const Shares& shares, std::string_view kind) {
  std::size_t total = 0;
  std::size_t part = 0;
  for (const auto& [each, count] : shares) {
    total += count;
    if (each == kind) part += count;
  }
  return total == 0 ? "" : fmt::format("{} %", (part * 100 + total / 2) / total);
}

std::string profiles_table(const char* what, const std::vector<ProfileRow>& rows, bool machines) {
  Table table({what, "GPUS", "DRIVER", "CAPTURED", "ASSUMED", "DESCRIPTION"});
  table.can_miss(4);  // the shares
  table.can_miss(3);
  for (const ProfileRow& row : rows) {
    if (!row.machine || row.head.machine != machines) continue;
    const Shares shares = values_by_source(*row.machine);
    table.add({row.head.name, std::to_string(row.machine->gpu_count()), driver_of(*row.machine),
               percent_of(shares, "capture"), percent_of(shares, "assumed"), row.head.doc});
  }
  return table.text();
}

struct Profiles {
  bool json = false;

  void declare(CommandLine& line) { add_json(line, json); }
  int run() const;
};

int Profiles::run() const {
  std::vector<ProfileRow> rows;
  int code = kGood;
  for (const compiler::ShippedProfile& profile : compiler::shipped_profiles()) {
    ProfileRow row{head_of(profile), std::nullopt};
    if (!row.head.family) {
      auto machine = load_machine(row.head.name, {});
      if (!machine) {
        code = complain_all(machine.error());
        continue;
      }
      row.machine = std::move(*machine);
    }
    rows.push_back(std::move(row));
  }
  // Machines first: they are what most people run.
  std::ranges::stable_partition(rows, [](const ProfileRow& row) { return row.head.machine; });
  if (json) {
    print(std::string_view(text_of(json_of(rows))));
    return code;
  }
  print(std::string_view(profiles_table("MACHINE", rows, true)));
  print("\n{}", profiles_table("BOARD", rows, false));
  return code;
}

}  // namespace

extern const Command kProfiles{
    .name = "profiles",
    .summary = "List the shipped profiles",
    .about =
        "Lists the shipped profiles, machines first: name, number of GPUs, driver, what share of the values was "
        "captured from a real board and what share is assumed, and a description.",
    .declare = declared<Profiles>,
};

}  // namespace nvmlab::tool
