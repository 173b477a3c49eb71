// SPDX-License-Identifier: Apache-2.0
// nvmlab watch: prints events of a machine, and fields that change, as they come. Tests: tests/command/event_test.cpp.
#include <algorithm>

#include "base/text.hpp"
#include "control/fields.hpp"
#include "engine/store/system.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/events.hpp"
#include "command/machine/json.hpp"
#include "command/machine/listing.hpp"
#include "command/machine/machines.hpp"
#include "command/machine/moments.hpp"
#include "command/machine/selection.hpp"
#include "command/machine/snapshot.hpp"

namespace nvmlab::tool {
namespace {

struct Watch {
  std::vector<std::string> paths;
  std::string machine_name;
  std::string gpu_selection = "all";
  std::optional<std::string> count;
  std::optional<std::string> seconds;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void Watch::declare(CommandLine& line) {
  line.argument("PATH", paths, "Fields or topics whose changes are printed too; events alone without one")
      .complete(Complete::field);
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.option("--count", "N", count, "End after so many lines");
  line.option("--timeout", "SECONDS", seconds, "End after so long, with exit code 1 if nothing came");
  add_json(line, json);
}

// Prints what is new to it.
class Watcher {
 public:
  Watcher(Machine& machine, std::vector<std::uint32_t> gpus, const Watch& options)
      : store_(machine.store()),
        writable_(machine.file().writable),
        gpus_(std::move(gpus)),
        options_(options),
        next_(events_raised(store_.events)) {}

  std::expected<void, Complaints> begin() {
    const auto lines = news();
    if (!lines) return std::unexpected(lines.error());
    return {};
  }

  std::expected<void, Complaints> look(std::uint64_t most) {
    Event event{};
    std::uint64_t missed = 0;
    while (printed_ < most && next_event(store_.events, &next_, &missed, &event)) {
      if (std::ranges::find(gpus_, event.gpu) != gpus_.end()) print_event(event);
    }
    if (missed > 0) {
      if (writable_) count_lost(&store_.events, missed);
      complain("{} events came too fast to be printed", missed);
    }
    const auto lines = news();
    if (!lines) return std::unexpected(lines.error());
    for (const FieldLine& line : *lines) {
      if (printed_ < most) print_field(line);
    }
    return {};
  }

  std::uint64_t printed() const { return printed_; }

  // Readings of a GPU that is loaded move without a change that would wake anybody.
  bool anything_moves() const {
    return !options_.paths.empty() &&
           std::ranges::any_of(gpus_, [this](std::uint32_t gpu) { return is_loaded(store_, gpu); });
  }

 private:
  // Fields that are not what they were when it looked last, with the GPUs on which they are not.
  std::expected<std::vector<FieldLine>, Complaints> news() {
    if (options_.paths.empty()) return std::vector<FieldLine>{};
    Snapshot now = take_snapshot(store_, gpus_);
    const auto listing = resolve(options_.paths, now);
    if (!listing) return std::unexpected(listing.error());
    auto lines = lines_of(*listing, now, {.unsupported = true, .provenance = nullptr});
    if (!lines) return std::unexpected(lines.error());
    std::erase_if(*lines, [&](FieldLine& line) { return !known_ || !keep_changed(line, *known_, now); });
    known_ = std::move(now);
    return lines;
  }

  // False where it is the same on all GPUs.
  static bool keep_changed(FieldLine& line, const Snapshot& before, const Snapshot& now) {
    const auto ref = compiler::find_field(line.path);
    if (!ref) return false;  // cannot be: it is the path of one
    const auto changed = [&](std::size_t at) {
      return before.pinned(*ref, at) != now.pinned(*ref, at) ||
             !control::same_field(*ref, before.owner_of(*ref, at), now.owner_of(*ref, at));
    };
    if (ref->topic->of_node) return changed(0);
    std::erase_if(line.gpus, [&](std::uint32_t gpu) {
      return !changed(static_cast<std::size_t>(std::ranges::find(now.indices, gpu) - now.indices.begin()));
    });
    return !line.gpus.empty();
  }

