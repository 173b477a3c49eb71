// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi topo -m: the matrix of paths, with network cards, and what CPUs and memory are next to each GPU. The state
// says where GPUs sit (which switch, which host bridge), not how far two are apart; so GPUs and cards that are close
// are put together level by level, and a matrix that no such tree explains is noted. Tests:
// tests/unit/import/topology_test.cpp.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "import/formats/section_reader.hpp"

namespace nvmlab::importer {
namespace {

// How far two are apart over PCI Express; beyond `system` it is unknown.
enum Level : unsigned char { same_switch, switches, host_bridge, numa_node, system_bus, unknown_level };

struct Cell {
  Level level = unknown_level;
  std::uint32_t links = 0;  // of NVLink
};

std::optional<Cell> cell_of(std::string_view printed) {
  struct LevelName {
    std::string_view name;
    Level level;
  };
  constexpr std::array names{
      LevelName{"PIX", same_switch}, LevelName{"PXB", switches},      LevelName{"PHB", host_bridge},
      LevelName{"NODE", numa_node},  LevelName{"SYS", system_bus},    LevelName{"SOC", system_bus},
      LevelName{"X", unknown_level}, LevelName{"N/A", unknown_level}, LevelName{"Unknown", unknown_level}};
  const auto* found = std::ranges::find(names, printed, &LevelName::name);
  if (found != names.end()) return Cell{found->level, 0};
  const auto links = printed.starts_with("NV") ? whole_number(printed.substr(2)) : std::nullopt;
  if (!links || *links > kMostLinks) return std::nullopt;
  return Cell{unknown_level, static_cast<std::uint32_t>(*links)};
}

// "0-23,48-71" as bits, 64 to a word.
std::optional<std::vector<std::uint64_t>> bits_of(std::string_view list) {
  constexpr std::uint64_t kMost = 4096;
  std::vector<std::uint64_t> words;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    const auto range = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const auto dash = range.find('-');
    const auto first = whole_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole_number(range.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= kMost) return std::nullopt;
    if (words.size() <= *last / 64) words.resize(*last / 64 + 1);
    for (auto bit = *first; bit <= *last; ++bit)
      words[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  return words;
}

class MatrixReader {
 public:
  explicit MatrixReader(SectionReader& reader) : reader_(reader) {}

  void run() {
    const auto lines = reader_.section().lines();
    heading(lines.front());
    constexpr std::size_t kMostColumns = 1024;
    if (columns_.size() > kMostColumns) {
      return reader_.wrong(lines.front().number, fmt::format("the matrix has {} columns; at most {} are read",
                                                             columns_.size(), kMostColumns));
    }
    for (std::size_t i = 1; i < lines.size() && rows_.size() < columns_.size(); ++i)
      row(lines[i]);
    std::size_t gpus = 0;
    while (gpus < columns_.size() && is_gpu(columns_[gpus]))
      ++gpus;
    if (failed_) return;
    if (rows_.size() < gpus) {
      return reader_.wrong(lines.back().number,
                           fmt::format("the matrix is cut short: {} of {} GPUs have a row", rows_.size(), gpus));
    }
    for (std::size_t i = 0; i < gpus; ++i)
      gpus_.push_back(reader_.gpu({whole_number(std::string_view(columns_[i]).substr(3)), {}, {}}, rows_[i].line));
    for (std::size_t i = 0; i < gpus; ++i)
      affinities(i);
    links();
    places();
  }

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string cpus;
    std::string nodes;
    std::string memory;  // the NUMA node of the GPU's own
    std::size_t line = 0;
  };

  static bool is_gpu(std::string_view name) {
    return name.starts_with("GPU") && whole_number(name.substr(3)).has_value();
  }

  void heading(const Line& line) {
    const std::string plain = without_escapes(line.text);
    const auto words = words_of(plain);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto next = i + 1 < words.size() ? words[i + 1] : std::string_view();
      if (words[i] == "GPU" && next == "NUMA") {
        headings_.push_back(&Row::memory);
        i += 2;
      } else if (next == "Affinity") {
        headings_.push_back(words[i] == "CPU" ? &Row::cpus : &Row::nodes);
        ++i;
      } else {
        columns_.emplace_back(words[i]);
      }
    }
  }

  void row(const Line& line) {
    const std::string plain = without_escapes(line.text);
    const auto words = words_of(plain);
    if (words.empty() || words.front() != columns_[rows_.size()]) return;
    Row row;
    row.line = line.number;
    for (std::size_t i = 1; i <= columns_.size(); ++i) {
      const auto cell = i < words.size() ? cell_of(words[i]) : std::nullopt;
      if (!cell) {
        failed_ = true;
        return reader_.wrong(
            line.number, i < words.size()
                             ? fmt::format("{} is no path; X, SYS, NODE, PHB, PXB, PIX or NV and a number was expected",
                                           in_quotes(words[i]))
                             : fmt::format("the row of {} is cut short", in_quotes(words.front())));
      }
      row.cells.push_back(*cell);
    }
    std::vector<std::string_view> rest(words.begin() + static_cast<std::ptrdiff_t>(columns_.size()) + 1, words.end());
    // An affinity that is empty leaves no word behind: the last is the GPU's own node, a list of CPUs comes first.
    auto headings = headings_;
    if (rest.size() < headings.size() && !rest.empty() && rest.back() == "N/A" && headings.back() == &Row::memory) {
      rest.pop_back();
      headings.pop_back();
    }
    for (std::size_t i = 0; i < rest.size() && i < headings.size(); ++i)
      row.*headings[i] = rest[i];
    rows_.push_back(std::move(row));
  }

