// SPDX-License-Identifier: Apache-2.0
// nvmlab load: lets something work on GPUs of a machine that is up. Tests: tests/command/load_test.cpp.
#include "base/duration.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/machine_time.hpp"
#include "command/trace/trace_file.hpp"
#include "control/refusals.hpp"

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
  std::optional<std::string> every;
  std::optional<std::string> pid;

  void declare(CommandLine& line);
  int run() const;
  int load(const SetLoad& load) const;
  int replay() const;
  std::expected<SetLoad, std::string> asked() const;
};

void LoadCommand::declare(CommandLine& line) {
  line.argument("LOAD", words, "idle, training, inference, memory or encode; or a file that nvidia-smi printed")
      .required()
      .complete(Complete::file);
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.option("--sm", "PERCENT", sm, "How busy the SMs are, in place of what the kind of load makes of them");
  line.option("--memory", "PERCENT", memory, "How busy the memory is, likewise");
  line.option("--ambient", "CELSIUS", air, "How warm the air is that cools the board, from now on");
  line.option("--for", "TIME", span, "Ends after so long of machine time, such as 10m; then the GPU is idle");
  line.option("--pid", "PID", pid,
              "The process that works, beside others that do: it has its share of the GPU, and its work ends with it");
  line.option("--every", "TIME", every, "What parts the rows of a file that tells no times; 1s without it");
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

std::string why_not_loaded(const Refusal& refused, const std::vector<Change>& changes, const std::string& what) {
  const Change& change = changes[refused.change];
  if (refused.code == kNotSupported)
    return fmt::format("GPU {}: its board tells neither how busy nor how warm it is, so no load would show",
                       change.target.gpu);
  if (refused.code == nvmlab::kNotFound)  // not the exit code of that name
    return fmt::format("GPU {}: no such process runs there; `nvmlab ps add` lets it, `nvmlab ps ls` lists them",
                       change.target.gpu);
  if (refused.code == kInsufficientResources)
    return fmt::format(
        "GPU {}: {} processes work there, and there is room for no more; `nvmlab load idle --pid PID` "
        "ends the work of one",
        change.target.gpu, kMaxWorkers);
  return control::refusal(refused.code, change, what);
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
  const auto process = number_up_to(pid, "--pid", 0xffff'fffe, 0);
  if (!process) return std::unexpected(process.error());
  SetLoad load{*kind, *sm_percent, *memory_percent, *air_c, *for_ns};
  load.pid = *process;
  return load;
}

int LoadCommand::load(const SetLoad& load) const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  const std::vector<Change> changes = chosen->changes(load);
  const auto loaded = chosen->machine.apply(changes);
  if (loaded) return kGood;
  return complain(why_not_loaded(loaded.error(), changes, words.front()));
}

// Plays a trace, and ends what it has begun when somebody interrupts it.
int LoadCommand::replay() const {
  if (memory && !sm) return misused("--memory goes with --sm where a file says how busy a GPU was");
  if (span || pid) return misused("a file takes neither --for nor --pid: it ends by itself, and tells of no process");
  const auto sm_percent = number_up_to(sm, "--sm", 100, kOfKind);
  const auto memory_percent = number_up_to(memory, "--memory", 100, kOfKind);
  const auto air_c = number_up_to(air, "--ambient", kHottestAir, kSameAir);
  if (!sm_percent || !memory_percent || !air_c)
    return misused(!sm_percent ? sm_percent.error() : !memory_percent ? memory_percent.error() : air_c.error());
  TraceOverrides overrides;
  if (sm) overrides.sm_percent = *sm_percent;
  if (memory) overrides.memory_percent = *memory_percent;
  if (air) overrides.air_c = *air_c;
  const auto every_ns = interval_of_rows(every);
  if (!every_ns) return misused(every_ns.error());
  const auto trace = load_trace(words.front(), *every_ns);
  if (!trace) {
    print_problem(trace.error().text());
    return kMisused;
  }
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  auto replay = TraceReplay::of(*trace, chosen->gpus, *every_ns, overrides);
  if (!replay) {
    print_problem(replay.error().text());
    return kMisused;
  }
  const HeldSignals signals;
  const std::uint64_t beginning_ns = chosen->machine.clock().now_ns;
  while (!replay->done()) {
    if (const Arrival arrival = wait_until(chosen->machine, signals, beginning_ns + replay->next_ns());
        arrival != Arrival::there) {
      constexpr SetLoad kIdle{LoadKind::idle, kOfKind, kOfKind, kSameAir, 0};
      (void)chosen->machine.apply(chosen->changes(kIdle));
      const std::string why = why_not_there(arrival, chosen->machine);
      return why.empty() ? kFailed : complain("{}: {}; its load has ended", words.front(), why);
    }
    const std::vector<Change> changes = replay->take();
    if (const auto made = chosen->machine.apply(changes); !made)
      return complain(why_not_loaded(made.error(), changes, words.front()));
  }
  return kGood;
}

int LoadCommand::run() const {
  if (words.size() == 1 && !kind_of(words.front()) && names_trace(words.front())) return replay();
  if (every) return misused("--every is for a file");
  const auto wanted = asked();
  return wanted ? load(*wanted) : misused(wanted.error());
}

constexpr Example kLoadExamples[] = {
    {"nvmlab load --gpu 0 training", "GPU 0 trains until something else is asked of it"},
    {"nvmlab load --gpu 0 inference --sm 40 --for 10m", "ten minutes of work for two fifths of the SMs"},
    {"nvmlab load training --ambient 60", "all GPUs train in hot air, and slow down"},
    {"nvmlab load --gpu 0 dmon.txt", "GPU 0 does what `nvidia-smi dmon` saw another one do"},
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
        "A file (or -, standard input) is what `nvidia-smi dmon` or `nvidia-smi "
        "--query-gpu=timestamp,utilization.gpu,"
        "utilization.memory,power.draw --format=csv -lms 500` printed of a board. Its shares and its power are made "
        "again "
        "on machine time: the command takes as long as the trace, and advances a virtual clock by that.\n\n"
        "A GPU that nothing has loaded stands still, as it was captured. One that was loaded goes back to how it was "
        "once it is idle and cool, but for its counters.",
    .examples = kLoadExamples,
    .declare = declared<LoadCommand>,
};

}  // namespace nvmlab::tool
