// SPDX-License-Identifier: Apache-2.0
//
// Which outputs of which calls move by themselves, and which name a unit.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "compare/calls.hpp"
#include "compiler/paths.hpp"
#include "compiler/unit_fields.hpp"
#include "import/replay/call_index.hpp"
#include "import/replay/rows.hpp"

namespace nvmlab::compare {
namespace {

namespace replay = importer::replay;

// "nvlink.links.speed_mbps" of a list of records is a field of its first one.
Nature nature_of_field(std::string_view name) {
  auto ref = compiler::find_field(name);
  if (const auto dot = name.rfind('.'); !ref && dot != std::string_view::npos)
    ref = compiler::find_field(std::string(name.substr(0, dot)) + "[0]" + std::string(name.substr(dot)));
  if (!ref) return Nature::steady;
  if (ref->field->kind == FieldKind::live || ref->field->kind == FieldKind::counter) return Nature::live;
  return compiler::names_one_unit(name) ? Nature::identifier : Nature::steady;
}

struct Reviewed {
  std::string_view function;  // a part of its name
  std::string_view output;    // how its path ends
  Nature nature;
};

// What is worked out of several fields, or is no field of the state.
constexpr std::array reviewed{
    Reviewed{"", "timestamp", Nature::live},
    Reviewed{"", "timeStamp", Nature::live},
    Reviewed{"", "imestampUsec", Nature::live},
    Reviewed{"", "latencyUsec", Nature::live},
    Reviewed{"", "referenceTime", Nature::live},
    Reviewed{"GetMemoryInfo", ".used", Nature::live},
    Reviewed{"GetMemoryInfo", ".free", Nature::live},
    Reviewed{"GetBAR1MemoryInfo", "Used", Nature::live},
    Reviewed{"GetBAR1MemoryInfo", "Free", Nature::live},
    Reviewed{"ProtectedMemoryUsage", ".used", Nature::live},
    Reviewed{"ProtectedMemoryUsage", ".free", Nature::live},
    Reviewed{"GetThermalSettings", "currentTemp", Nature::live},
    Reviewed{"GetFanSpeed", "", Nature::live},
    Reviewed{"GetCurrentClockFreqs", "", Nature::live},
    Reviewed{"GetDynamicPstatesInfo", "", Nature::live},
    Reviewed{"GetDetailedEccErrors", "", Nature::live},
    Reviewed{"GetTotalEccErrors", "", Nature::live},
    Reviewed{"GetMemoryErrorCounter", "", Nature::live},
    Reviewed{"GetNvLinkUtilizationCounter", "", Nature::live},
    Reviewed{"GetNvLinkErrorCounter", "", Nature::live},
    Reviewed{"RunningProcesses", "", Nature::live},
    Reviewed{"ProcessUtilization", "", Nature::live},
    Reviewed{"ProcessesUtilization", "", Nature::live},
    Reviewed{"Sessions", "", Nature::live},
    Reviewed{"EncoderStats", "", Nature::live},
    Reviewed{"FBCStats", "", Nature::live},
    Reviewed{"GetAccountingPids", "", Nature::live},
    Reviewed{"GetAccountingStats", "", Nature::live},
    Reviewed{"GetSamples", "", Nature::live},
    Reviewed{"SchedulerLog", "", Nature::live},
    Reviewed{"GpmMetricsGet", "", Nature::live},
    Reviewed{"ReadPRMCounters", "", Nature::live},
    Reviewed{"GetHandleBy", "", Nature::identifier},
    Reviewed{"GetPciInfo", "busId", Nature::identifier},
    Reviewed{"GetPciInfo", "busIdLegacy", Nature::identifier},
    Reviewed{"GetBoardId", "", Nature::identifier},
    Reviewed{"GetUUID", "", Nature::identifier},
    Reviewed{"GetSerial", "", Nature::identifier},
};

using Rows = std::unordered_multimap<std::string_view, const replay::OutputRow*>;

const Rows& rows() {
  static const Rows all = [] {
    Rows made;
    for (const auto table : {replay::read_outputs(), replay::call_outputs()}) {
      for (const replay::OutputRow& row : table)
        made.emplace(row.function, &row);
    }
    return made;
  }();
  return all;
}

const std::unordered_map<std::string_view, const replay::FieldIdRow*>& field_ids() {
  static const auto all = [] {
    std::unordered_map<std::string_view, const replay::FieldIdRow*> made;
    for (const replay::FieldIdRow& row : replay::field_ids())
      made.emplace(row.name, &row);
    return made;
  }();
  return all;
}

}  // namespace

Nature nature_of_output(const recording::Call& call, std::string_view output) {
  if (const auto id = call.in.find("fieldId"); id != call.in.end() && id->is_string() && output == "value") {
    const auto row = field_ids().find(id->get_ref<const std::string&>());
    if (row != field_ids().end() && !row->second->fields[0].empty()) return nature_of_field(row->second->fields[0]);
  }
  const auto [first, last] = rows().equal_range(call.function);
  for (auto row = first; row != last; ++row) {
    if (row->second->output == output && replay::matches(call, row->second->when))
      return nature_of_field(row->second->field);
  }
  const auto found = std::ranges::find_if(reviewed, [&](const Reviewed& row) {
    return call.function.find(row.function) != std::string::npos && output.ends_with(row.output);
  });
  return found == reviewed.end() ? Nature::steady : found->nature;
}

}  // namespace nvmlab::compare
