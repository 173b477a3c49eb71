// SPDX-License-Identifier: Apache-2.0
//
// What no single leaf tells: memory (whose parts are printed rounded), fans, lists of clocks, processes and pages.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "compiler/texts.hpp"
#include "import/evidence/evidence.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

// The leaves of one GPU of one capture, by either of their names.
class Sheet {
 public:
  Sheet(const capture::Capture& capture, std::span<const capture::Leaf* const> leaves)
      : capture_(capture), leaves_(leaves) {}

  const capture::Leaf* find(std::string_view xml, std::string_view text) const {
    const auto path = capture_.format == capture::Format::xml ? xml : text;
    const auto found = std::ranges::find(leaves_, path, [](const auto* leaf) { return std::string_view(leaf->path); });
    return found == leaves_.end() ? nullptr : *found;
  }
  // A whole number with a unit.
  std::optional<std::uint64_t> number(const capture::Leaf* leaf, std::string_view unit) const {
    if (leaf == nullptr) return std::nullopt;
    const Rule rule{{}, {}, {}, Shape::number, unit, 1};
    const auto reading = read_printed(rule, leaf->value, {});
    if (reading.kind != Reading::Kind::value || reading.yaml.starts_with('-')) return std::nullopt;
    return std::stoull(reading.yaml);
  }
  std::span<const capture::Leaf* const> leaves() const { return leaves_; }

 private:
  const capture::Capture& capture_;
  std::span<const capture::Leaf* const> leaves_;
};

struct Context {
  Evidence& evidence;
  const capture::Capture& capture;
  const Sheet& sheet;
  Subject& subject;
  std::size_t source;

  void state(std::string_view field, const std::string& yaml, const capture::Leaf* leaf) const {
    evidence.state(subject, field, yaml, source, place_of(capture, *leaf));
  }
};

// Whether it is known already, and this is the same but for rounding.
bool within_rounding(const Subject& gpu, std::uint64_t reserved) {
  const Fact* fact = gpu.find("memory.reserved_bytes");
  std::uint64_t known = 0;
  if (fact == nullptr ||
      std::from_chars(fact->yaml.data(), fact->yaml.data() + fact->yaml.size(), known).ec != std::errc())
    return false;
  return (known > reserved ? known - reserved : reserved - known) <= kMiB;
}

// Total, reserved, used and free are printed in MiB, rounded up or down: their sum gives away which, and the true
// numbers are taken from the middle of what that leaves open. Then this driver's nvidia-smi prints the same again.
void frame_buffer(const Context& context) {
  const auto leaf = [&](std::string_view xml, std::string_view text) {
    return context.sheet.find(fmt::format("fb_memory_usage/{}", xml), fmt::format("FB Memory Usage/{}", text));
  };
  const auto* used_leaf = leaf("used", "Used");
  const auto* reserved_leaf = leaf("reserved", "Reserved");
  const auto total = context.sheet.number(leaf("total", "Total"), "MiB");
  const auto used = context.sheet.number(used_leaf, "MiB");
  const auto free = context.sheet.number(leaf("free", "Free"), "MiB");
  const auto reserved = context.sheet.number(reserved_leaf, "MiB");
  constexpr std::uint64_t kMostMiB = std::uint64_t{1} << 40;
  if (!used || *used > kMostMiB || reserved.value_or(0) > kMostMiB || free.value_or(0) > kMostMiB) return;
  std::uint64_t used_bytes = *used * kMiB;
  std::uint64_t reserved_bytes = reserved.value_or(0) * kMiB;
  std::size_t source = context.source;
  if (total && free && reserved && *total <= kMostMiB) {
    const auto excess = static_cast<std::int64_t>(*used + *free + *reserved) - static_cast<std::int64_t>(*total);
    if (excess == 1 && *reserved > 0) reserved_bytes -= kMiB / 2;
    if (excess == 2 && *reserved > 0 && *used > 0) {
      reserved_bytes -= kMiB * 3 / 4;
      used_bytes -= kMiB * 3 / 4;
    }
    if (excess == -1) reserved_bytes += kMiB / 2;
    if (excess == -2) {
      reserved_bytes += kMiB * 3 / 4;
      used_bytes += kMiB * 3 / 4;
    }
    if (excess != 0) {
      source = context.evidence.noted("rounded", source, "in the middle of what its rounding leaves open");
    }
  }
  context.evidence.state(context.subject, "memory.used_bytes", std::to_string(used_bytes), source,
                         place_of(context.capture, *used_leaf));
  if (reserved && !within_rounding(context.subject, reserved_bytes)) {
    context.evidence.state(context.subject, "memory.reserved_bytes", std::to_string(reserved_bytes), source,
                           place_of(context.capture, *reserved_leaf));
  }
}

