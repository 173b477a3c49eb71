// SPDX-License-Identifier: Apache-2.0
//
// The tables of nvidia-smi mig: kinds of GPU instances (-lgip) and where they fit (-lgipp), GPU instances and compute
// instances that there are (-lgi, -lci). Kinds of compute instances (-lcip) follow from those of GPU instances.
// Tests: tests/unit/import/mig_test.cpp.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/texts.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::uint64_t kMostId = 1023;

// Of a table's row: what stands between its borders.
std::string_view inside(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  return line;
}

// GiB with two decimals as MiB. What printed so is taken to be as round as it can be.
std::optional<std::uint64_t> mebibytes(std::string_view printed) {
  const auto hundredths = read_number(printed, {}, std::uint64_t{1024} * 100);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (!hundredths || *hundredths > kMost) return std::nullopt;
  for (std::uint64_t step = 1024; step > 1; step /= 2) {
    const auto nearest = (*hundredths + step * 50) / (step * 100) * step;
    if (fmt::format("{:.2f}", static_cast<double>(nearest) / 1024) == printed) return nearest;
  }
  return (*hundredths + 50) / 100;
}

class MigReader {
 public:
  explicit MigReader(SectionReader& reader) : reader_(reader) {}

  void run() {
    for (const Line& line : reader_.section().lines()) {
      const auto said = trimmed(inside(line.text));
      if (line.text.starts_with("GPU ")) {
        placement(line);
      } else if (said.ends_with(':')) {
        table_ = said;
      } else if (line.text.starts_with('|')) {
        row(words_of(inside(line.text)), line.number);
      }
    }
    if (half_) reader_.wrong(half_->line, "the table is cut short: the second row of this profile is missing");
  }

 private:
  struct Half {
    std::size_t gpu;
    std::uint32_t id;
    MigProfile profile;
    std::size_t line;
  };

  void row(const Words& words, std::size_t line) {
    if (half_) return second_half(words, line);
    if (words.size() < 3 || !whole_number(words[0])) return;  // a heading
    if (table_ == "GPU instance profiles:") {
      profile(words, line);
    } else if (table_ == "GPU instances:") {
      instance(words, line);
    } else if (table_ == "Compute instances:") {
      compute_instance(words, line);
    }
  }

  // The words of a name: "MIG 1g.10gb+me" is two of them.
  static std::string name_of(const Words& words, std::size_t from, std::size_t to) {
    return fmt::format("{}", fmt::join(words.begin() + static_cast<std::ptrdiff_t>(from),
                                       words.begin() + static_cast<std::ptrdiff_t>(to), " "));
  }

  //   0  MIG 1g.10gb       19     7/7        9.50       No     14     0     0
  void profile(const Words& words, std::size_t line) {
    constexpr std::size_t behind = 7;  // words behind the name
    if (words.size() < behind + 2) return damaged(line);
    const auto name_end = words.size() - behind;
    const auto id = whole_number(words[name_end]);
    const auto slash = words[name_end + 1].find('/');
    const auto total =
        slash == std::string_view::npos ? std::nullopt : whole_number(words[name_end + 1].substr(slash + 1));
    const auto memory = mebibytes(words[name_end + 2]);
    std::array<std::optional<std::uint64_t>, 3> counts{};
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = whole_number(words[name_end + 4 + i]);
    if (!id || *id > kMostId || !total || *total > kMostId || !memory || !counts[0] || !counts[1] || !counts[2])
      return damaged(line);
    const auto name = name_of(words, 1, name_end);
    if (compiler::text_flaw(name) != nullptr) return damaged(line);
    const auto gpu = reader_.gpu({whole_number(words[0]), {}, {}}, line);
    half_ = Half{gpu.value_or(kNobody), static_cast<std::uint32_t>(*id), {}, line};
    MigProfile& profile = half_->profile;
    profile.name = name;
    profile.instances = static_cast<std::uint32_t>(*total);
    profile.origin = reader_.origin(line);
    profile.members = {{"multiprocessors", *counts[0]},
                       {"decoders", *counts[1]},
                       {"encoders", *counts[2]},
                       {"memory_mib", *memory},
                       {"capabilities", words[name_end + 3] == "Yes"}};
  }

