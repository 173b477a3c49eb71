// SPDX-License-Identifier: Apache-2.0
#include "import/importer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/compile.hpp"
#include "import/evidence/evidence.hpp"
#include "import/formats/inputs.hpp"
#include "import/infer/infer.hpp"
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
Complaints map_errors(const compiler::Problems& problems, const WrittenProfile& written, const std::string& input) {
  Complaints lines;
  for (const auto& problem : problems) {
    const bool known =
        problem.line > 0 && problem.line <= written.origins.size() && written.origins[problem.line - 1].file != nullptr;
    lines.push_back(known ? written.origins[problem.line - 1].error(problem.message).text()
                          : fmt::format("{}: {}", input, problem.message));
  }
  return lines;
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
  if (auto failed = read_inputs(evidence, inputs, options); !failed.empty()) return std::unexpected(failed);
  if (evidence.gpus.empty() && evidence.problems.empty()) {
    return std::unexpected(Complaints{fmt::format("{}: no GPU is in it", inputs.empty() ? "" : inputs.front().name)});
  }
  infer_all(evidence);
  if (!evidence.problems.empty()) return std::unexpected(complaints_of(evidence.problems));

  const BoardSplit split = split_boards(evidence);
  note_inheritance(evidence, split);
  for (const Board& board : split.boards) {
    if (!machine.empty() && std::ranges::find(board.inherits, machine) != board.inherits.end()) {
      return std::unexpected(Complaints{fmt::format(
          "a profile called {} cannot inherit the shipped profile of that name; give the output another name",
          machine)});
    }
  }
  WrittenProfile written = write_profile(evidence, split, machine);
  const auto compiled = compiler::compile_text(written.yaml, machine + ".yaml", machine);
  if (!compiled) return std::unexpected(map_errors(compiled.error(), written, inputs.front().name));
  Imported imported{std::move(written.yaml), {}, capped(std::move(evidence.notes))};
  imported.summary = fmt::format("{} GPU{}, {} board{}", split.gpus.size(), split.gpus.size() == 1 ? "" : "s",
                                 split.boards.size(), split.boards.size() == 1 ? "" : "s");
  return imported;
}

}  // namespace nvmlab::importer
