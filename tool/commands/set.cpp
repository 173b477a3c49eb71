// SPDX-License-Identifier: Apache-2.0
//
// nvmlab set: changes fields of a machine that is up, all or none of them. All assignments to one GPU become visible at
// once; processes that wait for something to happen are woken. Tests: tests/tool/get_set_test.cpp.
#include <algorithm>

#include "tool/assignments.hpp"
#include "tool/commands/run_functions.hpp"
#include "tool/machines.hpp"
#include "tool/output.hpp"
#include "tool/selection.hpp"
#include "tool/snapshot.hpp"
#include "tool/sources.hpp"

namespace nvmlab::tool {
int run_set(const Arguments& arguments) {
  const auto assignments = parse_assignments(arguments.all("PATH=VALUE"));
  if (!assignments) return complain_all(assignments.error());
  const std::string name = chosen_machine(arguments.option_or("--machine", ""));
  auto machine = OpenMachine::open(name);
  if (!machine) return complain(machine.error());
  Store& store = machine->store();
  const auto gpus = select_gpus(arguments.option_or("--gpu", "all"), uuids_of(store));
  if (!gpus) return complain(gpus.error());
  const bool for_gpus =
      std::ranges::any_of(*assignments, [](const Assignment& each) { return !each.ref.topic->of_node; });
  if (for_gpus && gpus->empty()) return complain("machine '{}' has no GPU", name);

  const Complaints complaints = assign(store, machine->file(), *assignments, *gpus, Force::no);
  if (complaints.empty()) return kGood;
  complain_all(complaints);
  return complain("nothing was changed");
}

}  // namespace nvmlab::tool
