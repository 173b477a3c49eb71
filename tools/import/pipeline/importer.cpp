// SPDX-License-Identifier: Apache-2.0
#include "import/importer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/compile.hpp"
#include "import/evidence/evidence.hpp"
#include "import/formats/inputs.hpp"
#include "import/infer/infer.hpp"
#include "import/smi/read_log.hpp"
#include "import/write/profile_writer.hpp"
#include "import/write/split_boards.hpp"

namespace nvmlab::importer {
namespace {

// A file that is wrong all over needs no line for each of its own.
Complaints capped(Complaints lines) {
  constexpr std::size_t most = 200;
  if (lines.size() <= most) return lines;
  const auto more = lines.size() - most;
  lines.resize(most);
  lines.push_back(fmt::format("... and {} more of the kind", more));
  return lines;
}

Complaints complaints_of(const compiler::Problems& problems) {
  Complaints lines;
  for (const auto& problem : problems)
    lines.push_back(problem.text());
  return capped(std::move(lines));
}

// A mistake in the profile is one in the capture: what is said of a line is said of the line that it was read from.
const WrittenLine* line_of(const WrittenProfile& written, const compiler::Problem& problem) {
  const bool known = problem.line > 0 && problem.line <= written.lines.size() &&
                     written.lines[problem.line - 1].origin.file != nullptr;
  return known ? &written.lines[problem.line - 1] : nullptr;
}

Complaints map_errors(const compiler::Problems& problems, const WrittenProfile& written, const std::string& input) {
  Complaints lines;
  for (const auto& problem : problems) {
    const WrittenLine* line = line_of(written, problem);
    lines.push_back(line != nullptr ? line->origin.error(problem.message).text()
                                    : fmt::format("{}: {}", input, problem.message));
  }
  return lines;
}

// Leaves out what does not fit the rest. False where something is wrong that no value alone is.
bool leave_out(Evidence& evidence, const WrittenProfile& written, const compiler::Problems& problems) {
  for (const auto& problem : problems) {
    const WrittenLine* line = line_of(written, problem);
    if (line == nullptr || line->field == "system.driver_version") return false;
    std::size_t erased = evidence.node.observed.erase(line->field);
    for (Subject& gpu : evidence.gpus)
      erased += gpu.observed.erase(line->field);
    if (erased > 0) evidence.note(line->origin.error(problem.message + "; it is left out").text());
  }
  return true;
}

struct Written {
  BoardSplit split;
  WrittenProfile profile;
  compiler::Machine machine;
};

// The profile, without what keeps it from being one.
std::expected<Written, Complaints> write_and_check(Evidence& evidence, const std::string& machine,
                                                   const std::string& input) {
  constexpr int most_rounds = 8;  // what is left out can be what something else leans on
  for (int round = 1;; ++round) {
    Written written{split_boards(evidence), {}, {}};
    written.profile = write_profile(evidence, written.split, machine);
    auto compiled = compiler::compile_text(written.profile.yaml, machine + ".yaml", machine);
    if (compiled) {
      written.machine = std::move(*compiled);
      return written;
    }
    if (round == most_rounds || !leave_out(evidence, written.profile, compiled.error()))
      return std::unexpected(map_errors(compiled.error(), written.profile, input));
  }
}

std::string name_of(const Board& board) {
  return board.product.empty() ? std::string("a GPU without a name") : in_quotes(board.product);
}

void note_inheritance(Evidence& evidence, const BoardSplit& split) {
  for (const Board& board : split.boards) {
    if (board.shipped) {
      evidence.notes.push_back(
          fmt::format("no log of nvidia-smi tells of {}; what the inputs do not tell is that of the shipped profile {}",
                      name_of(board), board.inherits.front()));
    }
    if (board.inherits == std::vector<std::string>{std::string(kAnyFamily)}) {
      evidence.notes.push_back(fmt::format(
          "{}: its chip is not known; what the capture does not tell is what any board has", name_of(board)));
    }
  }
}

}  // namespace

std::expected<Imported, Complaints> import_captures(std::span<const Input> inputs, const std::string& machine,
                                                    const Options& options) {
  Evidence evidence;
  evidence.partial = options.partial;
  if (auto failed = read_inputs(evidence, inputs, options); !failed.empty()) return std::unexpected(failed);
  if (evidence.gpus.empty() && evidence.problems.empty()) {
    return std::unexpected(Complaints{fmt::format("{}: no GPU is in it", inputs.empty() ? "" : inputs.front().name)});
  }
  infer_all(evidence, options.driver);
  if (!evidence.problems.empty()) return std::unexpected(complaints_of(evidence.problems));
  if (evidence.node.value("system.driver_version") == nullptr) {
    return std::unexpected(Complaints{fmt::format(
        "{}: nothing in it says which driver the machine has; --driver 550 does, for example", inputs.front().name)});
  }
  const BoardSplit boards = split_boards(evidence);
  for (const Board& board : boards.boards) {
    if (!machine.empty() && std::ranges::find(board.inherits, machine) != board.inherits.end()) {
      return std::unexpected(Complaints{fmt::format(
          "a profile called {} cannot inherit the shipped profile of that name; give the output another name",
          machine)});
    }
  }
  note_inheritance(evidence, boards);
  auto written = write_and_check(evidence, machine, inputs.front().name);
  if (!written) return std::unexpected(written.error());
  for (const std::string& odd : map_errors(written->machine.notes, written->profile, inputs.front().name))
    evidence.note(odd);
  settle_leaves(evidence);
  const BoardSplit& split = written->split;
  Imported imported{
      std::move(written->profile.yaml), {}, capped(std::move(evidence.notes)), std::move(evidence.ledger)};
  imported.summary = fmt::format("{} GPU{}, {} board{}", split.gpus.size(), split.gpus.size() == 1 ? "" : "s",
                                 split.boards.size(), split.boards.size() == 1 ? "" : "s");
  return imported;
}

}  // namespace nvmlab::importer
