// SPDX-License-Identifier: Apache-2.0
//
// nvmlab set: changes fields of a machine that is up, all or none of them. All assignments to one GPU become visible at
// once; processes that wait for something to happen are woken. Tests: tests/command/get_set_test.cpp.
#include <algorithm>
#include <iterator>

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/assignment_text.hpp"
#include "control/assignments.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/selection.hpp"
#include "engine/store/driver_version.hpp"

namespace nvmlab::tool {
namespace {

struct Set {
  std::vector<std::string> words;
  std::string machine_name;
  std::string gpu_selection = "all";
  std::vector<std::string> files;
  bool force = false;

  void declare(CommandLine& line);
  int run() const;
  std::expected<std::vector<control::Assignment>, Complaints> assignments() const;
};

void Set::declare(CommandLine& line) {
  line.argument(
          "PATH=VALUE", words,
          "A field and its new value: a number, a quantity with its unit, a name, a text, null (not supported) or "
          "answer:CODE")
      .complete(Complete::assignment);
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.repeated("--file,-f", "FILE", files,
                "Take assignments from this file too, or from standard input (-): fields as profiles have them, or "
                "lines PATH=VALUE")
      .complete(Complete::file);
  line.flag("--force", force, "Pin the values: they stay until `nvmlab release`, whatever else happens");
}

// A version that no driver has would be taken for the newest.
bool is_driver_version(const std::string& value) {
  DriverVersion version{};
  return find_driver_version(value.c_str(), &version);
}

std::string check_driver_version(const control::Assignment& assignment) {
  if (assignment.ref.name != "system.driver_version") return "";
  const std::string& value = assignment.node ? assignment.node->scalar : assignment.value;
  if (is_driver_version(value)) return "";
  return fmt::format("{}system.driver_version: '{}' is no driver version; such as 550.163.01", assignment.place, value);
}

// Of the command line and of all files, or everything that is wrong with them.
std::expected<std::vector<control::Assignment>, Complaints> Set::assignments() const {
  std::vector<control::Assignment> all;
  Complaints complaints;
  const auto take = [&all, &complaints](std::expected<std::vector<control::Assignment>, Complaints> some) {
    if (some) std::ranges::move(*some, std::back_inserter(all));
    if (!some) std::ranges::move(some.error(), std::back_inserter(complaints));
  };
  for (const std::string& file : files)
    take(read_assignments(file));
  take(parse_assignments(words));
  for (const control::Assignment& each : all) {
    if (std::string wrong = check_driver_version(each); !wrong.empty()) complaints.push_back(std::move(wrong));
  }
  if (!complaints.empty()) return std::unexpected(std::move(complaints));
  return all;
}

int Set::run() const {
  if (words.empty() && files.empty()) return misused("'set' needs PATH=VALUE, or --file FILE");
  const auto assignments = this->assignments();
  if (!assignments) return complain_all(assignments.error());
  const std::string name = control::chosen_machine(machine_name);
  auto machine = Machine::open(name);
  if (!machine) return complain(machine.error());
  const auto gpus = control::select_gpus(*machine, gpu_selection);
  if (!gpus) return complain(gpus.error());
  const bool for_gpus =
      std::ranges::any_of(*assignments, [](const control::Assignment& each) { return !each.ref.topic->of_node; });
  if (for_gpus && gpus->empty()) return complain("machine '{}' has no GPU", name);

  const Complaints complaints = machine->set(*assignments, *gpus, force ? control::Force::yes : control::Force::no);
  if (complaints.empty()) return kGood;
  complain_all(complaints);
  return complain("nothing was changed");
}

constexpr Example kSetExamples[] = {
    {"nvmlab set --gpu 0 thermal.gpu_c=90 clocks.graphics_mhz=600", "both become visible at the same time"},
    {"nvmlab set --gpu 3 power.draw_mw=answer:GPU_IS_LOST", "reading the draw of GPU 3 fails from now on"},
    {"nvmlab set --force power.enforced_limit_mw=150000", "the enforced limit stays, whatever limit is requested"},
    {"nvmlab set 'power.draw_mw=650 W' clocks.event_reasons=sw_power_cap", "units and names of bits, as in profiles"},
    {"nvmlab set 'processes.running=[{pid: 42, name: train, kinds: compute}]'", "a list of records"},
    {"nvmlab set --gpu 2 -f hot.yaml", "'thermal: {gpu_c: 91}' and whatever else the file says, or nothing of it"},
    {"nvmlab set system.driver_version=535.261.03", "a field of the machine, not of a GPU"},
};

}  // namespace

extern const Command kSet{
    .name = "set",
    .summary = "Change fields of a machine that is up",
    .about =
        "Changes the state of a machine that is up; every process on it sees the change at once. All assignments to "
        "one "
        "GPU become visible together, and nothing changes unless all of them are valid. Without --gpu they apply to "
        "every GPU; fields of system.* belong to the machine, whatever --gpu says.\n\n"
        "A value is written as in a profile: 300000 or '300 W', sw_power_cap or '[hw_slowdown, sync_boost]'. "
        "answer:CODE "
        "makes NVML return that code in place of a value, "
        "such as answer:GPU_IS_LOST; null means NOT_SUPPORTED. What follows from a field moves with it: locked clocks "
        "move the clocks, a temperature moves T.Limit. A field that follows from others cannot be set; the message "
        "says from which. --force pins a number over all of that, and `nvmlab get` marks it.",
    .examples = kSetExamples,
    .declare = declared<Set>,
};

}  // namespace nvmlab::tool
