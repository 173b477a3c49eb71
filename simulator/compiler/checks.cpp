// SPDX-License-Identifier: Apache-2.0
#include "compiler/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <iterator>

#include "base/nearest.hpp"
#include "compiler/shipped.hpp"
#include "engine/store/driver_version.hpp"
#include "engine/topics/mig/mig_layout.hpp"
#include "engine/topics/mig/mig_rules.hpp"

namespace nvmlab::compiler {
namespace {

template <class T>
std::string_view view(const T& text) {
  return {text.data, text.length};
}

bool captured(const Mark& mark) { return mark.source != nullptr && mark.source->kind == "capture"; }

std::string_view file_of(const yaml::Place& place) {
  return place.file == nullptr ? std::string_view() : std::string_view(*place.file);
}

bool is_shipped_file(std::string_view file) {
  return std::ranges::any_of(shipped_profiles(), [&](const ShippedProfile& profile) { return profile.file == file; });
}

// The checks of one GPU; `place` names the item of the machine where a value has no place of its own.
class GpuChecks {
 public:
  GpuChecks(const GpuDraft& gpu, const yaml::Place& place, Findings& problems, Findings& notes)
      : gpu_(gpu), state_(*gpu.state), place_(place), problems_(problems), notes_(notes) {}

  void run() {
    memory();
    limits("power.", state_.power.min_limit_mw, state_.power.default_limit_mw, state_.power.max_limit_mw,
           state_.power.limit_mw, "limit_mw");
    limits("power.module_", state_.power.module_min_limit_mw, state_.power.module_default_limit_mw,
           state_.power.module_max_limit_mw, state_.power.module_limit_mw, "limit_mw");
    clocks();
    instances();
    if (const auto& uuid = state_.identity.uuid; uuid.has_value() && !is_gpu_uuid(view(uuid))) {
      report({"identity.uuid"},
             fmt::format("{} is no UUID of a GPU; GPU- (which integrated GPUs do without), 32 hexadecimal digits in "
                         "lower case and dashes between them would be right",
                         in_quotes(view(uuid))));
    }
  }

 private:
  using Number = Fact<std::uint32_t>;

  void instances() {
    const MigLayout layout = read_layout(state_.instances);
    if (layout.gpu_instances == 0 && layout.compute_instances == 0) return;
    if (!mig_is_on(state_.modes) || !possible(read_board(state_.mig), layout)) {
      report(
          {"instances.gpu_instances", "instances.compute_instances"},
          "no driver makes such MIG instances of this board: modes.mig is enabled where there are some, id, profile_id "
          "and start belong together, and no two lie in one place (docs/guide/mig.md)");
    }
  }

  // The first of these values that a file states; rather in the file that lists the GPUs, or in another of the user's,
  // than in what it inherits.
  const Mark* first_stated(std::initializer_list<std::string> names) const {
    const Mark* best = nullptr;
    int best_rank = 3;
    for (const std::string& name : names) {
      const Mark& mark = gpu_.marks[leaf_of(*find_field(name))];
      if (mark.place == nullptr) continue;
      const auto file = file_of(*mark.place);
      const int rank = file == file_of(place_) ? 0 : is_shipped_file(file) ? 2 : 1;
      if (rank < best_rank) best = &mark;
      best_rank = std::min(best_rank, rank);
    }
    return best;
  }

  void report(std::initializer_list<std::string> names, std::string message) {
    const Mark* mark = first_stated(names);
    problems_.push_back({mark == nullptr ? &place_ : mark->place, std::move(message)});
  }

  // What a capture says stands: people overclock, and drivers print what they print.
  void report_odd(std::initializer_list<std::string> names, const std::string& message) {
    const Mark* mark = first_stated(names);
    if (mark == nullptr || !captured(*mark)) return report(names, message);
    notes_.push_back({mark->place, message + "; a capture says so, and it stands"});
  }

  void memory() {
    const Memory& memory = state_.memory;
    within("memory.bar1_used_bytes", memory.bar1_used_bytes, "memory.bar1_total_bytes", memory.bar1_total_bytes);
    within("memory.protected_used_bytes", memory.protected_used_bytes, "memory.protected_total_bytes",
           memory.protected_total_bytes);
    if (!memory.total_bytes.has_value()) return;
    const std::uint64_t total = memory.total_bytes.value;
    const std::uint64_t reserved = memory.reserved_bytes.value_or(0);
    const std::uint64_t used = memory.used_bytes.value_or(0);
    if (reserved > total || used > total - reserved) {
      report(
          {"memory.used_bytes", "memory.reserved_bytes", "memory.total_bytes"},
          fmt::format("memory.used_bytes {} and memory.reserved_bytes {} together are more than memory.total_bytes {}",
                      used, reserved, total));
    }
  }

  void within(const char* part, const Fact<std::uint64_t>& used, const char* whole, const Fact<std::uint64_t>& total) {
    if (!used.has_value() || !total.has_value() || used.value <= total.value) return;
    report({part, whole}, fmt::format("{} {} is more than {} {}", part, used.value, whole, total.value));
  }

  void limits(std::string_view prefix, const Number& low, const Number& normal, const Number& high, const Number& now,
              const char* now_name) {
    const auto ordered = [&](std::string_view a, const Number& left, std::string_view b, const Number& right) {
      if (!left.has_value() || !right.has_value() || left.value <= right.value) return;
      report_odd({fmt::format("{}{}", prefix, a), fmt::format("{}{}", prefix, b)},
                 fmt::format("{}{} {} is above {}{} {}", prefix, a, left.value, prefix, b, right.value));
    };
    ordered("min_limit_mw", low, "max_limit_mw", high);
    ordered("min_limit_mw", low, "default_limit_mw", normal);
    ordered("default_limit_mw", normal, "max_limit_mw", high);
    ordered("min_limit_mw", low, now_name, now);
    ordered(now_name, now, "max_limit_mw", high);
  }

