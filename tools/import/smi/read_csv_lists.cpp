// SPDX-License-Identifier: Apache-2.0
//
// Lists that nvidia-smi prints as CSV, with a row for each thing and the GPU that it belongs to:
// --query-accounted-apps,
// --query-compute-apps and --query-retired-pages. A log shows less of them. Tests: tests/unit/import/leaves_test.cpp.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/texts.hpp"
#include "engine/state/generated/state.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/csv_columns.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

using compiler::LiteralList;
using compiler::LiteralRecord;

constexpr std::uint64_t kMebibyte = 1 << 20;

// A number of a row: where it goes.
struct ListedNumber {
  std::string_view column;
  std::string_view member;
  std::string_view unit;
  std::uint64_t factor = 1;
};

constexpr ListedNumber kAccounted[] = {
    {"pid", "pid", ""},
    {"gpu_utilization", "gpu_percent", "%"},
    {"gpu_util", "gpu_percent", "%"},
    {"mem_utilization", "memory_percent", "%"},
    {"mem_util", "memory_percent", "%"},
    {"max_memory_usage", "peak_bytes", "MiB", kMebibyte},
    {"time", "time_ms", "ms"},
};
constexpr ListedNumber kComputing[] = {
    {"pid", "pid", ""},
    {"used_gpu_memory", "used_bytes", "MiB", kMebibyte},
    {"used_memory", "used_bytes", "MiB", kMebibyte},
};

enum class ListKind : unsigned char { accounted, computing, retired };

std::optional<ListKind> kind_of(const std::vector<std::string_view>& names) {
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (has("retired_pages.address")) return ListKind::retired;
  if (!has("pid")) return std::nullopt;
  return has("max_memory_usage") || has("time") ? ListKind::accounted : ListKind::computing;
}

std::vector<std::string_view> names_in(std::string_view line) {
  std::vector<std::string_view> names;
  for (const auto cell : csv_cells(line))
    names.push_back(csv_column_name(cell));
  return names;
}

class CsvListReader {
 public:
  explicit CsvListReader(SectionReader& reader)
      : reader_(reader),
        lines_(reader.section().lines()),
        names_(names_in(lines_.front().text)),
        kind_(*kind_of(names_)) {
    log_->name = reader.file();
    log_->format = capture::Format::text;
  }

  void run() {
    for (std::size_t i = 1; i < lines_.size(); ++i)
      row(lines_[i]);
    ReadLog& fates = reader_.evidence().ledger.logs.emplace_back(log_, gpus_of_log());
    for (auto& [gpu, lists] : lists_) {
      for (auto& [field, rows] : lists)
        observe(gpu, field, rows);
    }
    for (const auto& [leaf, fate] : leaves_) {
      if (fate.field.empty() || reader_.evidence().gpus[fate.gpu].find(fate.field) == nullptr) {
        fates.leave(fates.log().leaves[leaf], fate.field.empty() ? std::string() : "no list holds it");
      } else {
        fates.carry(fates.log().leaves[leaf], fate.field);
      }
    }
  }

 private:
  struct CellFate {
    std::size_t gpu = 0;
    std::string field;
  };

