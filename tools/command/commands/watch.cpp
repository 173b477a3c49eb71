// SPDX-License-Identifier: Apache-2.0
// nvmlab watch: prints events of a machine, and fields that change, as they come. Tests: tests/command/event_test.cpp.
#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/events.hpp"
#include "command/machine/json.hpp"
#include "command/machine/listing.hpp"
#include "command/machine/moments.hpp"
#include "control/fields.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/selection.hpp"
#include "control/view.hpp"

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
      : machine_(machine), gpus_(std::move(gpus)), options_(options), events_(machine.events()) {}

  std::expected<void, Complaints> begin() {
    const auto lines = news();
    if (!lines) return std::unexpected(lines.error());
    return {};
  }

  std::expected<void, Complaints> look(std::uint64_t most) {
    const std::uint64_t lost_before = events_.lost();
    while (printed_ < most) {
      const auto event = events_.take();
      if (!event) break;
      if (std::ranges::find(gpus_, event->gpu) != gpus_.end()) print_event(*event);
    }
    if (const std::uint64_t missed = events_.lost() - lost_before; missed > 0)
      complain("{} events came too fast to be printed", missed);
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
           std::ranges::any_of(gpus_, [this](std::uint32_t gpu) { return control::is_loaded(machine_, gpu); });
  }

 private:
  // Fields that are not what they were when it looked last, with the GPUs on which they are not.
  std::expected<std::vector<FieldLine>, Complaints> news() {
    if (options_.paths.empty()) return std::vector<FieldLine>{};
    control::MachineView now = control::view_of(machine_, gpus_);
    const auto listing = resolve(options_.paths, now);
    if (!listing) return std::unexpected(listing.error());
    auto lines = lines_of(*listing, now, {.unsupported = true, .provenance = nullptr});
    if (!lines) return std::unexpected(lines.error());
    std::erase_if(*lines, [&](FieldLine& line) { return !known_ || !keep_changed(line, *known_, now); });
    known_ = std::move(now);
    return lines;
  }

  // False where it is the same on all GPUs.
  static bool keep_changed(FieldLine& line, const control::MachineView& before, const control::MachineView& now) {
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
    const std::uint64_t now_ns = machine_.clock().now_ns;
    if (!options_.json) {
      const std::string owner = line.gpus.empty() ? "machine" : fmt::format("GPU {}", control::name_gpus(line.gpus));
      return print("{}  {}  {} = {}\n", local_time(now_ns), owner, line.path, line.value);
    }
    print("{}\n", Json{{"time_ns", now_ns}, {"gpus", line.gpus}, {"field", line.path}, {"value", line.value}}.dump());
  }

  Machine& machine_;
  std::vector<std::uint32_t> gpus_;
  const Watch& options_;
  control::EventReader events_;
  std::uint64_t printed_ = 0;
  std::optional<control::MachineView> known_;
};

std::expected<std::uint64_t, std::string> limit(const std::optional<std::string>& word, const char* option) {
  if (!word) return ~std::uint64_t{0};
  const auto number = whole_number(*word);
  if (!number || *number == 0)
    return std::unexpected(fmt::format("{} takes a number from 1 on, not '{}'", option, *word));
  return *number;
}

std::uint64_t monotonic_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
}

int Watch::run() const {
  const auto most = limit(count, "--count");
  if (!most) return misused(most.error());
  const auto longest = limit(seconds, "--timeout");
  if (!longest) return misused(longest.error());
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  auto gpus = control::select_gpus(*machine, gpu_selection);
  if (!gpus) return complain(gpus.error());

  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::uint64_t kForever = ~std::uint64_t{0};
  const std::uint64_t end = *longest < kForever / kSecond / 4 ? monotonic_ns() + *longest * kSecond : kForever;
  Watcher watcher(*machine, std::move(*gpus), *this);
  if (const auto begun = watcher.begin(); !begun) return complain_all(begun.error());
  for (;;) {
    const std::uint32_t seen = machine->changes();
    if (const auto looked = watcher.look(*most); !looked) return complain_all(looked.error());
    if (!finish_output() || watcher.printed() >= *most) return kGood;
    if (!machine->is_up()) return complain("the machine was taken down");
    const std::uint64_t now = monotonic_ns();
    if (now >= end) return watcher.printed() > 0 ? kGood : kFailed;
    const std::uint64_t longest_nap = watcher.anything_moves() ? kSecond / 10 : 3600 * kSecond;
    machine->wait_for_change(seen, std::chrono::nanoseconds(std::min(end - now, longest_nap)));
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
