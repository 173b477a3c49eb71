// SPDX-License-Identifier: Apache-2.0
// nvmlab load: lets something work on GPUs of a machine that is up. Tests: tests/tool/load_test.cpp.
#include "base/duration.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "engine/machine/change.hpp"
#include "tool/cli/command.hpp"
#include "tool/cli/output.hpp"
#include "tool/cli/shared_options.hpp"
#include "tool/machine/chosen_gpus.hpp"

namespace nvmlab::tool {
namespace {

struct KindName {
  const char* name;
  LoadKind kind;
};
constexpr KindName kKinds[] = {
    {"idle", LoadKind::idle},     {"training", LoadKind::training}, {"inference", LoadKind::inference},
    {"memory", LoadKind::memory}, {"encode", LoadKind::encode},
};

struct LoadCommand {
  std::vector<std::string> words;
  std::string machine_name;
  std::string gpu_selection = "all";
  std::optional<std::string> sm;
  std::optional<std::string> memory;
  std::optional<std::string> air;
  std::optional<std::string> span;

  void declare(CommandLine& line);
  int run() const;
  std::expected<SetLoad, std::string> asked() const;
};

void LoadCommand::declare(CommandLine& line) {
  line.argument("KIND", words, "idle, training, inference, memory or encode").required();
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.option("--sm", "PERCENT", sm, "How busy the SMs are, in place of what the kind of load makes of them");
  line.option("--memory", "PERCENT", memory, "How busy the memory is, likewise");
  line.option("--ambient", "CELSIUS", air, "How warm the air is that cools the board, from now on");
  line.option("--for", "TIME", span, "Ends after so long of machine time, such as 10m; then the GPU is idle");
}

std::expected<std::uint32_t, std::string> number_up_to(const std::optional<std::string>& word, const char* option,
                                                       std::uint32_t most, std::uint32_t without) {
  if (!word) return without;
  const auto number = whole_number(*word);
  if (!number || *number > most)
    return std::unexpected(fmt::format("{} takes a number from 0 to {}, not {}", option, most, in_quotes(*word)));
  return static_cast<std::uint32_t>(*number);
}

std::expected<LoadKind, std::string> kind_of(const std::string& word) {
  std::vector<std::string> names;
  for (const KindName& each : kKinds) {
    if (word == each.name) return each.kind;
    names.emplace_back(each.name);
  }
  return std::unexpected(fmt::format("there is no load {}; {}", in_quotes(word), hint(word, names, "loads")));
}

std::expected<std::uint64_t, std::string> longest(const std::optional<std::string>& word) {
  if (!word) return 0;
  const auto span = parse_duration(*word);
  if (!span) return std::unexpected("--for " + span.error());
  if (*span == 0 || *span > kLongestLoadNs)
    return std::unexpected(fmt::format("--for takes a time up to 100d, not {}", in_quotes(*word)));
  return *span;
}

std::expected<SetLoad, std::string> LoadCommand::asked() const {
  if (words.size() != 1) return std::unexpected(fmt::format("{}: a GPU has one load at a time", in_quotes(words[1])));
  const auto kind = kind_of(words.front());
  if (!kind) return std::unexpected(kind.error());
  const auto sm_percent = number_up_to(sm, "--sm", 100, kOfKind);
  if (!sm_percent) return std::unexpected(sm_percent.error());
  const auto memory_percent = number_up_to(memory, "--memory", 100, kOfKind);
  if (!memory_percent) return std::unexpected(memory_percent.error());
  const auto air_c = number_up_to(air, "--ambient", kHottestAir, kSameAir);
  if (!air_c) return std::unexpected(air_c.error());
  const auto for_ns = longest(span);
  if (!for_ns) return std::unexpected(for_ns.error());
  if (*kind == LoadKind::idle && (sm || memory || span))
    return std::unexpected("idle takes neither --sm, --memory nor --for: nothing works then, until something is asked");
  return SetLoad{*kind, *sm_percent, *memory_percent, *air_c, *for_ns};
}

int LoadCommand::run() const {
  const auto load = asked();
  if (!load) return misused(load.error());
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  const std::vector<Change> changes = chosen->changes(*load);
  const auto loaded = chosen->machine.apply(changes);
  if (loaded) return kGood;
  const Change& refused = changes[loaded.error().change];
  if (loaded.error().code == kNotSupported)
    return complain("GPU {}: its board tells neither how busy nor how warm it is, so no load would show", refused.gpu);
  return complain(refusal(loaded.error().code, refused, words.front()));
}

constexpr Example kLoadExamples[] = {
    {"nvmlab load --gpu 0 training", "GPU 0 trains until something else is asked of it"},
    {"nvmlab load --gpu 0 inference --sm 40 --for 10m", "ten minutes of work for two fifths of the SMs"},
    {"nvmlab load training --ambient 60", "all GPUs train in hot air, and slow down"},
    {"nvmlab load idle", "all work ends, and the boards cool down"},
};

}  // namespace

extern const Command kLoad{
    .name = "load",
    .summary = "Let something work on GPUs of a machine that is up",
    .about =
        "From then on what a GPU tells moves with the load: how busy it is, clocks and performance state, power, "
        "energy, "
        "temperatures, fans, event reasons with their counters, PCI Express traffic. Power limits, locked clocks and "
        "fans that are set hold under load, and limits that are met show as event reasons. Readings follow machine "
        "time: with a virtual clock, `nvmlab clock advance 1h` shows an hour of it at once.\n\n"
        "A GPU that nothing has loaded stands still, as it was captured. One that was loaded goes back to how it was "
        "once it is idle and cool, but for its counters.",
    .examples = kLoadExamples,
    .declare = declared<LoadCommand>,
};

}  // namespace nvmlab::tool