void bar1(const Context& context) {
  const auto* leaf = context.sheet.find("bar1_memory_usage/used", "BAR1 Memory Usage/Used");
  const auto used = context.sheet.number(leaf, "MiB");
  const auto total =
      context.sheet.number(context.sheet.find("bar1_memory_usage/total", "BAR1 Memory Usage/Total"), "MiB");
  if (used && total && *used <= *total) context.state("memory.bar1_used_bytes", fmt::format("{} MiB", *used), leaf);
  if (leaf != nullptr && answer_of(leaf->value) == "NOT_SUPPORTED")
    context.state("memory.bar1_used_bytes", "null", leaf);
}

void fans(const Context& context) {
  const auto* leaf = context.sheet.find("fan_speed", "Fan Speed");
  if (leaf == nullptr) return;
  const auto speed = context.sheet.number(leaf, "%");
  if (speed)
    context.state("thermal.fans",
                  fmt::format("[{{speed_percent: {0}, target_percent: {0}}}]", std::min<std::uint64_t>(*speed, 100)),
                  leaf);
  else
    context.state("thermal.fans", "[]", leaf);
}

bool sits_in(std::string_view path, std::string_view list) { return path.starts_with(list); }

void supported_clocks(const Context& context) {
  const bool xml = context.capture.format == capture::Format::xml;
  const std::string_view list = xml ? "supported_clocks/supported_mem_clock[" : "Supported Clocks/Memory[";
  const capture::Leaf* first = nullptr;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>> pairs;
  for (const auto* leaf : context.sheet.leaves()) {
    if (!sits_in(leaf->path, list)) continue;
    if (first == nullptr) first = leaf;
    const auto clock = context.sheet.number(leaf, "MHz");
    if (!clock) continue;
    const bool memory = leaf->path.ends_with(xml ? "]/value" : " MHz]");
    if (memory)
      pairs.emplace_back(*clock, std::vector<std::uint64_t>());
    else if (!pairs.empty())
      pairs.back().second.push_back(*clock);
  }
  if (const auto* none = context.sheet.find("supported_clocks", "Supported Clocks"); none != nullptr && pairs.empty())
    return context.state("clocks.supported", "[]", none);
  if (first == nullptr) return;
  std::vector<std::string> rows;
  for (const auto& [memory, graphics] : pairs)
    rows.push_back(fmt::format("{{memory_mhz: {}, graphics_mhz: [{}]}}", memory, fmt::join(graphics, ", ")));
  context.state("clocks.supported", fmt::format("[{}]", fmt::join(rows, ", ")), first);
}

// The kinds that nvidia-smi joins with '+'.
unsigned kinds_of(std::string_view printed) {
  unsigned kinds = 0;
  for (char letter : printed)
    kinds |= letter == 'C' ? 1U : letter == 'G' ? 2U : letter == 'M' ? 4U : 0U;
  return kinds;
}

// As much of a name as the state holds and YAML can say: nvidia-smi copies what a process calls itself.
std::string fitting(std::string_view name) {
  constexpr std::size_t room = decltype(Processes::Process::name)::capacity - 1;
  name = name.substr(0, room);
  while (compiler::text_flaw(name) != nullptr)
    name.remove_suffix(1);
  return std::string(name);
}

struct Process {
  std::string pid;
  std::string type;
  std::string name;
  const capture::Leaf* memory = nullptr;
};

