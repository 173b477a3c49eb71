// SPDX-License-Identifier: Apache-2.0
// nvmlab snapshot diff: what differs between two snapshots, or a snapshot and a machine. Tests:
// tests/command/snapshot_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/compare/cut_text.hpp"
#include "command/compare/options.hpp"
#include "command/machine/json.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/snapshot_file.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::size_t kLongest = 120;  // of a value on a line for people; what a load keeps is a thousand bytes

// Exits as diff(1) does: 0 where they are the same, 1 where they differ, 2 where that cannot be said.
struct SnapshotDiff {
  std::vector<std::string> files;
  std::string machine_name;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
  std::expected<control::Snapshot, std::string> second() const;
};

void SnapshotDiff::declare(CommandLine& line) {
  line.argument("FILE", files, "A snapshot, and perhaps another one to compare it with; else it is the machine")
      .required()
      .complete(Complete::file);
  add_machine(line, machine_name);
  add_json(line, json);
}

std::expected<control::Snapshot, std::string> SnapshotDiff::second() const {
  if (files.size() == 2) return control::load_snapshot(files[1]);
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return std::unexpected(machine.error());
  return machine->snapshot();
}

std::string owner_text(const control::Difference& difference) {
  return difference.gpu ? fmt::format("gpu {}", *difference.gpu) : "machine";
}

Json side_json(const control::Snapshot& snapshot) {
  return {{"machine", snapshot.machine},
          {"profile", snapshot.profile},
          {"driver", snapshot.node->system.driver_version.data},
          {"gpus", snapshot.gpu_count()},
          {"seed", snapshot.seed},
          {"time_ns", snapshot.time_ns}};
}

// Of one owner in one snapshot; where it is no field, the text for people.
Json value_json(const control::Difference& difference, const control::Snapshot& snapshot, const std::string& text) {
  if (!difference.field || text == "none") return text == "none" ? Json() : Json(text);
  if (!difference.gpu) return json_of(*difference.field, reinterpret_cast<const std::byte*>(snapshot.node.get()));
  const auto told = control::told(snapshot.gpus[*difference.gpu], snapshot.time_ns);
  return json_of(*difference.field, reinterpret_cast<const std::byte*>(told.get()));
}

Json diff_json(const std::vector<control::Difference>& found, const control::Snapshot& before,
               const control::Snapshot& after) {
  Json rows = Json::array();
  for (const control::Difference& each : found) {
    rows.push_back({{"gpu", each.gpu ? Json(*each.gpu) : Json()},
                    {"field", each.what},
                    {"before", value_json(each, before, each.before)},
                    {"after", value_json(each, after, each.after)}});
  }
  return {{"before", side_json(before)}, {"after", side_json(after)}, {"differences", std::move(rows)}};
}

int SnapshotDiff::run() const {
  if (files.size() > 2) return misused("'snapshot diff' takes one snapshot or two");
  if (files.size() == 2 && !machine_name.empty())
    return misused("two snapshots leave no machine to compare with; leave --machine out, or one of them");
  const auto before = control::load_snapshot(files.front());
  if (!before) return trouble({before.error()});
  const auto after = second();
  if (!after) return trouble({after.error()});
  if (before->gpu_count() != after->gpu_count())
    return trouble({fmt::format(
        "{}: the snapshot is of a machine with {} GPUs, and {} has {}; compare what has as many", files.front(),
        before->gpu_count(), files.size() == 2 ? files[1] : "the machine", after->gpu_count())});
  const auto found = control::differences(*before, *after);
  if (json) print(std::string_view(text_of(diff_json(found, *before, *after))));
  for (const control::Difference& each : found) {
    if (!json)
      print("{}: {} {} -> {}\n", owner_text(each), each.what, cut_end(each.before, kLongest),
            cut_end(each.after, kLongest));
  }
  return found.empty() ? kSame : kDifferent;
}

constexpr Example kSnapshotDiffExamples[] = {
    {"nvmlab snapshot diff before.snap", "what has changed since"},
    {"nvmlab snapshot diff before.snap after.snap", "from the first to the second; no machine need be up"},
    {"nvmlab snapshot diff --json before.snap", "as JSON"},
};

}  // namespace

extern const Command kSnapshotDiff{
    .name = "snapshot diff",
    .summary = "Show what differs between snapshots, or from a machine",
    .about =
        "Prints a line for each field that differs, from the snapshot to the machine or to the second snapshot, and "
        "for each pin and each GPU that was removed or found again. Clocks, seeds and names are not compared. Exits "
        "with 0 where nothing differs, 1 where something does and 2 where they cannot be compared.",
    .examples = kSnapshotDiffExamples,
    .declare = declared<SnapshotDiff>,
    .trouble = kTrouble,
};

}  // namespace nvmlab::tool
