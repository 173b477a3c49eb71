// SPDX-License-Identifier: Apache-2.0
//
// What no single leaf tells: memory (whose parts are printed rounded), fans, sessions, lists of clocks.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "engine/state/generated/state.hpp"
#include "import/smi/gpu_log.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

using compiler::LiteralList;
using compiler::LiteralRecord;

// What is printed in place of a number.
void observe_error(const GpuLog& log, std::string_view field, const capture::Leaf* leaf) {
  if (leaf == nullptr) return;
  if (const auto error = error_name_of(leaf->value); !error.empty()) log.observe(field, error_code(error), leaf);
}

// Whether it is known already, and this is the same but for rounding.
bool within_rounding(const Subject& gpu, std::uint64_t reserved) {
  const FieldValue* value = gpu.value("memory.reserved_bytes");
  const auto known = value == nullptr ? std::nullopt : value->number();
  return known && (*known > reserved ? *known - reserved : reserved - *known) <= kBytesPerMiB;
}

// A part of a memory that is more than the whole cannot be.
bool fits(const GpuLog& log, const capture::Leaf* part, std::uint64_t most) {
  const auto value = number_of(part, "MiB");
  if (!value || *value <= most) return true;
  log.reading.leave_noted(*part, fmt::format("{} is {}, more than is there", part->path, part->value));
  return false;
}

// Total, reserved, used and free are printed in MiB, rounded up or down: their sum gives away which, and the true
// numbers are taken from the middle of what that leaves open. Then this driver's nvidia-smi prints the same again.
void frame_buffer(const GpuLog& log) {
  const auto leaf = [&](std::string_view xml, std::string_view text) {
    return log.index.find(fmt::format("fb_memory_usage/{}", xml), fmt::format("FB Memory Usage/{}", text));
  };
  const auto* used_leaf = leaf("used", "Used");
  const auto* reserved_leaf = leaf("reserved", "Reserved");
  const auto* free_leaf = leaf("free", "Free");
  const auto total = number_of(leaf("total", "Total"), "MiB");
  const auto used = number_of(used_leaf, "MiB");
  const auto free = number_of(free_leaf, "MiB");
  const auto reserved = number_of(reserved_leaf, "MiB");
  observe_error(log, "memory.used_bytes", used_leaf);
  observe_error(log, "memory.reserved_bytes", reserved_leaf);
  if (free_leaf != nullptr && !error_name_of(free_leaf->value).empty()) log.carry(free_leaf, "memory.used_bytes");
  constexpr std::uint64_t kMostMiB = std::uint64_t{1} << 40;
  if (!used || *used > kMostMiB || reserved.value_or(0) > kMostMiB || free.value_or(0) > kMostMiB) return;
  if (!fits(log, used_leaf, total.value_or(kMostMiB))) return;
  const bool room = fits(log, reserved_leaf, total.value_or(kMostMiB) - *used);
  std::uint64_t used_bytes = *used * kBytesPerMiB;
  std::uint64_t reserved_bytes = reserved.value_or(0) * kBytesPerMiB;
  std::size_t source = log.reading.source;
  if (total && free && reserved && *total <= kMostMiB) {
    const auto excess = static_cast<std::int64_t>(*used + *free + *reserved) - static_cast<std::int64_t>(*total);
    if (excess == 1 && *reserved > 0) reserved_bytes -= kBytesPerMiB / 2;
    if (excess == 2 && *reserved > 0 && *used > 0) {
      reserved_bytes -= kBytesPerMiB * 3 / 4;
      used_bytes -= kBytesPerMiB * 3 / 4;
    }
    if (excess == -1) reserved_bytes += kBytesPerMiB / 2;
    if (excess == -2) {
      reserved_bytes += kBytesPerMiB * 3 / 4;
      used_bytes += kBytesPerMiB * 3 / 4;
    }
    if (excess != 0) {
      source = log.reading.evidence.add_note("rounded", source, "in the middle of what its rounding leaves open");
    }
  }
  const auto observe = [&](std::string_view field, std::uint64_t bytes, const capture::Leaf& printed) {
    log.reading.observe(log.subject, field, bytes, printed, {source, place_of(log.capture(), printed)});
  };
  observe("memory.used_bytes", used_bytes, *used_leaf);
  if (reserved && room && !within_rounding(log.subject, reserved_bytes))
    observe("memory.reserved_bytes", reserved_bytes, *reserved_leaf);
  if (reserved && room) log.carry(reserved_leaf, "memory.reserved_bytes");
  // What is free is what is left: where that is what was printed, the others carry it.
  if (free && total && room) {
    const auto left = static_cast<std::int64_t>(*total) - static_cast<std::int64_t>(*used + reserved.value_or(0));
    const auto apart = static_cast<std::int64_t>(*free) - left;
    if (apart >= -2 && apart <= 2) log.carry(free_leaf, "memory.used_bytes");
  }
}

