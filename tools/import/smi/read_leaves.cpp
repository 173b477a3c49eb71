// SPDX-License-Identifier: Apache-2.0
//
// The table at work: each leaf to the rows that read it.
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/paths.hpp"
#include "compiler/texts.hpp"
#include "import/smi/read_log.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

struct RuleRow {
  const Rule* rule;
  std::vector<std::string> labels;
  bool of_node;
};

using Table = std::unordered_map<std::string_view, std::vector<RuleRow>>;

// Rows by printed name; a heading ("remapped_rows") leads to the rows of all that stands below it.
struct Tables {
  Table by_name;
  std::unordered_map<std::string, std::vector<RuleRow>> below;
};

Tables make_tables(capture::Format format) {
  Tables tables;
  for (const auto rules : {board_rules(), reading_rules(), error_rules()}) {
    for (const Rule& rule : rules) {
      const auto name = format == capture::Format::xml ? rule.xml : rule.text;
      const auto field = compiler::find_field(rule.field);
      if (name.empty() || !field) continue;
      RuleRow row{&rule, {}, field->topic->of_node};
      for (std::uint32_t i = 0; i < field->field->label_count; ++i)
        row.labels.emplace_back(field->field->labels[i].name);
      for (auto slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1))
        tables.below[std::string(name.substr(0, slash))].push_back(row);
      tables.by_name[name].push_back(std::move(row));
    }
  }
  return tables;
}

const Tables& tables(capture::Format format) {
  static const Tables xml = make_tables(capture::Format::xml);
  static const Tables text = make_tables(capture::Format::text);
  return format == capture::Format::xml ? xml : text;
}

// Masks that several leaves make up together.
struct PartialMask {
  std::uint64_t bits = 0;
  bool known = false;  // by any of them
  yaml::Place place;
};

class LeafReader {
 public:
  explicit LeafReader(const LogReading& reading) : reading_(reading) {}

  void run() {
    const auto& known = tables(reading_.capture.format);
    for (const auto& leaf : reading_.capture.leaves) {
      Subject* subject =
          leaf.gpu == capture::node ? &reading_.evidence.node : reading_.gpus[static_cast<std::size_t>(leaf.gpu)];
      if (subject == nullptr) {
        reading_.fates.leave(leaf, "its GPU is left out");
        continue;
      }
      if (const auto rows = known.by_name.find(leaf.path); rows != known.by_name.end()) {
        for (const RuleRow& row : rows->second)
          read(*subject, leaf, row);
      } else if (const auto all = known.below.find(leaf.path); all != known.below.end()) {
        if (const auto error = error_name_of(leaf.value); !error.empty())
          section_error(*subject, leaf, all->second, error);
      }
    }
    for (const auto& [key, mask] : masks_) {
      const auto literal = mask.known ? compiler::Literal(mask.bits) : compiler::Literal();
      reading_.evidence.observe(*key.first, key.second, literal, {reading_.source, mask.place});
    }
  }

 private:
  void read(Subject& subject, const capture::Leaf& leaf, const RuleRow& row) {
    if (row.of_node != (leaf.gpu == capture::node)) return;
    const Rule& rule = *row.rule;
    const bool known = error_name_of(leaf.value).empty();
    switch (rule.shape) {
      case PrintedForm::bit:
        return mask(subject, rule, leaf, leaf.value == "Active" ? rule.factor : 0, known);
      case PrintedForm::known_bit:
        return mask(subject, rule, leaf, known ? rule.factor : 0, known);
      case PrintedForm::health: {
        const bool bad = leaf.value == "Degraded" || leaf.value == "True";
        const bool good = leaf.value == "Full" || leaf.value == "False";
        const std::uint64_t state = bad || leaf.value == "None" ? 1 : good ? 2 : 0;
        return mask(subject, rule, leaf, state << rule.factor, true);
      }
      case PrintedForm::some:
        return reading_.observe(subject, rule.field, known, leaf);
      default:
        break;
    }
    if (const char* flaw = compiler::text_flaw(leaf.value); flaw != nullptr)
      return reading_.leave_noted(leaf, fmt::format("{} has {}", leaf.path, flaw));
    const auto reading = read_printed(rule, leaf.value, row.labels);
    switch (reading.kind) {
      case Reading::Kind::value:
      case Reading::Kind::error:
        return reading_.observe(subject, rule.field, reading.literal, leaf);
      case Reading::Kind::wrong:
        return reading_.leave_noted(leaf, fmt::format("{} is no value of {}", in_quotes(leaf.value), leaf.path));
      case Reading::Kind::unknown:
        if (leaf.value.empty()) return reading_.fates.leave(leaf, "nothing is printed there");
        return reading_.leave_noted(leaf, fmt::format("{} {} is not understood", leaf.path, in_quotes(leaf.value)));
      case Reading::Kind::said_elsewhere:
        return reading_.fates.leave(leaf, "it says that another line tells it");
    }
  }

  void mask(Subject& subject, const Rule& rule, const capture::Leaf& leaf, std::uint64_t bits, bool known) {
    PartialMask& mask = masks_[{&subject, std::string(rule.field)}];
    mask.bits |= bits;
    mask.known = mask.known || known;
    mask.place = place_of(reading_.capture, leaf);
    reading_.fates.carry(leaf, rule.field);
  }

  // A whole section in one word: "remapped_rows: N/A".
  void section_error(Subject& subject, const capture::Leaf& leaf, const std::vector<RuleRow>& rows,
                     std::string_view error) {
    for (const RuleRow& row : rows) {
      if (row.of_node == (leaf.gpu == capture::node))
        reading_.observe(subject, row.rule->field, error_code(error), leaf);
    }
  }

  const LogReading& reading_;
  std::map<std::pair<Subject*, std::string>, PartialMask> masks_;
};

}  // namespace

void read_leaves(const LogReading& reading) { LeafReader(reading).run(); }

}  // namespace nvmlab::importer
