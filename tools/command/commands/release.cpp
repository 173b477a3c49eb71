// SPDX-License-Identifier: Apache-2.0
// nvmlab release: lets go of values that `nvmlab set --force` pinned. Tests: tests/command/get_set_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "control/assignments.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {
namespace {

struct Release {
  std::vector<std::string> paths;
  std::string machine_name;
  std::string gpu_selection = "all";

  void declare(CommandLine& line);
  int run() const;
};

void Release::declare(CommandLine& line) {
  line.argument("PATH", paths, "A pinned field; default: all of them").complete(Complete::field);
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
}

int Release::run() const {
  std::vector<compiler::FieldRef> fields;
  Complaints complaints;
  for (const std::string& path : paths) {
    auto ref = compiler::find_field(path);
    if (ref) {
      fields.push_back(std::move(*ref));
    } else {
      complaints.push_back(ref.error());
    }
  }
  if (!complaints.empty()) return complain_all(complaints);
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto gpus = control::select_gpus(*machine, gpu_selection);
  if (!gpus) return complain(gpus.error());
  complaints = machine->release(fields, *gpus);
  return complaints.empty() ? kGood : complain_all(complaints);
}

constexpr Example kReleaseExamples[] = {
    {"nvmlab release power.enforced_limit_mw", "the enforced limit is again the one that was requested"},
    {"nvmlab release --gpu 3", "GPU 3 has no pinned values any more"},
};

}  // namespace

extern const Command kRelease{
    .name = "release",
    .summary = "Release values that `set --force` pinned",
    .about =
        "Releases pinned values of a machine that is up. What NVML or `nvmlab set` set in the meantime takes effect.",
    .examples = kReleaseExamples,
    .declare = declared<Release>,
};

}  // namespace nvmlab::tool