  void clocks() {
    const Clocks& clocks = state_.clocks;
    if (clocks.supported.size() == 0) return;
    bool memory = false;
    bool graphics = false;
    for (const auto& pair : clocks.supported) {
      memory = memory || pair.memory_mhz.value_or(0) == clocks.max_memory_mhz.value_or(0);
      for (std::uint16_t clock : pair.graphics_mhz)
        graphics = graphics || clock == clocks.max_graphics_mhz.value_or(0);
    }
    if (clocks.max_memory_mhz.has_value() && !memory) {
      report_odd({"clocks.max_memory_mhz", "clocks.supported"},
                 fmt::format("clocks.max_memory_mhz {} is not among the memory clocks of clocks.supported",
                             clocks.max_memory_mhz.value));
    }
    if (clocks.max_graphics_mhz.has_value() && !graphics) {
      report_odd({"clocks.max_graphics_mhz", "clocks.supported"},
                 fmt::format("clocks.max_graphics_mhz {} is not among the graphics clocks of clocks.supported",
                             clocks.max_graphics_mhz.value));
    }
  }

  const GpuDraft& gpu_;
  const Gpu& state_;
  const yaml::Place& place_;
  Findings& problems_;
  Findings& notes_;
};

// Three groups of digits at most: "535", "535.161.08".
bool is_driver_version(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  std::size_t groups = 0;
  while (true) {
    const auto end = std::min(text.find('.'), text.size());
    const auto group = text.substr(0, end);
    if (group.empty() || group.size() > 3 || group.find_first_not_of(digits) != std::string_view::npos) return false;
    ++groups;
    if (end == text.size()) return groups == 2 || groups == 3;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Problems located(const Findings& findings) {
  Problems problems;
  problems.reserve(findings.size());
  for (const Finding& finding : findings)
    problems.push_back(finding.place == nullptr ? Problem{.message = finding.message}
                                                : finding.place->error(finding.message));
  return problems;
}

void check_driver(const NodeDraft& node, const yaml::Place* place, Findings& problems, Findings& notes) {
  const auto& driver = node.state->system.driver_version;
  const Mark& mark = node.marks[leaf_of(*find_field("system.driver_version"))];
  if (!driver.has_value()) {
    problems.push_back(
        {mark.place != nullptr ? mark.place : place, "system.driver_version is missing; a node has a driver"});
    return;
  }
  if (!is_driver_version(view(driver))) {
    problems.push_back({mark.place, fmt::format("{} is no driver version; one such as 535.161.08 would be right",
                                                in_quotes(view(driver)))});
    return;
  }
  unsigned branch = 0;
  std::from_chars(driver.data, driver.data + driver.length, branch);
  const unsigned oldest = driver_release(0).major;
  const unsigned newest = driver_release(driver_release_count() - 1).major;
  if (branch >= oldest && branch <= newest) return;
  const bool old = branch < oldest;
  const auto message = fmt::format("{} is {} than {}, the {} driver that can be simulated", in_quotes(view(driver)),
                                   old ? "older" : "newer", old ? oldest : newest, old ? "oldest" : "newest");
  if (!captured(mark)) return problems.push_back({mark.place, message});
  notes.push_back({mark.place, message + ": it has the functions of that one"});
}

bool is_gpu_uuid(std::string_view text) {
  if (text.starts_with("GPU-")) text.remove_prefix(4);
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool hex = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (dash ? text[i] != '-' : !hex) return false;
  }
  return true;
}

MachineChecks::Unique::Unique(const char* name, const char* what) : leaf_(leaf_of(*find_field(name))), what_(what) {}

void MachineChecks::Unique::add(std::size_t index, std::string value, const GpuDraft& gpu, const yaml::Place& place,
                                Findings& problems) {
  auto [known, fresh] = seen_.emplace(std::move(value), index);
  if (fresh) return;
  const Mark& mark = gpu.marks[leaf_];
  problems.push_back({mark.place != nullptr ? mark.place : &place,
                      fmt::format("GPU {} and GPU {} have the same {} {}", known->second, index, what_, known->first)});
}

void MachineChecks::add(const GpuDraft& gpu, const yaml::Place& place) {
  GpuChecks(gpu, place, problems_, notes_).run();
  const Gpu& state = *gpu.state;
  const auto add = [&](Unique& unique, std::string value) { unique.add(gpus_, std::move(value), gpu, place, shared_); };
  if (state.identity.uuid.has_value()) add(uuids_, std::string(view(state.identity.uuid)));
  if (state.identity.minor_number.has_value()) add(minors_, std::to_string(state.identity.minor_number.value));
  if (const Pci& pci = state.pci; pci.bus.has_value()) {
    add(addresses_, fmt::format("{:08X}:{:02X}:{:02X}.0", pci.domain.value, pci.bus.value, pci.device.value));
  }
  ++gpus_;
}

void MachineChecks::finish() { std::ranges::move(shared_, std::back_inserter(problems_)); }

Findings check(const NodeDraft& node, const std::vector<GpuDraft>& gpus,
               const std::vector<const yaml::Place*>& places) {
  Findings findings;
  check_driver(node, places.empty() ? nullptr : places.front(), findings, findings);
  MachineChecks checks(findings, findings);
  for (std::size_t i = 0; i < gpus.size(); ++i)
    checks.add(gpus[i], *places[i]);
  checks.finish();
  return findings;
}

}  // namespace nvmlab::compiler
