// SPDX-License-Identifier: Apache-2.0
//
// What no single leaf tells: memory (whose parts are printed rounded), fans, lists of clocks, processes and pages.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "compiler/texts.hpp"
#include "engine/topics/generated/state.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/read_log.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

using compiler::LiteralList;
using compiler::LiteralRecord;

constexpr std::uint64_t kMiB = 1 << 20;

// The leaves of one GPU of one capture, by either of their names.
class LeafIndex {
 public:
  LeafIndex(const capture::Capture& capture, std::span<const capture::Leaf* const> leaves)
      : capture_(capture), leaves_(leaves) {}

  const capture::Leaf* find(std::string_view xml, std::string_view text) const {
    const auto path = capture_.format == capture::Format::xml ? xml : text;
    const auto found = std::ranges::find(leaves_, path, [](const auto* leaf) { return std::string_view(leaf->path); });
    return found == leaves_.end() ? nullptr : *found;
  }
  std::span<const capture::Leaf* const> leaves() const { return leaves_; }

 private:
  const capture::Capture& capture_;
  std::span<const capture::Leaf* const> leaves_;
};

std::optional<std::uint64_t> number_of(const capture::Leaf* leaf, std::string_view unit, std::uint64_t factor = 1) {
  return leaf == nullptr ? std::nullopt : read_number(leaf->value, unit, factor);
}

struct GpuLog {
  Evidence& evidence;
  const capture::Capture& capture;
  LeafIndex index;
  Subject& subject;
  std::size_t source = 0;

  void observe(std::string_view field, const compiler::Literal& value, const capture::Leaf* leaf) const {
    evidence.observe(subject, field, value, {source, place_of(capture, *leaf)});
  }
};

// Whether it is known already, and this is the same but for rounding.
bool within_rounding(const Subject& gpu, std::uint64_t reserved) {
  const FieldValue* value = gpu.value("memory.reserved_bytes");
  const auto known = value == nullptr ? std::nullopt : value->number();
  return known && (*known > reserved ? *known - reserved : reserved - *known) <= kMiB;
}

// Total, reserved, used and free are printed in MiB, rounded up or down: their sum gives away which, and the true
// numbers are taken from the middle of what that leaves open. Then this driver's nvidia-smi prints the same again.
void frame_buffer(const GpuLog& log) {
  const auto leaf = [&](std::string_view xml, std::string_view text) {
    return log.index.find(fmt::format("fb_memory_usage/{}", xml), fmt::format("FB Memory Usage/{}", text));
  };
  const auto* used_leaf = leaf("used", "Used");
  const auto* reserved_leaf = leaf("reserved", "Reserved");
  const auto total = number_of(leaf("total", "Total"), "MiB");
  const auto used = number_of(used_leaf, "MiB");
  const auto free = number_of(leaf("free", "Free"), "MiB");
  const auto reserved = number_of(reserved_leaf, "MiB");
  constexpr std::uint64_t kMostMiB = std::uint64_t{1} << 40;
  if (!used || *used > kMostMiB || reserved.value_or(0) > kMostMiB || free.value_or(0) > kMostMiB) return;
  std::uint64_t used_bytes = *used * kMiB;
  std::uint64_t reserved_bytes = reserved.value_or(0) * kMiB;
  std::size_t source = log.source;
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
      source = log.evidence.add_note("rounded", source, "in the middle of what its rounding leaves open");
    }
  }
  log.evidence.observe(log.subject, "memory.used_bytes", used_bytes, {source, place_of(log.capture, *used_leaf)});
  if (reserved && !within_rounding(log.subject, reserved_bytes)) {
    log.evidence.observe(log.subject, "memory.reserved_bytes", reserved_bytes,
                         {source, place_of(log.capture, *reserved_leaf)});
  }
}

void bar1(const GpuLog& log) {
  const auto* leaf = log.index.find("bar1_memory_usage/used", "BAR1 Memory Usage/Used");
  const auto used = number_of(leaf, "MiB", kMiB);
  const auto total = number_of(log.index.find("bar1_memory_usage/total", "BAR1 Memory Usage/Total"), "MiB", kMiB);
  if (used && total && *used <= *total) log.observe("memory.bar1_used_bytes", *used, leaf);
  if (leaf != nullptr && error_name_of(leaf->value) == "NOT_SUPPORTED") log.observe("memory.bar1_used_bytes", {}, leaf);
}

void fans(const GpuLog& log) {
  const auto* leaf = log.index.find("fan_speed", "Fan Speed");
  if (leaf == nullptr) return;
  LiteralList fans;
  if (const auto speed = number_of(leaf, "%")) {
    const auto percent = std::min<std::uint64_t>(*speed, 100);
    fans.emplace_back(LiteralRecord{{"speed_percent", percent}, {"target_percent", percent}});
  }
  log.observe("thermal.fans", fans, leaf);
}

bool sits_in(std::string_view path, std::string_view list) { return path.starts_with(list); }

