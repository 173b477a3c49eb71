// SPDX-License-Identifier: Apache-2.0
// nvmlab profiles show: what a profile makes of a machine, and where each value comes from. Tests:
// tests/tool/profiles_test.cpp.
#include "tool/commands/run_functions.hpp"
#include "tool/json.hpp"
#include "tool/listing.hpp"
#include "tool/output.hpp"
#include "tool/profile_facts.hpp"
#include "tool/sources.hpp"
#include "tool/summary.hpp"

namespace nvmlab::tool {

int run_profiles_show(const Arguments& arguments) {
  const auto options = compile_options(arguments);
  if (!options) return misused(options.error());
  const std::string name = as_profile(*arguments.one("PROFILE"));
  const auto machine = load_machine(name, *options);
  if (!machine) return complain_all(machine.error());
  const bool provenance = arguments.flag("--provenance");
  if (provenance && is_machine_file(name)) {
    return complain("{}: a compiled machine file does not say where its values come from; its profile does", name);
  }
  const Snapshot snapshot = take_snapshot(*machine);
  const auto listing = resolve({}, snapshot);
  if (!listing) return complain_all(listing.error());
  const LineOptions line_options{.unsupported = arguments.flag("--all"),
                                 .provenance = provenance ? &machine->provenance : nullptr};
  if (arguments.flag("--json")) {
    Json all = {{"profile", machine->name}};
    all.update(json_of(*listing, snapshot, line_options));
    print(std::string_view(text_of(all)));
    return kGood;
  }
  const auto lines = lines_of(*listing, snapshot, line_options);
  if (!lines) return complain_all(lines.error());
  print("{}: {}\n", machine->name, summary_of(*machine));
  if (const std::string doc = doc_of(name); !doc.empty()) print("{}\n", doc);
  if (const auto shares = values_by_source(*machine); !shares.empty()) print("Values: {}\n", shares_text(shares));
  print("\n{}", listing_table(*lines, snapshot, provenance));
  return kGood;
}

}  // namespace nvmlab::tool
