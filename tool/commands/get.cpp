// SPDX-License-Identifier: Apache-2.0
//
// nvmlab get: reads fields of a machine that is up. One field of one GPU comes as its bare value, for scripts.
// Tests: tests/tool/get_set_test.cpp.
#include "tool/commands/run_functions.hpp"
#include "tool/json.hpp"
#include "tool/listing.hpp"
#include "tool/machines.hpp"
#include "tool/output.hpp"
#include "tool/selection.hpp"

namespace nvmlab::tool {

int run_get(const Arguments& arguments) {
  const std::string name = chosen_machine(arguments.option_or("--machine", ""));
  auto machine = OpenMachine::open(name);
  if (!machine) return complain(machine.error());
  const auto gpus = select_gpus(arguments.option_or("--gpu", "all"), uuids_of(machine->store()));
  if (!gpus) return complain(gpus.error());
  const Snapshot snapshot = take_snapshot(machine->store(), *gpus);
  const auto listing = resolve(arguments.all("PATH"), snapshot);
  if (!listing) return complain_all(listing.error());

  const LineOptions options{.unsupported = arguments.flag("--all"), .provenance = nullptr};
  if (arguments.flag("--json")) {
    Json all = {{"machine", name}};
    all.update(json_of(*listing, snapshot, options));
    print(std::string_view(text_of(all)));
    return kGood;
  }
  const auto lines = lines_of(*listing, snapshot, options);
  if (!lines) return complain_all(lines.error());
  if (listing->entries.size() == 1 && listing->entries.front().named) {
    const compiler::FieldRef& ref = listing->entries.front().ref;
    if (ref.topic->of_node || snapshot.gpus.size() == 1) {
      const auto value = plain_value(ref, snapshot);
      if (!value) return complain(value.error());
      print("{}\n", *value);
      return kGood;
    }
  }
  if (snapshot.gpu_count == 0 && lines->empty()) return complain("machine '{}' has no GPU", name);
  if (!lines->empty()) print(std::string_view(listing_table(*lines, snapshot, false)));
  return kGood;
}

}  // namespace nvmlab::tool
