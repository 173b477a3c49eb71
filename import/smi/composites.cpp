// SPDX-License-Identifier: Apache-2.0
//
// What no single leaf tells: memory (whose parts are printed rounded), fans, lists of clocks and pages.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "import/smi/gpu_log.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

using compiler::LiteralList;
using compiler::LiteralRecord;

// Whether it is known already, and this is the same but for rounding.
bool within_rounding(const Subject& gpu, std::uint64_t reserved) {
  const FieldValue* value = gpu.value("memory.reserved_bytes");
  const auto known = value == nullptr ? std::nullopt : value->number();
  return known && (*known > reserved ? *known - reserved : reserved - *known) <= kBytesPerMiB;
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
  std::uint64_t used_bytes = *used * kBytesPerMiB;
  std::uint64_t reserved_bytes = reserved.value_or(0) * kBytesPerMiB;
  std::size_t source = log.source;
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
  const auto used = number_of(leaf, "MiB", kBytesPerMiB);
  const auto total =
      number_of(log.index.find("bar1_memory_usage/total", "BAR1 Memory Usage/Total"), "MiB", kBytesPerMiB);
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

void supported_clocks(const GpuLog& log) {
  const bool xml = log.capture.format == capture::Format::xml;
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
  read_processes(log);
  retired_pages(log);
  atomics(log);
}

}  // namespace nvmlab::importer
