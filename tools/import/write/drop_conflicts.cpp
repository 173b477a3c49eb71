// SPDX-License-Identifier: Apache-2.0
#include "import/write/drop_conflicts.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compiler/drafts.hpp"

namespace nvmlab::importer {
namespace {

using compiler::DraftProblem;

// The split as the compiler checks it.
class SplitDrafts {
 public:
  SplitDrafts(const Evidence& evidence, const BoardSplit& split, const std::string& machine) {
    for (const ProfileSource& source : evidence.sources)
      sources_.push_back({source.id, source.kind, {}, {}});
    drafts_.machine = machine;
    drafts_.node = values_of(evidence.node.observed);
    for (const Board& board : split.boards)
      drafts_.boards.push_back({board.inherits, values_of(board.observed)});
    for (const PlacedGpu& gpu : split.gpus)
      drafts_.gpus.push_back({gpu.board, values_of(gpu.observed)});
  }

  compiler::DraftCheck check() const { return compiler::check(drafts_); }

 private:
  std::vector<compiler::DraftValue> values_of(const Observations& observations) const {
    std::vector<compiler::DraftValue> values;
    values.reserve(observations.size());
    for (const auto& [field, observation] : observations) {
      const auto& [source, place] = observation.origin;
      values.push_back({field, observation.value.bytes(), &sources_[source], place});
    }
    return values;
  }

  std::vector<compiler::Source> sources_;
  compiler::Drafts drafts_;
};

bool has_origin(const DraftProblem& problem) { return problem.origin.file != nullptr; }

std::string text_of(const DraftProblem& problem, const std::string& input) {
  return has_origin(problem) ? problem.origin.error(problem.message).text()
                             : fmt::format("{}: {}", input, problem.message);
}

// Removes the value from the GPU, or from all GPUs of its board if they share it.
void erase(Evidence& evidence, const BoardSplit& split, const DraftProblem& problem) {
  const std::string field(problem.field);
  if (!problem.gpu) {
    evidence.node.observed.erase(field);
    return;
  }
  const std::size_t board = split.gpus[*problem.gpu].board;
  const bool shared = split.boards[board].observed.contains(field);
  for (std::size_t i = 0; i < split.gpus.size(); ++i) {
    if (i == *problem.gpu || (shared && split.gpus[i].board == board)) evidence.gpus[i].observed.erase(field);
  }
}

// Returns false if one of the problems is not about a single value.
bool leave_out(Evidence& evidence, const BoardSplit& split, const std::vector<DraftProblem>& problems) {
  for (const DraftProblem& problem : problems) {
    if (!has_origin(problem) || problem.field == "system.driver_version") return false;
    erase(evidence, split, problem);
    evidence.note(problem.origin.error(problem.message + "; it is left out").text());
  }
  return true;
}

}  // namespace

std::expected<BoardSplit, Complaints> drop_conflicts(Evidence& evidence, const std::string& machine,
                                                     const std::string& input) {
  constexpr int most_rounds = 8;  // a value that is left out can be one that another depends on
  for (int round = 1;; ++round) {
    BoardSplit split = split_boards(evidence);
    const compiler::DraftCheck found = SplitDrafts(evidence, split, machine).check();
    if (found.problems.empty()) {
      for (const DraftProblem& odd : found.notes)
        evidence.note(text_of(odd, input));
      return split;
    }
    if (round < most_rounds && leave_out(evidence, split, found.problems)) continue;
    Complaints complaints;
    for (const DraftProblem& problem : found.problems)
      complaints.push_back(text_of(problem, input));
    return std::unexpected(std::move(complaints));
  }
}

}  // namespace nvmlab::importer
