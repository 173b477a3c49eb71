// SPDX-License-Identifier: Apache-2.0
//
// nvmlab set: changes fields of a machine that is up, all or none of them. All assignments to one GPU become visible at
// once; processes that wait for something to happen are woken. Tests: tests/tool/get_set_test.cpp.
#include <algorithm>
#include <memory>

#include "base/nearest.hpp"
#include "compiler/paths.hpp"
#include "tool/commands/run_functions.hpp"
#include "tool/machines.hpp"
#include "tool/output.hpp"
#include "tool/selection.hpp"
#include "tool/snapshot.hpp"
#include "tool/sources.hpp"

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

}  // namespace

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

}  // namespace nvmlab::tool
