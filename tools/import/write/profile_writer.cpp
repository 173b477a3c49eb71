// SPDX-License-Identifier: Apache-2.0
#include "import/write/profile_writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/return_codes.hpp"
#include "compiler/texts.hpp"

namespace nvmlab::importer {
namespace {

std::string print_source(const ProfileSource& source) {
  std::string text = "{kind: " + source.kind;
  const std::pair<std::string_view, const std::string*> texts[] = {
      {"file", &source.file}, {"driver", &source.driver}, {"title", &source.title}};
  for (const auto& [key, value] : texts) {
    if (!value->empty()) text += fmt::format(", {}: {}", key, compiler::yaml_scalar(*value));
  }
  if (!source.why.empty()) text += ", why: " + source.why;  // ours: nothing that YAML would take for anything else
  if (!source.note.empty()) text += ", note: " + compiler::yaml_scalar(source.note);
  return text + "}";
}

class ProfileWriter {
 public:
  explicit ProfileWriter(const Evidence& evidence) : evidence_(evidence) {}

  std::string write(const BoardSplit& split, const std::string& machine) {
    line(0, "# Made by `nvmlab import`; docs/guide/profiles.md says how to read and change it.");
    line(0, "machine: " + compiler::yaml_scalar(machine));
    line(0, "doc: " + compiler::yaml_scalar(fmt::format("{}, from a capture", fmt::join(held(split), ", "))));
    sources(split);
    topics(evidence_.node.observed, 0);
    line(0, "profiles:");
    for (const Board& board : split.boards) {
      line(2, compiler::yaml_scalar(board.name) + ":");
      inherits(board);
      topics(board.observed, 4);
    }
    line(0, "gpus:");
    for (const PlacedGpu& gpu : split.gpus) {
      first_indent_ = 2;
      line(4, "profile: " + compiler::yaml_scalar(split.boards[gpu.board].name));
      topics(gpu.observed, 4);
    }
    return std::move(out_);
  }

 private:
  static std::vector<std::string> held(const BoardSplit& split) {
    std::vector<std::string> held;
    for (std::size_t i = 0; i < split.boards.size(); ++i) {
      const auto& product = split.boards[i].product;
      const auto count = std::ranges::count(split.gpus, i, &PlacedGpu::board);
      held.push_back(fmt::format("{} x {}", count, product.empty() ? "GPU" : product));
    }
    return held;
  }

  // Those that some value names; the first one is that of all others.
  void sources(const BoardSplit& split) {
    std::vector<bool> used(evidence_.sources.size());
    used[0] = true;
    const auto look = [&](const Observations& observations) {
      for (const auto& [field, observation] : observations)
        used[observation.origin.source] = true;
    };
    look(evidence_.node.observed);
    for (const Board& board : split.boards)
      look(board.observed);
    for (const PlacedGpu& gpu : split.gpus)
      look(gpu.observed);
    line(0, "sources:");
    for (std::size_t i = 0; i < used.size(); ++i) {
      const ProfileSource& source = evidence_.sources[i];
      if (used[i]) line(2, fmt::format("{}: {}", source.id, print_source(source)));
    }
    line(0, "source: " + evidence_.sources.front().id);
  }

  void inherits(const Board& board) {
    if (board.inherits.size() == 1) line(4, "inherits: " + board.inherits.front());
    if (board.inherits.size() > 1) line(4, fmt::format("inherits: [{}]", fmt::join(board.inherits, ", ")));
  }

  // Topics of a mapping, `indent` columns in. Observations are in the order of their names, so those of a topic stand
  // together.
  void topics(const Observations& observations, std::size_t indent) {
    std::string topic;
    std::string record;
    for (const auto& [field, observation] : observations) {
      const auto dot = field.find('.');
      const auto second = field.find('.', dot + 1);
      if (field.substr(0, dot) != topic) {
        topic = field.substr(0, dot);
        record.clear();
        line(indent, topic + ":");
      }
      if (second == std::string::npos) {
        record.clear();
        line(indent + 2, fmt::format("{}: {}", field.substr(dot + 1), sourced(field, observation)));
        continue;
      }
      if (const auto name = field.substr(dot + 1, second - dot - 1); name != record) {
        record = name;
        line(indent + 2, record + ":");
      }
      line(indent + 4, fmt::format("{}: {}", field.substr(second + 1), sourced(field, observation)));
    }
  }

  std::string sourced(const std::string& field, const Observation& observation) const {
    const FieldValue& value = observation.value;
    if (observation.origin.source == 0) return print_value(field, value);
    const std::string& id = evidence_.sources[observation.origin.source].id;
    if (value.has_value() || value.unsupported())
      return fmt::format("{{value: {}, source: {}}}", print_value(field, value), id);
    return fmt::format("{{answer: {}, source: {}}}", compiler::return_code_name(value.code()), id);
  }

  void line(std::size_t indent, std::string_view text) {
    if (first_indent_) {
      out_ += fmt::format("{:{}}- {}\n", "", *first_indent_, text);
      first_indent_.reset();
      return;
    }
    out_ += fmt::format("{:{}}{}\n", "", indent, text);
  }

  const Evidence& evidence_;
  std::string out_;
  std::optional<std::size_t> first_indent_;  // of the next line, which starts an item of a list
};

}  // namespace

std::string write_profile(const Evidence& evidence, const BoardSplit& split, const std::string& machine) {
  return ProfileWriter(evidence).write(split, machine);
}

}  // namespace nvmlab::importer