  void print_event(const Event& event) {
    ++printed_;
    if (!options_.json) return print("{}  GPU {}  {}\n", local_time(event.at_ns), event.gpu, describe(event));
    print("{}\n", Json{{"time_ns", event.at_ns}, {"gpu", event.gpu}, {"event", describe(event)}}.dump());
  }

  void print_field(const FieldLine& line) {
    ++printed_;
    const std::uint64_t now_ns = machine_time_ns(store_.clock);
    if (!options_.json) {
      const std::string owner = line.gpus.empty() ? "machine" : fmt::format("GPU {}", name_gpus(line.gpus));
      return print("{}  {}  {} = {}\n", local_time(now_ns), owner, line.path, line.value);
    }
    print("{}\n", Json{{"time_ns", now_ns}, {"gpus", line.gpus}, {"field", line.path}, {"value", line.value}}.dump());
  }

  Store& store_;
  bool writable_;
  std::vector<std::uint32_t> gpus_;
  const Watch& options_;
  std::uint64_t next_;
  std::uint64_t printed_ = 0;
  std::optional<Snapshot> known_;
};

std::expected<std::uint64_t, std::string> limit(const std::optional<std::string>& word, const char* option) {
  if (!word) return ~std::uint64_t{0};
  const auto number = whole_number(*word);
  if (!number || *number == 0)
    return std::unexpected(fmt::format("{} takes a number from 1 on, not '{}'", option, *word));
  return *number;
}

int Watch::run() const {
  const auto most = limit(count, "--count");
  if (!most) return misused(most.error());
  const auto longest = limit(seconds, "--timeout");
  if (!longest) return misused(longest.error());
  auto machine = Machine::open(chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  Store& store = machine->store();
  auto gpus = select_gpus(gpu_selection, selectable_gpus(store));
  if (!gpus) return complain(gpus.error());

  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::uint64_t kForever = ~std::uint64_t{0};
  const std::uint64_t end = *longest < kForever / kSecond / 4 ? sys::monotonic_ns() + *longest * kSecond : kForever;
  Watcher watcher(*machine, std::move(*gpus), *this);
  if (const auto begun = watcher.begin(); !begun) return complain_all(begun.error());
  for (;;) {
    const std::uint32_t seen = __atomic_load_n(&store.header.changes, __ATOMIC_ACQUIRE);
    if (const auto looked = watcher.look(*most); !looked) return complain_all(looked.error());
    if (!finish_output() || watcher.printed() >= *most) return kGood;
    if (taken_down(store)) return complain("the machine was taken down");
    const std::uint64_t now = sys::monotonic_ns();
    if (now >= end) return watcher.printed() > 0 ? kGood : kFailed;
    const std::uint64_t longest_nap = watcher.anything_moves() ? kSecond / 10 : 3600 * kSecond;
    sys::wait_on(&store.header.changes, seen, std::min(end - now, longest_nap), true);
  }
}

constexpr Example kWatchExamples[] = {
    {"nvmlab watch", "every event, with its time and GPU"},
    {"nvmlab watch --gpu 0 thermal.gpu_c power", "also what changes of these fields"},
    {"nvmlab watch --count 1 --timeout 10", "waits for one event, 10 s at most"},
};

}  // namespace

extern const Command kWatch{
    .name = "watch",
    .summary = "Print events, and fields that change, as they come",
    .about =
        "Prints a line for each event of a machine that is up, from now on, and for each of the named fields that "
        "changes. It sleeps in between and ends by Ctrl-C, --count, --timeout or when the machine is taken down.",
    .examples = kWatchExamples,
    .declare = declared<Watch>,
    .not_in_scenarios = true,
};

}  // namespace nvmlab::tool
