// SPDX-License-Identifier: Apache-2.0
//
// nvmlab get: reads fields of a machine that is up. One field of one GPU comes as its bare value, for scripts.
// Tests: tests/command/get_set_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/json.hpp"
#include "command/machine/listing.hpp"
#include "command/profile/sources.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/selection.hpp"
#include "control/view.hpp"

namespace nvmlab::tool {
namespace {

struct Get {
  std::vector<std::string> paths;
  std::string machine_name;
  std::optional<std::string> profile;
  std::string gpu_selection = "all";
  bool unsupported = false;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
  int show(const std::string& owner, const std::string& name, const control::MachineView& view) const;
};

void Get::declare(CommandLine& line) {
  line.argument("PATH", paths,
                "A field (power.limit_mw), an item (nvlink.links[3].active) or a topic (power); default: everything")
      .complete(Complete::field);
  add_machine(line, machine_name);
  line.option("--profile,-p", "PROFILE", profile, "Read this profile instead of a machine that is up")
      .complete(Complete::profile);
  add_gpu_selection(line, gpu_selection);
  add_unsupported_fields(line, unsupported);
  add_json(line, json);
}

int Get::run() const {
  if (profile) {
    if (!machine_name.empty()) return misused("--machine and --profile cannot be used together");
    const auto compiled = load_machine(as_profile(*profile), {});
    if (!compiled) return complain_all(compiled.error());
    control::MachineView view = control::view_of(*compiled);
    const auto gpus = control::select_gpus(gpu_selection, control::selectable_gpus(view));
    if (!gpus) return complain(gpus.error());
    view.keep_only(*gpus);
    return show("profile", compiled->name, view);
  }
  const std::string name = control::chosen_machine(machine_name);
  auto machine = Machine::open(name);
  if (!machine) return complain(machine.error());
  const auto gpus = control::select_gpus(*machine, gpu_selection);
  if (!gpus) return complain(gpus.error());
  return show("machine", name, control::view_of(*machine, *gpus));
}

int Get::show(const std::string& owner, const std::string& name, const control::MachineView& view) const {
  const auto listing = resolve(paths, view);
  if (!listing) return complain_all(listing.error());

  const LineOptions options{.unsupported = unsupported, .provenance = nullptr};
  if (json) {
    Json all = {{owner, name}};
    all.update(json_of(*listing, view, options));
    print(std::string_view(text_of(all)));
    return kGood;
  }
  const auto lines = lines_of(*listing, view, options);
  if (!lines) return complain_all(lines.error());
  if (listing->entries.size() == 1 && listing->entries.front().named) {
    const compiler::FieldRef& ref = listing->entries.front().ref;
    if (ref.topic->of_node || view.gpus.size() == 1) {
      const auto value = plain_value(ref, view);
      if (!value) return complain(value.error());
      print("{}\n", *value);
      return kGood;
    }
  }
  if (view.gpu_count == 0 && lines->empty()) return complain("{} '{}' has no GPU", owner, name);
  if (!lines->empty()) print(std::string_view(listing_table(*lines, view, false)));
  return kGood;
}

constexpr Example kGetExamples[] = {
    {"nvmlab get power", "draw, limits and energy of all GPUs; GPUs that agree share a line"},
    {"nvmlab get --gpu 0 power.limit_mw", "the number alone, for scripts"},
    {"nvmlab get --json thermal.gpu_c", "as JSON"},
    {"nvmlab get --profile dgx-h100 power", "of a profile, with nothing up"},
};

}  // namespace

extern const Command kGet{
    .name = "get",
    .summary = "Read fields of a machine that is up, or of a profile",
    .about =
        "Reads the state of a machine that is up, or of a profile, by the names that profiles use. GPUs that agree "
        "share a line. "
        "A single field of a single GPU is printed alone, without name and unit. Fields that the GPUs do not "
        "support are left out, unless they are named or --all is given.",
    .examples = kGetExamples,
    .declare = declared<Get>,
};

}  // namespace nvmlab::tool
