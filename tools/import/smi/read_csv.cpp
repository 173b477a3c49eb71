// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi --query-gpu=... --format=csv (with or without nounits). A column prints what `nvidia-smi -q` prints under
// another name, so a row becomes the log that would have printed it, and everything that reads logs reads it.
// Tests: tests/unit/import/session_test.cpp.
#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/csv_columns.hpp"
#include "import/smi/read_log.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

// Columns that no log shows so.
constexpr std::string_view kComputeCapability = "compute_cap";
struct Mask {
  std::string_view name;
  std::string_view field;
};
constexpr Mask kMasks[] = {
    {"clocks_event_reasons.active", "clocks.event_reasons"},
    {"clocks_event_reasons.supported", "clocks.event_reasons_supported"},
    {"clocks_throttle_reasons.active", "clocks.event_reasons"},
    {"clocks_throttle_reasons.supported", "clocks.event_reasons_supported"},
};

// The field that a column says by itself; empty where it says none, or nothing that can be read.
std::string_view read_direct(SectionReader& reader, std::size_t gpu, std::string_view name, std::string_view printed,
                             std::size_t line) {
  for (const auto& [mask, field] : kMasks) {
    const Rule rule{{}, {}, field, PrintedForm::hex, {}, 1};
    const auto read = name == mask ? read_printed(rule, printed, {}) : Reading{};
    if (read.kind != Reading::Kind::value) continue;
    reader.observe(gpu, field, read.literal, line);
    return field;
  }
  if (name != kComputeCapability) return {};
  const auto dot = printed.find('.');
  const auto major = whole_number(printed.substr(0, dot));
  const auto minor = dot == std::string_view::npos ? std::nullopt : whole_number(printed.substr(dot + 1));
  if (!major || !minor) return {};
  reader.observe(gpu, "identity.compute_capability_major", *major, line);
  reader.observe(gpu, "identity.compute_capability_minor", *minor, line);
  return "identity.compute_capability_major";
}

bool starts_csv(std::string_view line) {
  if (line.find(", ") == std::string_view::npos) return false;
  const auto first = csv_column_name(line.substr(0, line.find(',')));
  if (find_csv_column(first) == nullptr && first != kComputeCapability) return false;
  std::size_t known = 0;
  for (const auto cell : csv_cells(line)) {
    const auto name = csv_column_name(cell);
    if (name == "pid") return false;  // a list of processes (read_csv_lists.cpp)
    if (name.starts_with("retired_pages.cause")) return false;
    known += find_csv_column(name) != nullptr ? 1 : 0;
  }
  return known >= 2;
}

bool continues_csv(std::string_view line) {
  const auto said = trimmed(line);
  return !said.empty() && !said.starts_with('#');
}

void read_csv(SectionReader& reader) {
  const auto lines = reader.section().lines();
  const auto heading = csv_cells(lines.front().text);
  const auto made = std::make_shared<capture::Capture>();
  capture::Capture& log = *made;
  log.name = reader.file();
  log.format = capture::Format::text;
  std::vector<std::size_t> gpus;
  std::vector<std::pair<std::size_t, std::string_view>> direct;  // leaves that are no part of a log, and their fields
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto& line = lines[i];
    const auto cells = csv_cells(line.text);
    if (cells.size() != heading.size()) {
      return reader.wrong(line.number,
                          fmt::format("the row has {} values; its heading names {}", cells.size(), heading.size()));
    }
    SectionReader::GpuName name{i - 1, {}, {}};
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const auto* column = find_csv_column(csv_column_name(heading[k]));
      if (column == nullptr) continue;
      if (column->path == "@id") name.address = pci_address(cells[k]);
      if (column->path == "GPU UUID" && is_unit_uuid(cells[k])) name.uuid = cells[k];
      if (column->name == "index") name.index = whole_number(cells[k]);
    }
    const auto gpu = reader.gpu(name, line.number);
    if (!gpu || std::ranges::find(gpus, *gpu) != gpus.end()) continue;  // with -l, rows go on: the first one counts
    const auto number = static_cast<int>(log.gpus.size());
    log.gpus.push_back(reader.evidence().gpus[*gpu].address);
    gpus.push_back(*gpu);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const auto name_of_column = csv_column_name(heading[k]);
      const auto* column = find_csv_column(name_of_column);
      const auto path = column == nullptr || column->path.empty() ? name_of_column : column->path;
      if (const auto field = read_direct(reader, *gpu, name_of_column, cells[k], line.number); !field.empty())
        direct.emplace_back(log.leaves.size(), field);
      log.leaves.push_back({column != nullptr && column->of_node ? capture::node : number, std::string(path),
                            std::string(cells[k]), line.number,
                            static_cast<std::size_t>(cells[k].data() - line.text.data()) + 1});
    }
  }
  std::vector<Subject*> subjects;
  for (const auto gpu : gpus)
    subjects.push_back(&reader.evidence().gpus[gpu]);
  ReadLog& read = read_log(reader.evidence(), made, subjects, reader.source());
  for (const auto& [leaf, field] : direct)
    read.carry(read.log().leaves[leaf], field);
}

}  // namespace

constinit const ForeignFormat kCsvFormat{.name = "nvidia-smi --query-gpu",
                                         .recognises = starts_csv,
                                         .read = read_section<read_csv>,
                                         .continues = continues_csv,
                                         .momentary = true};

}  // namespace nvmlab::importer