  void row(const Line& line) {
    auto cells = csv_cells(line.text);
    join_name(cells, line.text);
    if (cells.size() != names_.size()) {
      return reader_.note(line.number, fmt::format("the row has {} values, and its heading names {}; it is left out",
                                                   cells.size(), names_.size()));
    }
    const auto gpu = gpu_of(cells, line.number);
    if (!gpu) return;
    LiteralRecord record;
    const std::string field = read(cells, record);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      leaves_.emplace_back(log_->leaves.size(), CellFate{*gpu, is_read(names_[i]) ? field : std::string()});
      log_->leaves.push_back({log_index(*gpu), std::string(names_[i]), std::string(cells[i]), line.number,
                              static_cast<std::size_t>(cells[i].data() - line.text.data()) + 1});
    }
    if (field.empty()) return;
    auto& list = lists_[*gpu][field];
    if (list.rows.empty()) list.line = line.number;
    list.rows.emplace_back(std::move(record));
  }

  // A command line may hold commas.
  void join_name(std::vector<std::string_view>& cells, std::string_view line) const {
    const auto name = std::ranges::find_if(
        names_, [](std::string_view column) { return column == "process_name" || column == "name"; });
    if (name == names_.end() || cells.size() <= names_.size()) return;
    const auto at = static_cast<std::size_t>(name - names_.begin());
    const auto more = cells.size() - names_.size();
    const auto begin = static_cast<std::size_t>(cells[at].data() - line.data());
    const auto end = static_cast<std::size_t>(cells[at + more].data() + cells[at + more].size() - line.data());
    cells[at] = line.substr(begin, end - begin);
    cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                cells.begin() + static_cast<std::ptrdiff_t>(at + more) + 1);
  }

  std::optional<std::size_t> gpu_of(const std::vector<std::string_view>& cells, std::size_t line) {
    SectionReader::GpuName name;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (names_[i] == "gpu_uuid" && is_unit_uuid(cells[i])) name.uuid = cells[i];
      if (names_[i] == "gpu_bus_id") name.address = pci_address(cells[i]);
    }
    if (!name.uuid.empty() || !name.address.empty()) return reader_.gpu(name, line);
    if (reader_.evidence().gpus.size() == 1) return 0;
    reader_.note(line, "the row does not say to which GPU it belongs, and is left out");
    return std::nullopt;
  }

  bool is_read(std::string_view column) const {
    const auto among = [&](auto& numbers) {
      return std::ranges::any_of(numbers, [&](const ListedNumber& number) { return number.column == column; });
    };
    if (column == "gpu_uuid" || column == "gpu_bus_id") return true;
    if (kind_ == ListKind::accounted) return among(kAccounted);
    if (kind_ == ListKind::retired) return column == "retired_pages.address" || column == "retired_pages.cause";
    return among(kComputing) || column == "process_name" || column == "name";
  }

  // The list that the row belongs to, and its record; empty where it is none.
  std::string read(const std::vector<std::string_view>& cells, LiteralRecord& record) const {
    const auto numbers = [&](auto& rules) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        for (const ListedNumber& rule : rules) {
          const auto value = names_[i] == rule.column ? read_number(cells[i], rule.unit, rule.factor) : std::nullopt;
          if (value) record.emplace(rule.member, *value);
        }
      }
      return record.contains("pid");
    };
    if (kind_ == ListKind::accounted) return numbers(kAccounted) ? "accounting.ended" : "";
    if (kind_ == ListKind::retired) return read_page(cells, record);
    if (!numbers(kComputing)) return {};
    record.emplace("kinds", 1U);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool name = names_[i] == "process_name" || names_[i] == "name";
      constexpr std::size_t room = decltype(Processes::Process::name)::capacity - 1;
      if (name && compiler::text_flaw(cells[i].substr(0, room)) == nullptr)
        record.emplace("name", cells[i].substr(0, room));
    }
    return "processes.running";
  }

  std::string read_page(const std::vector<std::string_view>& cells, LiteralRecord& record) const {
    std::string field;
    const Rule rule{{}, {}, {}, PrintedForm::hex, {}, 1};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (names_[i] == "retired_pages.cause")
        field = cells[i].starts_with("Double") ? "ecc.retired_double_bit" : "ecc.retired_single_bit";
      if (names_[i] != "retired_pages.address") continue;
      const auto address = read_printed(rule, cells[i], {});
      if (address.kind != Reading::Kind::value) return {};
      record.emplace("address", address.literal);
    }
    return field;
  }

  struct ListOfRows {
    std::size_t line = 0;
    LiteralList rows;
  };

  void observe(std::size_t gpu, const std::string& field, ListOfRows& list) {
    Subject& subject = reader_.evidence().gpus[gpu];
    const std::size_t room = field == "processes.running" ? decltype(Processes::running)::capacity : std::size_t{64};
    if (list.rows.size() > room) {
      reader_.note(list.line,
                   fmt::format("{} rows; a GPU has room for {}, and the rest is left out", list.rows.size(), room));
      list.rows.resize(room);
    }
    // A log tells how many pages there are, these say which.
    if (kind_ == ListKind::retired && subject.find(field) != nullptr)
      subject.observed.erase(subject.observed.find(field));
    reader_.observe(gpu, field, list.rows, list.line);
  }

  int log_index(std::size_t gpu) {
    const auto known = std::ranges::find(gpus_, gpu);
    if (known != gpus_.end()) return static_cast<int>(known - gpus_.begin());
    gpus_.push_back(gpu);
    log_->gpus.push_back(reader_.evidence().gpus[gpu].address);
    return static_cast<int>(gpus_.size()) - 1;
  }

  std::vector<int> gpus_of_log() const { return {gpus_.begin(), gpus_.end()}; }

  SectionReader& reader_;
  std::vector<Line> lines_;
  std::vector<std::string_view> names_;
  ListKind kind_;
  std::shared_ptr<capture::Capture> log_ = std::make_shared<capture::Capture>();
  std::vector<std::size_t> gpus_;                                   // in the order of the rows
  std::vector<std::pair<std::size_t, CellFate>> leaves_;            // of the log
  std::map<std::size_t, std::map<std::string, ListOfRows>> lists_;  // by GPU and field
};

bool starts_csv_list(std::string_view line) {
  const auto names = names_in(line);
  return names.size() >= 2 && kind_of(names).has_value() &&
         std::ranges::all_of(names, [](std::string_view name) { return name.find(' ') == std::string_view::npos; });
}

bool continues_csv_list(std::string_view line) {
  const auto said = trimmed(line);
  return !said.empty() && !said.starts_with('#');
}

void read_csv_list(SectionReader& reader) { CsvListReader(reader).run(); }

}  // namespace

constinit const ForeignFormat kCsvListFormat{.name = "nvidia-smi --query-accounted-apps and the like",
                                             .recognises = starts_csv_list,
                                             .read = read_section<read_csv_list>,
                                             .continues = continues_csv_list,
                                             .momentary = true};

}  // namespace nvmlab::importer
