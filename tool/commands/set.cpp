// SPDX-License-Identifier: Apache-2.0
//
// nvmlab set: changes fields of a machine that is up, all or none of them. All assignments to one GPU become visible at
// once; processes that wait for something to happen are woken. Tests: tests/tool/get_set_test.cpp.
#include <algorithm>
#include <memory>

#include "base/nearest.hpp"
#include "compiler/paths.hpp"
#include "tool/cli/command.hpp"
#include "tool/cli/output.hpp"
#include "tool/cli/shared_options.hpp"
#include "tool/machine/machines.hpp"
#include "tool/machine/selection.hpp"
#include "tool/machine/snapshot.hpp"
#include "tool/profile/sources.hpp"

namespace nvmlab::tool {
namespace {

struct Assignment {
  compiler::FieldRef ref;
  std::string value;
};

// "answer:GPU_IS_LOST" is easier on a shell than {answer: GPU_IS_LOST}.
std::string value_text(std::string_view text) {
  constexpr std::string_view kAnswer = "answer:";
  return text.starts_with(kAnswer) ? fmt::format("{{answer: {}}}", text.substr(kAnswer.size())) : std::string(text);
}

std::expected<std::vector<Assignment>, Complaints> parse_assignments(const std::vector<std::string>& words) {
  std::vector<Assignment> assignments;
  Complaints complaints;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      complaints.push_back(fmt::format("{}: an assignment such as power.draw_mw=300000 was expected", in_quotes(word)));
      continue;
    }
    auto ref = compiler::find_field(word.substr(0, equals));
    if (ref) {
      assignments.push_back({std::move(*ref), value_text(std::string_view(word).substr(equals + 1))});
    } else {
      complaints.push_back(ref.error());
    }
  }
  if (!complaints.empty()) return std::unexpected(std::move(complaints));
  return assignments;
}

// Changes `state` in memory. Which GPUs a complaint is about is told when not all have it.
template <class State>
void apply(const std::vector<Assignment>& assignments, State& state, bool node, const std::string& owner,
           Complaints& complaints) {
  for (const Assignment& assignment : assignments) {
    if (assignment.ref.topic->of_node != node) continue;
    const auto done = compiler::assign_field(assignment.ref, assignment.value, reinterpret_cast<std::byte*>(&state));
    if (done) continue;
    const bool about_items = !assignment.ref.steps.empty();  // lists differ from GPU to GPU; ranges do not
    std::string complaint = about_items ? owner + done.error() : done.error();
    if (std::ranges::find(complaints, complaint) == complaints.end()) complaints.push_back(std::move(complaint));
  }
}

// Under the lock: nothing changes between reading, checking and publishing.
Complaints change(Store& store, const std::vector<Assignment>& assignments, const std::vector<std::uint32_t>& gpus) {
  Complaints complaints;
  const auto any = [&](bool node) {
    return std::ranges::any_of(assignments, [&](const Assignment& each) { return each.ref.topic->of_node == node; });
  };
  auto node = std::make_unique<Node>(consistent(store.node, [](const Node& state) { return load(state); }));
  apply(assignments, *node, true, "", complaints);
  std::vector<Gpu> changed;
  if (any(false)) {
    changed.reserve(gpus.size());
    for (const std::uint32_t index : gpus) {
      changed.push_back(consistent(store.gpus()[index], [](const Gpu& gpu) { return load(gpu); }));
      apply(assignments, changed.back(), false, fmt::format("GPU {}: ", index), complaints);
    }
  }
  if (!complaints.empty()) return complaints;

  if (any(true)) {
    const auto scratch = std::make_unique<Node>();
    publish(store.node, *scratch, [&](Node& state) { state = *node; });
  }
  const auto scratch = std::make_unique<Gpu>();
  for (std::size_t i = 0; i < changed.size(); ++i) {
    publish(store.gpus()[gpus[i]], *scratch, [&](Gpu& gpu) { gpu = changed[i]; });
  }
  return {};
}

struct Set {
  std::vector<std::string> words;
  std::string machine_name;
  std::string gpu_selection = "all";

  void declare(CommandLine& line);
  int run() const;
};

void Set::declare(CommandLine& line) {
  line.argument("PATH=VALUE", words,
                "A field and its new value: a number, a word, a text, null (not supported) or answer:CODE")
      .required()
      .complete(Complete::field);
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
}

int Set::run() const {
  const auto assignments = parse_assignments(words);
  if (!assignments) return complain_all(assignments.error());
  const std::string name = chosen_machine(machine_name);
  auto machine = OpenMachine::open(name);
  if (!machine) return complain(machine.error());
  Store& store = machine->store();
  const auto gpus = select_gpus(gpu_selection, uuids_of(store));
  if (!gpus) return complain(gpus.error());
  const bool for_gpus =
      std::ranges::any_of(*assignments, [](const Assignment& each) { return !each.ref.topic->of_node; });
  if (for_gpus && gpus->empty()) return complain("machine '{}' has no GPU", name);

  Complaints complaints;
  {
    const WriteLock lock(&machine->file());
    if (store.header.phase != static_cast<std::uint32_t>(StorePhase::ready)) {
      return complain("machine '{}' was taken down just now", name);
    }
    complaints = change(store, *assignments, *gpus);
  }
  if (!complaints.empty()) {
    complain_all(complaints);
    return complain("nothing was changed");
  }
  announce(&store, true);
  return kGood;
}

constexpr Example kSetExamples[] = {
    {"nvmlab set --gpu 0 thermal.gpu_c=90 clocks.graphics_mhz=600", "both become visible at the same instant"},
    {"nvmlab set --gpu 3 power.draw_mw=answer:GPU_IS_LOST", "reading the draw of GPU 3 fails from now on"},
    {"nvmlab set 'processes.running=[{pid: 4242, kinds: 1, used_bytes: 1 GiB}]'",
     "lists and records are written as in profiles"},
    {"nvmlab set system.driver_version=535.261.03", "a field of the machine as a whole"},
};

}  // namespace

extern const Command kSet{
    .name = "set",
    .summary = "Change fields of a machine that is up",
    .about =
        "Changes the state of a machine that is up; every process that runs on it sees that at once. All "
        "assignments to one GPU become visible together, and nothing is changed unless all of them are right. "
        "Without --gpu they go to every GPU; fields of system.* belong to the machine, whatever --gpu says.\n\n"
        "A value is written as in a profile. answer:CODE makes NVML answer that return code in place of a value, "
        "such as answer:GPU_IS_LOST; null means NOT_SUPPORTED. Exactly the named fields change: limits that "
        "depend on one another stay as they are.",
    .examples = kSetExamples,
    .declare = declared<Set>,
};

}  // namespace nvmlab::tool