  void affinities(std::size_t i) {
    const Row& row = rows_[i];
    if (!gpus_[i]) return;
    const auto known = [](const std::string& value) { return !value.empty() && value != "N/A"; };
    if (known(row.cpus)) {
      const auto bits = bits_of(row.cpus);
      if (!bits) return reader_.wrong(row.line, fmt::format("{} is no list of CPUs", in_quotes(row.cpus)));
      reader_.observe(*gpus_[i], "topology.cpu_affinity", *bits, row.line);
    }
    if (known(row.nodes)) {
      const auto bits = bits_of(row.nodes);
      if (!bits) return reader_.wrong(row.line, fmt::format("{} is no list of NUMA nodes", in_quotes(row.nodes)));
      reader_.observe(*gpus_[i], "topology.memory_affinity", *bits, row.line);
      if (const auto node = whole_number(row.nodes)) reader_.observe(*gpus_[i], "topology.numa_node", *node, row.line);
    }
    if (row.memory == "N/A") reader_.observe(*gpus_[i], "topology.gpu_numa_id", {}, row.line);
    if (const auto node = whole_number(row.memory)) reader_.observe(*gpus_[i], "topology.gpu_numa_id", *node, row.line);
  }

  // NVLink of the pairs. A GPU of a matrix with NVLinks that has none of them has no link that is up.
  void links() {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      for (std::size_t k = 0; k < gpus_.size(); ++k) {
        const auto count = rows_[i].cells[k].links;
        if (!gpus_[i] || !gpus_[k] || i == k || count == 0) continue;
        reader_.evidence().gpus[*gpus_[i]].lists.bonded.emplace(
            *gpus_[k], LinkBundle{count, false, {}, reader_.origin(rows_[i].line)});
      }
    }
    const auto has_links = [](const Row& row) {
      return std::ranges::any_of(row.cells, [](const auto& cell) { return cell.links != 0; });
    };
    if (std::ranges::none_of(rows_, has_links)) return;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      if (gpus_[i] && !has_links(rows_[i]))
        reader_.evidence().gpus[*gpus_[i]].lists.no_links = reader_.origin(rows_[i].line);
    }
  }

  Level level(std::size_t i, std::size_t k) const {
    const Level one = i < rows_.size() ? rows_[i].cells[k].level : unknown_level;
    const Level other = k < rows_.size() ? rows_[k].cells[i].level : unknown_level;
    return std::min(one, other);
  }

  // For each column, one that stands for all that it can reach within a level.
  std::vector<std::size_t> groups(Level within) const {
    std::vector<std::size_t> group(columns_.size());
    for (std::size_t i = 0; i < group.size(); ++i)
      group[i] = i;
    const auto top = [&](std::size_t i) {
      while (group[i] != i)
        i = group[i] = group[group[i]];
      return i;
    };
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (level(i, k) <= within) group[top(i)] = top(k);
      }
    }
    for (std::size_t i = 0; i < group.size(); ++i)
      group[i] = top(i);
    return group;
  }

  void places() {
    const auto has_paths = [&](std::size_t i) {
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        if (i != k && level(i, k) != unknown_level) return true;
      }
      return false;
    };
    constexpr std::array fields{std::pair{same_switch, "topology.pcie_switch"},
                                std::pair{switches, "topology.upper_pcie_switch"},
                                std::pair{host_bridge, "topology.root_complex"}};
    std::array<std::vector<std::size_t>, fields.size()> all;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      all[f] = groups(fields[f].first);
      std::vector<std::size_t> numbers;  // in the order of the GPUs
      for (std::size_t i = 0; i < gpus_.size(); ++i) {
        auto known = std::ranges::find(numbers, all[f][i]);
        if (known == numbers.end()) known = numbers.insert(numbers.end(), all[f][i]);
        if (gpus_[i] && has_paths(i))
          reader_.observe(*gpus_[i], fields[f].second, known - numbers.begin(), rows_[i].line);
      }
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const Level printed = level(i, k);
        if (printed >= numa_node) continue;  // an unknown one among them
        const Level shown = all[0][i] == all[0][k] ? same_switch : all[1][i] == all[1][k] ? switches : host_bridge;
        if (shown == printed) continue;
        reader_.note(rows_[i].line,
                     fmt::format("no tree of switches explains the path between {} and {}; it will be shorter",
                                 columns_[k], columns_[i]));
      }
    }
  }

  SectionReader& reader_;
  std::vector<std::string> columns_;
  std::vector<std::string Row::*> headings_;
  std::vector<Row> rows_;
  std::vector<std::optional<std::size_t>> gpus_;  // of the columns that are GPUs
  bool failed_ = false;
};

bool heads_a_matrix(std::string_view line) {
  if (line.empty() || (line.front() != '\t' && line.front() != ' ' && line.front() != '\x1b')) return false;
  if (line.find(" Affinity") == std::string_view::npos) return false;
  const std::string plain = without_escapes(line);
  const auto first = trimmed(plain);
  return first.starts_with("GPU") && first.size() > 3 && is_digit(first[3]);
}
bool continues_matrix(std::string_view line) {
  const auto said = trimmed(line);
  return !said.empty() && !said.starts_with('#');
}

void read_matrix(SectionReader& reader) { MatrixReader(reader).run(); }

}  // namespace

constinit const ForeignFormat kTopologyFormat{.name = "nvidia-smi topo -m",
                                              .recognises = heads_a_matrix,
                                              .read = read_section<read_matrix>,
                                              .continues = continues_matrix};

}  // namespace nvmlab::importer
