// SPDX-License-Identifier: Apache-2.0
#include "command/trace/trace.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "command/trace/cells.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::uint64_t kDay = 86'400'000'000'000;
constexpr std::size_t kMostColumns = 1000;
constexpr std::size_t kMostGpus = 4096;

// Columns that loads are read from: what is no number there is a mistake, elsewhere text.
bool is_reading(std::string_view name) {
  return name.starts_with("utilization.") || name.starts_with("power.draw") || name == "pwr" || name == "sm" ||
         name == "mem" || name == "enc" || name == "dec";
}

class Reader {
 public:
  Reader(const std::string& file, std::uint64_t every_ns) : every_ns_(every_ns) { trace_.file = file; }

  std::expected<Trace, LocatedError> read(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      const std::string_view line = text.substr(begin, std::min(end, text.size()) - begin);
      whole_ = end != std::string_view::npos;
      begin = whole_ ? end + 1 : text.size();
      ++line_;
      if (!words_of(line).empty() && !take(line)) return std::unexpected(std::move(error_));
    }
    line_ = 0;
    if (trace_.columns.empty())
      return refuse(0,
                    "is empty; what `nvidia-smi dmon` or `nvidia-smi --query-gpu=... --format=csv -lms 1000` prints "
                    "was expected");
    if (trace_.gpus.empty()) return refuse(0, "has headings alone; rows of readings were expected below them");
    begin_at_zero();
    return std::move(trace_);
  }

 private:
  std::unexpected<LocatedError> refuse(std::size_t column, std::string message) const {
    return std::unexpected(LocatedError{trace_.file, line_, column, std::move(message)});
  }
  bool wrong(std::size_t column, std::string message) {
    error_ = {trace_.file, line_, column, std::move(message)};
    return false;
  }

  bool take(std::string_view line) {
    if (line.starts_with('#')) return take_dmon_heading(line);
    if (trace_.columns.empty()) return take_csv_heading(line);
    if (!dmon_ && line == heading_) return true;  // of another run behind the first one
    return take_row(commas_ ? cells_of_csv(line) : words_of(line));
  }

  // dmon says its columns again and again, and their units below.
  bool take_dmon_heading(std::string_view line) {
    line.remove_prefix(1);
    const bool commas = line.find(',') != std::string_view::npos;
    const auto words = commas ? cells_of_csv(line) : words_of(line);
    const bool names = std::ranges::any_of(words, [](const Cell& word) { return word.text == "gpu"; });
    if (!names && trace_.columns.empty())
      return wrong(1, "a line of headings with 'gpu' was expected, as `nvidia-smi dmon` prints");
    if (names && trace_.columns.empty()) {
      dmon_ = true;
      commas_ = commas;
      return add_columns(words);
    }
    if (!names) return take_units(words);
    const bool same = std::ranges::equal(words, trace_.columns, {}, &Cell::text, &TraceColumn::name);
    return same || wrong(1, "other columns than above; one trace has the same ones from its beginning to its end");
  }

  bool take_units(const std::vector<Cell>& words) {
    for (std::size_t i = 0; i < std::min(words.size(), trace_.columns.size()); ++i)
      trace_.columns[i].unit = words[i].text;
    return true;
  }

  bool take_csv_heading(std::string_view line) {
    heading_ = line;
    commas_ = true;
    const auto cells = cells_of_csv(line);
    const auto is_value = [](const Cell& cell) {
      return number_of(cell.text).has_value() || time_of(cell.text).has_value();
    };
    if (std::ranges::any_of(cells, is_value))
      return wrong(1,
                   "a row without a line of headings above; let nvidia-smi print them (--format=csv without noheader)");
    const bool known =
        std::ranges::any_of(cells, [](const Cell& cell) { return cell.text.find('.') != std::string_view::npos; });
    if (!known)
      return wrong(1, fmt::format("{} is no line of headings; `nvidia-smi "
                                  "--query-gpu=timestamp,utilization.gpu,power.draw --format=csv` prints one",
                                  in_quotes(line)));
    return add_columns(cells);
  }

  bool add_columns(const std::vector<Cell>& cells) {
    if (cells.size() > kMostColumns)
      return wrong(0, fmt::format("{} columns; at most {} were expected", cells.size(), kMostColumns));
    for (const Cell& cell : cells) {
      const std::size_t bracket = cell.text.ends_with(']') ? cell.text.find(" [") : std::string_view::npos;
      const std::string_view unit =
          bracket == std::string_view::npos ? "" : cell.text.substr(bracket + 2, cell.text.size() - bracket - 3);
      trace_.columns.push_back(
          {std::string(cell.text.substr(0, bracket)), std::string(unit), trace_.columns.size() + 1});
      const std::string& name = trace_.columns.back().name;
      const std::size_t place = trace_.columns.size() - 1;
      if (name == "timestamp" || name == "Time") time_ = place;
      if (name == "Date") date_ = place;
      if (name == "gpu" || name == "index" || (!gpu_ && (name == "uuid" || name == "pci.bus_id" || name == "gpu_uuid")))
        gpu_ = place;
    }
    return true;
  }

  bool take_row(const std::vector<Cell>& cells) {
    if (cells.size() != trace_.columns.size()) {
      if (!whole_) return true;
      return wrong(
          0, fmt::format("{} cells; {} were expected, one for each heading", cells.size(), trace_.columns.size()));
    }
    TraceGpu* const gpu = gpu_of(cells);
    if (gpu == nullptr)
      return wrong(cells[*gpu_].column, fmt::format("more than {} GPUs; one trace is of one machine", kMostGpus));
    TraceRow row;
    row.line = line_;
    if (!read_time(cells, *gpu, row.at_ns)) return false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      row.cells.push_back(says_absent(cells[i].text) ? std::nullopt : number_of(cells[i].text));
      if (row.cells.back() || says_absent(cells[i].text) || !is_reading(trace_.columns[i].name)) continue;
      return !whole_ || wrong(cells[i].column, fmt::format("{}: {} is no number, and neither N/A nor '-'",
                                                           trace_.columns[i].name, in_quotes(cells[i].text)));
    }
    gpu->rows.push_back(std::move(row));
    return true;
  }

  TraceGpu* gpu_of(const std::vector<Cell>& cells) {
    const std::string_view name = gpu_ ? cells[*gpu_].text : std::string_view();
    const auto found = std::ranges::find(trace_.gpus, name, &TraceGpu::name);
    if (found != trace_.gpus.end()) return &*found;
    if (trace_.gpus.size() == kMostGpus) return nullptr;
    return &trace_.gpus.emplace_back(TraceGpu{std::string(name), {}});
  }

  bool read_time(const std::vector<Cell>& cells, const TraceGpu& gpu, std::uint64_t& at_ns) {
    if (!time_) {
      at_ns = gpu.rows.size() * every_ns_;
      return true;
    }
    const Cell& cell = cells[*time_];
    const std::string text = date_ ? fmt::format("{} {}", cells[*date_].text, cell.text) : std::string(cell.text);
    const auto time = time_of(text);
    if (!time)
      return wrong(cell.column, fmt::format("{} is no time; '2026/07/14 08:12:53.353' is one", in_quotes(text)));
    const std::uint64_t before = gpu.rows.empty() ? 0 : gpu.rows.back().at_ns;
    at_ns = *time;
    if (!date_ && text.find(' ') == std::string::npos)
      at_ns += before / kDay * kDay + (before % kDay > *time ? kDay : 0);
    return at_ns >= before ||
           wrong(cell.column, fmt::format("{} is before the row above; times of one GPU go forward", in_quotes(text)));
  }

  void begin_at_zero() {
    std::uint64_t first = ~std::uint64_t{0};
    for (const TraceGpu& gpu : trace_.gpus)
      if (!gpu.rows.empty()) first = std::min(first, gpu.rows.front().at_ns);
    for (TraceGpu& gpu : trace_.gpus)
      for (TraceRow& row : gpu.rows)
        row.at_ns -= first;
    std::erase_if(trace_.gpus, [](const TraceGpu& gpu) { return gpu.rows.empty(); });
  }

  std::uint64_t every_ns_;
  Trace trace_;
  LocatedError error_;
  std::string_view heading_;
  std::size_t line_ = 0;
  bool whole_ = true;
  bool dmon_ = false;
  bool commas_ = false;
  std::optional<std::size_t> time_;
  std::optional<std::size_t> date_;
  std::optional<std::size_t> gpu_;
};

}  // namespace

const TraceColumn* Trace::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &TraceColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

std::expected<Trace, LocatedError> read_trace(std::string_view text, const std::string& file, std::uint64_t every_ns) {
  return Reader(file, every_ns).read(text);
}

}  // namespace nvmlab::tool
