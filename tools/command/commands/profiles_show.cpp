// SPDX-License-Identifier: Apache-2.0
// nvmlab profiles show: what a profile makes of a machine, and where each value comes from. Tests:
// tests/command/profiles_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/json.hpp"
#include "command/machine/listing.hpp"
#include "command/profile/facts.hpp"
#include "command/profile/sources.hpp"
#include "command/profile/summary.hpp"
#include "control/view.hpp"

namespace nvmlab::tool {
namespace {

struct ProfilesShow {
  std::string profile;
  bool provenance = false;
  compiler::CompileOptions options;
  bool unsupported = false;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void ProfilesShow::declare(CommandLine& line) {
  line.argument("PROFILE", profile, "A shipped profile, a .yaml file or a .machine file")
      .required()
      .complete(Complete::profile);
  line.flag("--provenance", provenance, "Show where each value comes from: a capture, a datasheet, an assumption");
  add_compile_options(line, options);
  add_unsupported_fields(line, unsupported);
  add_json(line, json);
}

int ProfilesShow::run() const {
  const std::string name = as_profile(profile);
  const auto machine = load_machine(name, options);
  if (!machine) return complain_all(machine.error());
  if (provenance && is_machine_file(name)) {
    return complain("{}: a compiled machine file does not say where its values come from; its profile does", name);
  }
  const control::MachineView view = control::view_of(*machine);
  const auto listing = resolve({}, view);
  if (!listing) return complain_all(listing.error());
  const LineOptions line_options{.unsupported = unsupported, .provenance = provenance ? &machine->provenance : nullptr};
  if (json) {
    Json all = {{"profile", machine->name}};
    all.update(json_of(*listing, view, line_options));
    print(std::string_view(text_of(all)));
    return kGood;
  }
  const auto lines = lines_of(*listing, view, line_options);
  if (!lines) return complain_all(lines.error());
  print("{}: {}\n", machine->name, summary_of(*machine));
  if (const std::string doc = doc_of(name); !doc.empty()) print("{}\n", doc);
  if (const auto shares = values_by_source(*machine); !shares.empty()) print("Values: {}\n", shares_text(shares));
  print("\n{}", listing_table(*lines, view, provenance));
  return kGood;
}

constexpr Example kProfilesShowExamples[] = {
    {"nvmlab profiles show h100-sxm5-80gb --provenance", "every value of an H100 and its source"}};

}  // namespace

extern const Command kProfilesShow{
    .name = "profiles show",
    .summary = "Show the values of a profile",
    .about = "Compiles a profile and shows the values of the machine that it describes.",
    .examples = kProfilesShowExamples,
    .declare = declared<ProfilesShow>,
};

}  // namespace nvmlab::tool
