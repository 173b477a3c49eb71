// SPDX-License-Identifier: Apache-2.0
//
// One GPU of a log of nvidia-smi, for what takes more than one leaf (composites.cpp, processes.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "import/formats/section_reader.hpp"
#include "import/smi/read_log.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {

inline constexpr std::uint64_t kBytesPerMiB = 1 << 20;

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

inline std::optional<std::uint64_t> number_of(const capture::Leaf* leaf, std::string_view unit,
                                              std::uint64_t factor = 1) {
  return leaf == nullptr ? std::nullopt : read_number(leaf->value, unit, factor);
}

// One GPU in a log: where what is read of it is from, and where it goes.
struct GpuLog {
  const LogReading& reading;
  LeafIndex index;
  Subject& subject;

  const capture::Capture& capture() const { return reading.capture; }
  bool xml() const { return capture().format == capture::Format::xml; }
  void observe(std::string_view field, const compiler::Literal& value, const capture::Leaf* leaf) const {
    reading.observe(subject, field, value, *leaf);
  }
  // A leaf that has a part in what was observed of the field from another one.
  void carry(const capture::Leaf* leaf, std::string_view field) const {
    if (leaf != nullptr && subject.find(field) != nullptr) reading.fates.carry(*leaf, field);
  }
};

// The kinds of processes that nvidia-smi joins with '+': "C+G".
unsigned kinds_of(std::string_view printed);
// As much of a process's name as the state holds and YAML can say: nvidia-smi copies what it calls itself.
std::string fitting(std::string_view name);
// What runs, and what accounting says of it and of what has ended (processes.cpp).
void read_processes(const GpuLog& log);
// Pages that were retired, by their addresses where they are printed (retired_pages.cpp).
void read_retired_pages(const GpuLog& log);

}  // namespace nvmlab::importer