bool is_pid(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// What accounting says of one process.
struct Accounted {
  const capture::Leaf* pid = nullptr;
  std::map<std::string_view, const capture::Leaf*> parts;  // by the end of the path
  bool running = false;
};

std::vector<Accounted> accounted_processes(const Context& context) {
  const bool xml = context.capture.format == capture::Format::xml;
  const std::string_view list = xml ? "accounted_processes/accounted_process_info[" : "Accounted Processes/Process ID[";
  std::vector<Accounted> found;
  std::string_view last;
  for (const auto* leaf : context.sheet.leaves()) {
    const std::string_view path = leaf->path;
    const auto close = path.find(']', list.size());
    if (!sits_in(path, list) || close == std::string_view::npos) continue;
    if (const auto index = path.substr(0, close); index != last) {
      last = index;
      found.emplace_back();
    }
    Accounted& process = found.back();
    const auto part = path.substr(close + 1);
    if (part == "/pid" || part.empty()) process.pid = leaf;
    if (part == "/is_running" || part == "/Is Running") process.running = leaf->value == "1";
    process.parts[part] = leaf;
  }
  std::erase_if(found, [](const Accounted& process) { return process.pid == nullptr || !is_pid(process.pid->value); });
  return found;
}

std::optional<std::uint64_t> part_of(const Context& context, const Accounted& process, std::string_view xml,
                                     std::string_view text, std::string_view unit) {
  for (const auto name : {xml, text}) {
    if (const auto found = process.parts.find(name); found != process.parts.end())
      return context.sheet.number(found->second, unit);
  }
  return std::nullopt;
}

std::string shares(const Context& context, const Accounted& process, std::string_view gpu_field) {
  std::string row;
  if (const auto percent = part_of(context, process, "/gpu_util", "/GPU Utilization", "%"))
    row += fmt::format(", {}: {}", gpu_field, *percent);
  if (const auto percent = part_of(context, process, "/memory_util", "/Memory Utilization", "%"))
    row += fmt::format(", memory_percent: {}", *percent);
  return row;
}

// Where it is more than what is held now.
std::string peak(const Context& context, const Accounted& process, std::optional<std::uint64_t> held = std::nullopt) {
  const auto most = part_of(context, process, "/max_memory_usage", "/Max Memory Usage", "MiB");
  return most && most != held ? fmt::format(", peak_bytes: {} MiB", *most) : std::string();
}

// Those that have ended; those that run are listed as such too.
void ended(const Context& context, std::span<const Accounted> accounted) {
  std::vector<std::string> rows;
  for (const Accounted& process : accounted) {
    if (process.running) continue;
    std::string row = fmt::format("{{pid: {}{}", process.pid->value, shares(context, process, "gpu_percent"));
    row += peak(context, process);
    if (const auto time = part_of(context, process, "/time", "/Time", "ms")) row += fmt::format(", time_ms: {}", *time);
    rows.push_back(row + "}");
  }
  constexpr std::size_t room = decltype(Accounting::ended)::capacity;
  if (rows.size() > room) {
    context.evidence.notes.push_back(fmt::format("{}:{}: more than {} accounted processes; the oldest are left out",
                                                 context.capture.name, accounted.front().pid->line, room));
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(room));
  }
  if (!rows.empty())
    context.state("accounting.ended", fmt::format("[{}]", fmt::join(rows, ", ")), accounted.front().pid);
}