void supported_clocks(const GpuLog& log) {
  const bool xml = log.capture.format == capture::Format::xml;
  const std::string_view list = xml ? "supported_clocks/supported_mem_clock[" : "Supported Clocks/Memory[";
  const capture::Leaf* first = nullptr;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>> pairs;
  for (const auto* leaf : log.index.leaves()) {
    if (!sits_in(leaf->path, list)) continue;
    if (first == nullptr) first = leaf;
    const auto clock = number_of(leaf, "MHz");
    if (!clock) continue;
    const bool memory = leaf->path.ends_with(xml ? "]/value" : " MHz]");
    if (memory)
      pairs.emplace_back(*clock, std::vector<std::uint64_t>());
    else if (!pairs.empty())
      pairs.back().second.push_back(*clock);
  }
  if (const auto* none = log.index.find("supported_clocks", "Supported Clocks"); none != nullptr && pairs.empty())
    return log.observe("clocks.supported", LiteralList(), none);
  if (first == nullptr) return;
  LiteralList rows;
  for (const auto& [memory, graphics] : pairs)
    rows.emplace_back(LiteralRecord{{"memory_mhz", memory}, {"graphics_mhz", graphics}});
  log.observe("clocks.supported", rows, first);
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

struct ListedProcess {
  std::string pid;
  std::string type;
  std::string name;
  const capture::Leaf* memory = nullptr;
};

bool is_pid(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// What accounting says of one process.
struct AccountedProcess {
  const capture::Leaf* pid = nullptr;
  std::map<std::string_view, const capture::Leaf*> parts;  // by the end of the path
  bool running = false;
};

std::vector<AccountedProcess> accounted_processes(const GpuLog& log) {
  const bool xml = log.capture.format == capture::Format::xml;
  const std::string_view list = xml ? "accounted_processes/accounted_process_info[" : "Accounted Processes/Process ID[";
  std::vector<AccountedProcess> found;
  std::string_view last;
  for (const auto* leaf : log.index.leaves()) {
    const std::string_view path = leaf->path;
    const auto close = path.find(']', list.size());
    if (!sits_in(path, list) || close == std::string_view::npos) continue;
    if (const auto index = path.substr(0, close); index != last) {
      last = index;
      found.emplace_back();
    }
    AccountedProcess& process = found.back();
    const auto part = path.substr(close + 1);
    if (part == "/pid" || part.empty()) process.pid = leaf;
    if (part == "/is_running" || part == "/Is Running") process.running = leaf->value == "1";
    process.parts[part] = leaf;
  }
  std::erase_if(found,
                [](const AccountedProcess& process) { return process.pid == nullptr || !is_pid(process.pid->value); });
  return found;
}

std::optional<std::uint64_t> part_of(const AccountedProcess& process, std::string_view xml, std::string_view text,
                                     std::string_view unit, std::uint64_t factor = 1) {
  for (const auto name : {xml, text}) {
    if (const auto found = process.parts.find(name); found != process.parts.end())
      return number_of(found->second, unit, factor);
  }
  return std::nullopt;
}

void add_shares(LiteralRecord& row, const AccountedProcess& process, std::string_view gpu_field) {
  if (const auto percent = part_of(process, "/gpu_util", "/GPU Utilization", "%")) row.emplace(gpu_field, *percent);
  if (const auto percent = part_of(process, "/memory_util", "/Memory Utilization", "%"))
    row.emplace("memory_percent", *percent);
}

// Where it is more than what is held now.
void add_peak(LiteralRecord& row, const AccountedProcess& process, std::optional<std::uint64_t> held = std::nullopt) {
  const auto most = part_of(process, "/max_memory_usage", "/Max Memory Usage", "MiB", kMiB);
  if (most && most != held) row.emplace("peak_bytes", *most);
}

// A process id that no number holds is refused as one that is out of range.
std::uint64_t pid_of(std::string_view text) { return whole_number(text).value_or(~std::uint64_t{0}); }

// Those that have ended; those that run are listed as such too.
void ended(const GpuLog& log, std::span<const AccountedProcess> accounted) {
  LiteralList rows;
  for (const AccountedProcess& process : accounted) {
    if (process.running) continue;
    LiteralRecord row{{"pid", pid_of(process.pid->value)}};
    add_shares(row, process, "gpu_percent");
    add_peak(row, process);
    if (const auto time = part_of(process, "/time", "/Time", "ms")) row.emplace("time_ms", *time);
    rows.emplace_back(std::move(row));
  }
  constexpr std::size_t room = decltype(Accounting::ended)::capacity;
  if (rows.size() > room) {
    log.evidence.notes.push_back(fmt::format("{}:{}: more than {} accounted processes; the oldest are left out",
                                             log.capture.name, accounted.front().pid->line, room));
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(room));
  }
  if (!rows.empty()) log.observe("accounting.ended", rows, accounted.front().pid);
}

void processes(const GpuLog& log) {
  const auto accounted = accounted_processes(log);
  ended(log, accounted);
  const bool xml = log.capture.format == capture::Format::xml;
  const std::string_view list = xml ? "processes/process_info[" : "Processes/Process ID[";
  std::vector<std::pair<std::string, ListedProcess>> found;  // by its index in the path
  const capture::Leaf* first = nullptr;
  for (const auto* leaf : log.index.leaves()) {
    if (!sits_in(leaf->path, list)) continue;
    if (first == nullptr) first = leaf;
    const auto close = leaf->path.find(']', list.size());
    if (close == std::string::npos) continue;
    const std::string index = leaf->path.substr(list.size(), close - list.size());
    if (found.empty() || found.back().first != index) found.emplace_back(index, ListedProcess{});
    ListedProcess& process = found.back().second;
    const auto part = std::string_view(leaf->path).substr(close + 1);
    if (part == "/pid" || part.empty()) process.pid = leaf->value;
    if (part == "/type" || part == "/Type") process.type = leaf->value;
    if (part == "/process_name" || part == "/Name") process.name = leaf->value;
    if (part == "/used_memory" || part == "/Used GPU Memory") process.memory = leaf;
  }
  if (first == nullptr) {
    const auto* none = log.index.find("processes", "Processes");
    if (none != nullptr) log.observe("processes.running", LiteralList(), none);
    return;
  }
  constexpr std::size_t kRoom = 32;
  LiteralList rows;
  for (const auto& [index, process] : found) {
    if (rows.size() == kRoom) {
      log.evidence.notes.push_back(
          fmt::format("{}:{}: more than {} processes; the rest is left out", log.capture.name, first->line, kRoom));
      break;
    }
    if (!is_pid(process.pid)) continue;
    LiteralRecord row{{"pid", pid_of(process.pid)}, {"kinds", kinds_of(process.type)}, {"name", fitting(process.name)}};
    const auto used = number_of(process.memory, "MiB", kMiB);
    if (used) row.emplace("used_bytes", *used);
    const auto use = std::ranges::find_if(
        accounted, [&](const AccountedProcess& other) { return other.running && other.pid->value == process.pid; });
    if (use != accounted.end()) {
      add_shares(row, *use, "sm_percent");
      add_peak(row, *use, used);
    }
    rows.emplace_back(std::move(row));
  }
  log.observe("processes.running", rows, first);
}

// How many pages, not which: the list of addresses is seldom printed.
void retired_pages(const GpuLog& log) {
  struct Cause {
    std::string_view xml;
    std::string_view text;
    std::string_view field;
  };
  constexpr std::array causes{
      Cause{"multiple_single_bit_retirement", "Single Bit ECC", "single_bit"},
      Cause{"double_bit_retirement", "Double Bit ECC", "double_bit"},
  };
  const auto* pending = log.index.find("retired_pages/pending_retirement", "Retired Pages/Pending Page Blacklist");
  for (const auto& [xml, text, field] : causes) {
    const auto* leaf =
        log.index.find(fmt::format("retired_pages/{}/retired_count", xml), fmt::format("Retired Pages/{}", text));
    const auto count = number_of(leaf, "");
    if (!count) continue;
    constexpr std::uint64_t kRoom = 64;
    LiteralList pages;
    for (std::uint64_t i = 0; i < std::min(*count, kRoom); ++i)
      pages.emplace_back(LiteralRecord{{"address", (i + 1) << 16}, {"retired_us", 0}});
    log.observe(fmt::format("ecc.retired_{}", field), pages, leaf);
    if (pending != nullptr && pending->value == "No")
      log.observe(fmt::format("ecc.retirement_pending_{}", field), false, pending);
  }
}

// FETCHADD_32 FETCHADD_64 ...: bits of NVML_PCIE_ATOMICS_CAP_*.
void atomics(const GpuLog& log) {
  constexpr std::array<std::string_view, 7> names{"FETCHADD_32", "FETCHADD_64", "SWAP_32", "SWAP_64",
                                                  "CAS_32",      "CAS_64",      "CAS_128"};
  for (const auto& [way, key] : {std::pair{"outbound", "Outbound"}, std::pair{"inbound", "Inbound"}}) {
    const auto* leaf = log.index.find(fmt::format("pci/atomic_caps_{}", way), fmt::format("PCI/Atomic Caps {}", key));
    if (leaf == nullptr) continue;
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (fmt::format(" {} ", leaf->value).find(fmt::format(" {} ", names[i])) != std::string::npos) mask |= 1U << i;
    }
    const auto field = fmt::format("pci.atomics_{}", way);
    log.observe(field, error_name_of(leaf->value).empty() ? compiler::Literal(mask) : compiler::Literal(), leaf);
  }
}

}  // namespace

void read_composites(Evidence& evidence, const capture::Capture& capture, std::span<const capture::Leaf* const> leaves,
                     Subject& subject, std::size_t source) {
  const GpuLog log{evidence, capture, LeafIndex(capture, leaves), subject, source};
  frame_buffer(log);
  bar1(log);
  fans(log);
  supported_clocks(log);
  processes(log);
  retired_pages(log);
  atomics(log);
}

}  // namespace nvmlab::importer