  //                                                             1     0     0
  void second_half(const Words& words, std::size_t line) {
    Half half = std::move(*half_);
    half_.reset();
    if (words.size() != 3) return damaged(line);
    constexpr std::array members{"copy_engines", "jpegs", "ofas"};
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto count = whole_number(words[i]);
      if (!count) return damaged(line);
      half.profile.members.emplace(members[i], *count);
    }
    if (half.gpu != kNobody) lists(half.gpu).mig_profiles.emplace(half.id, half.profile);
  }

  // GPU  0 Profile ID 19 Placements: {0,1,2,3,4,5,6}:1
  void placement(const Line& line) {
    const auto words = words_of(line.text);
    const auto open = line.text.find('{');
    const auto close = line.text.find("}:", open == std::string_view::npos ? 0 : open);
    const auto gpu_index = words.size() > 4 ? whole_number(words[1]) : std::nullopt;
    const auto id = words.size() > 4 ? whole_number(words[4]) : std::nullopt;
    if (!gpu_index || !id || *id > kMostId || close == std::string_view::npos) return damaged(line.number);
    MigPlacement placement{{}, 0, reader_.origin(line.number)};
    auto list = line.text.substr(open + 1, close - open - 1);
    constexpr std::uint64_t kMostSlices = 64;
    while (!list.empty()) {
      const auto end = std::min(list.find(','), list.size());
      const auto start = whole_number(trimmed(list.substr(0, end)));
      if (!start || *start > kMostSlices) return damaged(line.number);
      placement.starts.push_back(static_cast<std::uint32_t>(*start));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
    const auto size = whole_number(trimmed(line.text.substr(close + 2)));
    if (!size || *size > kMostSlices) return damaged(line.number);
    placement.size = static_cast<std::uint32_t>(*size);
    if (const auto gpu = reader_.gpu({gpu_index, {}, {}}, line.number))
      lists(*gpu).mig_placements.emplace(static_cast<std::uint32_t>(*id), placement);
  }

  // "4:2"
  static bool start_and_size(std::string_view word, std::uint32_t& start, std::uint32_t& size) {
    const auto colon = word.find(':');
    if (colon == std::string_view::npos) return false;
    const auto first = whole_number(word.substr(0, colon));
    const auto second = whole_number(word.substr(colon + 1));
    if (!first || !second || *first > kMostId || *second > kMostId) return false;
    start = static_cast<std::uint32_t>(*first);
    size = static_cast<std::uint32_t>(*second);
    return true;
  }

  //   0  MIG 1g.10gb         19        9          2:1
  void instance(const Words& words, std::size_t line) {
    constexpr std::size_t behind = 3;
    if (words.size() < behind + 2) return damaged(line);
    const auto name_end = words.size() - behind;
    const auto profile = whole_number(words[name_end]);
    const auto id = whole_number(words[name_end + 1]);
    MigInstance instance{.name = name_of(words, 1, name_end), .origin = reader_.origin(line)};
    if (!profile || !id || *profile > kMostId || *id > kMostId || compiler::text_flaw(instance.name) != nullptr ||
        !start_and_size(words[name_end + 2], instance.start, instance.size))
      return damaged(line);
    instance.profile = static_cast<std::uint32_t>(*profile);
    if (const auto gpu = reader_.gpu({whole_number(words[0]), {}, {}}, line))
      lists(*gpu).gpu_instances.emplace(static_cast<std::uint32_t>(*id), instance);
  }

  //   0      9       MIG 1g.10gb          0         0          0:1
  void compute_instance(const Words& words, std::size_t line) {
    constexpr std::size_t behind = 3;
    if (words.size() < behind + 3) return damaged(line);
    const auto name_end = words.size() - behind;
    const auto instance = whole_number(words[1]);
    const auto id = whole_number(words[name_end + 1]);
    auto name = name_of(words, 2, name_end);
    if (!instance || !id || compiler::text_flaw(name) != nullptr) return damaged(line);
    const auto gpu = reader_.gpu({whole_number(words[0]), {}, {}}, line);
    if (!gpu) return;
    constexpr std::string_view prefix = "MIG ";
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    lists(*gpu).compute_instances.push_back({.gpu_instance = static_cast<std::uint32_t>(std::min(*instance, kMostId)),
                                             .id = static_cast<std::uint32_t>(std::min(*id, kMostId)),
                                             .name = name,
                                             .origin = reader_.origin(line)});
  }

  void damaged(std::size_t line) { reader_.wrong(line, "the row is damaged; a row of `nvidia-smi mig` was expected"); }
  PartialLists& lists(std::size_t gpu) { return reader_.evidence().gpus[gpu].lists; }

  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

  SectionReader& reader_;
  std::string_view table_;
  std::optional<Half> half_;
};

// "GPU  0 Profile ID 19 Placements: {0,1}:1"
bool lists_placements(std::string_view line) {
  return line.starts_with("GPU ") && line.find(" Profile ID ") != std::string_view::npos &&
         line.find("Placement") != std::string_view::npos;
}

bool heads_a_mig_table(std::string_view line) {
  if (!line.starts_with('|')) return false;
  const auto said = trimmed(line.substr(1));
  constexpr std::array<std::string_view, 4> titles{
      "GPU instance profiles:", "Compute instance profiles:", "GPU instances:", "Compute instances:"};
  return std::ranges::any_of(titles, [&](std::string_view title) { return said.starts_with(title); });
}

bool starts_mig(std::string_view line) { return heads_a_mig_table(line) || lists_placements(line); }
bool continues_mig(std::string_view line) { return line.starts_with('|') || line.starts_with('+'); }

void read_mig_tables(SectionReader& reader) { MigReader(reader).run(); }

}  // namespace

constinit const ForeignFormat kMigFormat{.name = "nvidia-smi mig",
                                         .recognises = starts_mig,
                                         .read = read_section<read_mig_tables>,
                                         .continues = continues_mig,
                                         .joins = lists_placements};

}  // namespace nvmlab::importer