void processes(const Context& context) {
  const auto accounted = accounted_processes(context);
  ended(context, accounted);
  const bool xml = context.capture.format == capture::Format::xml;
  const std::string_view list = xml ? "processes/process_info[" : "Processes/Process ID[";
  std::vector<std::pair<std::string, Process>> found;  // by its index in the path
  const capture::Leaf* first = nullptr;
  for (const auto* leaf : context.sheet.leaves()) {
    if (!sits_in(leaf->path, list)) continue;
    if (first == nullptr) first = leaf;
    const auto close = leaf->path.find(']', list.size());
    if (close == std::string::npos) continue;
    const std::string index = leaf->path.substr(list.size(), close - list.size());
    if (found.empty() || found.back().first != index) found.emplace_back(index, Process{});
    Process& process = found.back().second;
    const auto part = std::string_view(leaf->path).substr(close + 1);
    if (part == "/pid" || part.empty()) process.pid = leaf->value;
    if (part == "/type" || part == "/Type") process.type = leaf->value;
    if (part == "/process_name" || part == "/Name") process.name = leaf->value;
    if (part == "/used_memory" || part == "/Used GPU Memory") process.memory = leaf;
  }
  if (first == nullptr) {
    const auto* none = context.sheet.find("processes", "Processes");
    if (none != nullptr) context.state("processes.running", "[]", none);
    return;
  }
  constexpr std::size_t kRoom = 32;
  std::vector<std::string> rows;
  for (const auto& [index, process] : found) {
    if (rows.size() == kRoom) {
      context.evidence.notes.push_back(
          fmt::format("{}:{}: more than {} processes; the rest is left out", context.capture.name, first->line, kRoom));
      break;
    }
    if (!is_pid(process.pid)) continue;
    std::string row = fmt::format("{{pid: {}, kinds: {}, name: {}", process.pid, kinds_of(process.type),
                                  compiler::yaml_scalar(fitting(process.name)));
    const auto used = context.sheet.number(process.memory, "MiB");
    if (used) row += fmt::format(", used_bytes: {} MiB", *used);
    const auto use = std::ranges::find_if(
        accounted, [&](const Accounted& other) { return other.running && other.pid->value == process.pid; });
    if (use != accounted.end()) row += shares(context, *use, "sm_percent") + peak(context, *use, used);
    rows.push_back(row + "}");
  }
  context.state("processes.running", fmt::format("[{}]", fmt::join(rows, ", ")), first);
}

// How many pages, not which: the list of addresses is seldom printed.
void retired_pages(const Context& context) {
  struct Cause {
    std::string_view xml;
    std::string_view text;
    std::string_view field;
  };
  constexpr std::array causes{
      Cause{"multiple_single_bit_retirement", "Single Bit ECC", "single_bit"},
      Cause{"double_bit_retirement", "Double Bit ECC", "double_bit"},
  };
  const auto* pending = context.sheet.find("retired_pages/pending_retirement", "Retired Pages/Pending Page Blacklist");
  for (const auto& [xml, text, field] : causes) {
    const auto* leaf =
        context.sheet.find(fmt::format("retired_pages/{}/retired_count", xml), fmt::format("Retired Pages/{}", text));
    const auto count = context.sheet.number(leaf, "");
    if (!count) continue;
    constexpr std::uint64_t kRoom = 64;
    std::vector<std::string> pages;
    for (std::uint64_t i = 0; i < std::min(*count, kRoom); ++i)
      pages.push_back(fmt::format("{{address: {}, retired_us: 0}}", (i + 1) << 16));
    context.state(fmt::format("ecc.retired_{}", field), fmt::format("[{}]", fmt::join(pages, ", ")), leaf);
    if (pending != nullptr && pending->value == "No")
      context.state(fmt::format("ecc.retirement_pending_{}", field), "no", pending);
  }
}

// FETCHADD_32 FETCHADD_64 ...: bits of NVML_PCIE_ATOMICS_CAP_*.
void atomics(const Context& context) {
  constexpr std::array<std::string_view, 7> names{"FETCHADD_32", "FETCHADD_64", "SWAP_32", "SWAP_64",
                                                  "CAS_32",      "CAS_64",      "CAS_128"};
  for (const auto& [way, key] : {std::pair{"outbound", "Outbound"}, std::pair{"inbound", "Inbound"}}) {
    const auto* leaf =
        context.sheet.find(fmt::format("pci/atomic_caps_{}", way), fmt::format("PCI/Atomic Caps {}", key));
    if (leaf == nullptr) continue;
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (fmt::format(" {} ", leaf->value).find(fmt::format(" {} ", names[i])) != std::string::npos) mask |= 1U << i;
    }
    const auto field = fmt::format("pci.atomics_{}", way);
    context.state(field, answer_of(leaf->value).empty() ? std::to_string(mask) : std::string("null"), leaf);
  }
}

}  // namespace

void read_composites(Evidence& evidence, const capture::Capture& capture, std::span<const capture::Leaf* const> leaves,
                     Subject& subject, std::size_t source) {
  const Sheet sheet(capture, leaves);
  const Context context{evidence, capture, sheet, subject, source};
  frame_buffer(context);
  bar1(context);
  fans(context);
  supported_clocks(context);
  processes(context);
  retired_pages(context);
  atomics(context);
}

}  // namespace nvmlab::importer