void bar1(const GpuLog& log) {
  const auto leaf = [&](std::string_view xml, std::string_view text) {
    return log.index.find(fmt::format("bar1_memory_usage/{}", xml), fmt::format("BAR1 Memory Usage/{}", text));
  };
  const auto* used_leaf = leaf("used", "Used");
  const auto* free_leaf = leaf("free", "Free");
  const auto used = number_of(used_leaf, "MiB", kBytesPerMiB);
  const auto free = number_of(free_leaf, "MiB", kBytesPerMiB);
  const auto total = number_of(leaf("total", "Total"), "MiB", kBytesPerMiB);
  observe_error(log, "memory.bar1_used_bytes", used_leaf);
  if (free_leaf != nullptr && !error_name_of(free_leaf->value).empty()) log.carry(free_leaf, "memory.bar1_used_bytes");
  if (!used || !total || !fits(log, used_leaf, *total / kBytesPerMiB)) return;
  log.observe("memory.bar1_used_bytes", *used, used_leaf);
  if (free && *free + *used == *total) log.carry(free_leaf, "memory.bar1_used_bytes");
}

void fans(const GpuLog& log) {
  const auto* leaf = log.index.find("fan_speed", "Fan Speed");
  if (leaf == nullptr) return;
  LiteralList fans;
  const auto speed = number_of(leaf, "%");
  const auto error = error_name_of(leaf->value);
  if (!speed && error.empty())
    return log.reading.leave_noted(*leaf, fmt::format("{} {} is not understood", leaf->path, in_quotes(leaf->value)));
  if (!speed && error != "NOT_SUPPORTED") fans.emplace_back(LiteralRecord{{"speed_percent", error_code(error)}});
  std::size_t source = log.reading.source;
  if (speed) {
    fans.emplace_back(
        LiteralRecord{{"speed_percent", *speed}, {"target_percent", std::min<std::uint64_t>(*speed, 100)}});
    source = log.reading.evidence.add_note("fan", source, "the speed that is asked for is taken to be the printed one");
  }
  log.reading.observe(log.subject, "thermal.fans", fans, *leaf, {source, place_of(log.capture(), *leaf)});
}

// How many sessions there are; of what they are, nothing is printed.
void sessions(const GpuLog& log) {
  struct Sessions {
    std::string_view xml;
    std::string_view text;
    std::string_view field;
    std::uint64_t room;
  };
  constexpr std::array kinds{
      Sessions{"encoder_stats/session_count", "Encoder Stats/Active Sessions", "utilization.encoder_sessions",
               decltype(Utilization::encoder_sessions)::capacity},
      Sessions{"fbc_stats/session_count", "FBC Stats/Active Sessions", "utilization.fbc_sessions",
               decltype(Utilization::fbc_sessions)::capacity},
  };
  for (const auto& kind : kinds) {
    const auto* leaf = log.index.find(kind.xml, kind.text);
    if (leaf == nullptr) continue;
    const auto count = number_of(leaf, "");
    if (!count) {
      if (!error_name_of(leaf->value).empty()) log.observe(kind.field, LiteralList(), leaf);
      continue;
    }
    if (*count > kind.room) {
      log.reading.leave_noted(*leaf, fmt::format("{} is {}; at most {} sessions are simulated", leaf->path,
                                                 in_quotes(leaf->value), kind.room));
      continue;
    }
    log.observe(kind.field, LiteralList(*count, LiteralRecord()), leaf);
  }
}

void supported_clocks(const GpuLog& log) {
  const bool xml = log.xml();
  const std::string_view list = xml ? "supported_clocks/supported_mem_clock[" : "Supported Clocks/Memory[";
  const capture::Leaf* first = nullptr;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>> pairs;
  for (const auto* leaf : log.index.leaves()) {
    if (!std::string_view(leaf->path).starts_with(list)) continue;
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
  for (const auto* leaf : log.index.leaves()) {
    if (!std::string_view(leaf->path).starts_with(list)) continue;
    if (number_of(leaf, "MHz")) {
      log.carry(leaf, "clocks.supported");
    } else {
      log.reading.fates.leave(*leaf, "it is no clock: this nvidia-smi had no room for all of them");
    }
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
    const auto error = error_name_of(leaf->value);
    log.observe(fmt::format("pci.atomics_{}", way), error.empty() ? compiler::Literal(mask) : error_code(error), leaf);
  }
}

}  // namespace

void read_composites(const LogReading& reading, std::span<const capture::Leaf* const> leaves, Subject& subject) {
  const GpuLog log{reading, LeafIndex(reading.capture, leaves), subject};
  frame_buffer(log);
  bar1(log);
  fans(log);
  sessions(log);
  supported_clocks(log);
  read_processes(log);
  read_retired_pages(log);
  atomics(log);
}

}  // namespace nvmlab::importer
