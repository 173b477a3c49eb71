// SPDX-License-Identifier: Apache-2.0
#include "import/replay/read_recording.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "compiler/texts.hpp"
#include "engine/store/driver_version.hpp"
#include "engine/store/image.hpp"
#include "import/replay/context.hpp"
#include "import/replay/topology.hpp"

namespace nvmlab::importer::replay {
namespace {

constexpr std::size_t kMostUnits = 64;

// The calls by what they are about.
struct CallsBySubject {
  CallIndex machine;
  std::vector<CallIndex> gpus;
  std::vector<Parts> parts;  // of each GPU
  std::vector<CallIndex> units;
  Distances distances;
  Reach reach;
};

ProfileSource source_of(const recording::Recording& recording) {
  ProfileSource source{.id = "recording", .kind = "capture", .file = std::string(last_part(recording.name))};
  if (compiler::text_flaw(recording.header.driver) == nullptr) source.driver = recording.header.driver;
  return source;
}

std::size_t count_of(const recording::Recording& recording) {
  std::uint64_t count = recording.header.gpus;
  for (const Call& call : recording.calls) {
    if (call.function != "nvmlDeviceGetCount_v2" || !call.succeeded()) continue;
    count = number(call, "deviceCount").value_or(count);
    break;
  }
  return static_cast<std::size_t>(std::min<std::uint64_t>(count, kMaxGpus + std::uint64_t{1}));
}

CallsBySubject sort(const recording::Recording& recording, std::size_t gpus) {
  CallsBySubject calls;
  calls.gpus.resize(gpus);
  calls.parts.resize(gpus);
  calls.units.resize(std::min<std::size_t>(recording.header.units, kMostUnits));
  for (const Call& call : recording.calls) {
    const auto& subject = call.subject;
    if (subject.of_machine()) {
      calls.machine.add(call);
    } else if (subject.peer) {
      read_distance(call, calls.distances);
      read_reach(call, calls.reach);
    } else if (subject.unit && *subject.unit < calls.units.size()) {
      calls.units[*subject.unit].add(call);
    } else if (subject.gpu && *subject.gpu < gpus) {
      subject.of_gpu(*subject.gpu) ? calls.gpus[*subject.gpu].add(call) : calls.parts[*subject.gpu].add(call);
    }
  }
  return calls;
}

// One note for all, so that a recording of a driver from the future does not drown what else there is to say.
void note_unknown_functions(Evidence& evidence, const recording::Recording& recording) {
  std::set<std::string> unknown;
  std::size_t line = 0;
  for (const Call& call : recording.calls) {
    if (find_function(call.function) != nullptr) continue;
    if (unknown.empty()) line = call.line;
    unknown.insert(compiler::text_flaw(call.function) == nullptr ? call.function : "(no name)");
  }
  if (unknown.empty()) return;
  constexpr std::size_t shown = 5;
  std::vector<std::string> names(
      unknown.begin(), std::next(unknown.begin(), static_cast<std::ptrdiff_t>(std::min(shown, unknown.size()))));
  evidence.notes.push_back(fmt::format("{}:{}: {} function{} not known here {} left out: {}{}", recording.name, line,
                                       unknown.size(), unknown.size() == 1 ? "" : "s",
                                       unknown.size() == 1 ? "is" : "are", fmt::join(names, ", "),
                                       unknown.size() > shown ? ", ..." : ""));
}

// By which captures of one machine know their GPUs.
std::string place_of(const CallIndex& calls) {
  for (const auto* function : {"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo"}) {
    const Call* call = calls.good(function);
    if (call == nullptr) continue;
    if (auto place = place_on_bus(*call); !place.empty()) return place;
  }
  return {};
}

// The subjects of the recording's GPUs; where other captures came first, they say which GPUs there are.
std::vector<std::size_t> meet(Evidence& evidence, const recording::Recording& recording, const CallsBySubject& calls) {
  std::vector<std::size_t> places;
  const bool first = evidence.gpus.empty();
  for (std::size_t i = 0; i < calls.gpus.size(); ++i) {
    const auto place = place_of(calls.gpus[i]);
    if (first) {
      evidence.gpus.push_back({.who = fmt::format("GPU {}", i), .address = place, .index = i});
      places.push_back(i);
      continue;
    }
    const auto known =
        std::ranges::find_if(evidence.gpus, [&](const Subject& gpu) { return !place.empty() && gpu.address == place; });
    if (known == evidence.gpus.end()) {
      evidence.notes.push_back(
          fmt::format("{}: GPU {} is not among those of the first capture and is left out", recording.name, i));
    }
    places.push_back(static_cast<std::size_t>(known - evidence.gpus.begin()));
  }
  return places;
}

void set_lists(const Context& context, const Lists& lists) {
  for (const auto& [name, draft] : lists)
    context.set(name, draft);
}

Lists read_tables(const Context& context) {
  Lists lists;
  read_rows(context);
  read_field_ids(context, lists);
  read_hook_rows(context);
  read_lists(context.calls, lists);
  read_items(context.calls, lists);
  read_lengths(context.calls, lists);
  return lists;
}

void read_gpu(const Context& context, const CallIndex& machine, const LinkEnds& ends) {
  Lists lists = read_tables(context);
  read_errors(context);
  read_memory(context);
  read_fans(context, lists);
  read_links(context, ends, lists);
  read_board(context);
  read_power(context, lists);
  read_mig(context, lists);
  read_processes(context, machine);
  read_affinity(context);
  set_lists(context, lists);
  read_metrics(context);
}

}  // namespace

std::expected<void, Complaints> read_recording(Evidence& evidence, const Input& input) {
  const auto recording = recording::read_bytes(input.name, input.bytes);
  if (!recording) return std::unexpected(Complaints{recording.error().text()});
  const auto count = count_of(*recording);
  if (count > kMaxGpus)
    return std::unexpected(Complaints{fmt::format("{}:1: more than {} GPUs", input.name, kMaxGpus)});
  const CallsBySubject calls = sort(*recording, count);
  note_unknown_functions(evidence, *recording);

  const auto source = evidence.add_source(source_of(*recording));
  const auto driver = driver_row(recording->header.driver.c_str());
  const auto file = std::make_shared<const std::string>(input.name);
  const Context node(evidence, evidence.node, calls.machine, driver, file, source);
  Lists lists = read_tables(node);
  read_machine(node, calls.units, lists);
  set_lists(node, lists);

  const auto places = meet(evidence, *recording, calls);
  std::vector<Context> contexts;
  contexts.reserve(count);
  std::vector<Placement> placements;
  std::set<std::string> addresses;
  for (const CallIndex& gpu : calls.gpus)
    addresses.insert(place_of(gpu));
  for (std::size_t i = 0; i < count; ++i) {
    if (places[i] >= evidence.gpus.size()) continue;
    evidence.gpus[places[i]].exact = true;
    contexts.emplace_back(evidence, evidence.gpus[places[i]], calls.gpus[i], driver, file, source);
    placements.push_back({contexts.back(), calls.gpus[i]});
    read_gpu(contexts.back(), calls.machine, {addresses, calls.reach.over_links.contains(i)});
    read_peer_access(contexts.back(), i, calls.reach);
    read_instances(contexts.back(), calls.parts[i]);
  }
  if (placements.size() == count) read_topology(placements, calls.distances);
  return {};
}

}  // namespace nvmlab::importer::replay
