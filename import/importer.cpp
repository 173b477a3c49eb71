// SPDX-License-Identifier: Apache-2.0
#include "import/importer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/compile.hpp"
#include "import/evidence/evidence.hpp"
#include "import/write/split_boards.hpp"
#include "import/formats/inputs.hpp"
#include "import/replay/read_recording.hpp"

namespace nvmlab::importer {
namespace {

// A file that is wrong all over needs no line for each of its own.
Complaints few(Complaints lines) {
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
  return few(std::move(lines));
}

// A mistake in the profile is one in the capture: what is said of a line is said of the line that it was read from.
Complaints misfits(const compiler::Problems& problems, const Written& written, const std::string& input) {
  Complaints lines;
  for (const auto& problem : problems) {
    const bool known = problem.place.line > 0 && problem.place.line <= written.origins.size() &&
                       written.origins[problem.place.line - 1].file != nullptr;
    lines.push_back(known ? yaml::Error{written.origins[problem.place.line - 1], problem.message}.text()
                          : fmt::format("{}: {}", input, problem.message));
  }
  return lines;
}

// Whether `family`, one name or a list in brackets, has that name.
bool inherits(std::string_view family, std::string_view name) {
  while (!family.empty()) {
    const auto begin = std::min(family.find_first_not_of("[], "), family.size());
    const auto end = std::min(family.find_first_of("[], ", begin), family.size());
    if (family.substr(begin, end - begin) == name && !name.empty()) return true;
    family.remove_prefix(end);
  }
  return false;
}

}  // namespace

std::expected<Imported, Complaints> import_captures(std::span<const Input> inputs, const std::string& machine,
                                                    const Options& options) {
  Evidence evidence;
  if (auto failed = read_inputs(evidence, inputs, options); !failed.empty()) return std::unexpected(failed);
  if (evidence.gpus.empty() && evidence.problems.empty()) {
    return std::unexpected(Complaints{fmt::format("{}: no GPU is in it", inputs.empty() ? "" : inputs.front().name)});
  }
  conclude_cuda(evidence);
  conclude(evidence);
  conclude_bare(evidence);
  conclude_links(evidence);
  conclude_mig(evidence);
  replay::settle(evidence);
  if (!evidence.problems.empty()) return std::unexpected(complaints_of(evidence.problems));

  const Folded folded = fold(evidence);
  for (const Board& board : folded.boards) {
    if (board.shipped) {
      evidence.notes.push_back(
          fmt::format("no log of nvidia-smi tells of {}; what the inputs do not tell is that of the shipped profile {}",
                      board.product.empty() ? "a GPU without a name" : in_quotes(board.product), board.family));
    }
    if (board.family == kAnyFamily) {
      evidence.notes.push_back(
          fmt::format("{}: its chip is not known; what the capture does not tell is what any board has",
                      board.product.empty() ? "a GPU without a name" : in_quotes(board.product)));
    }
  }
  for (const Board& board : folded.boards) {
    if (inherits(board.family, machine)) {
      return std::unexpected(Complaints{fmt::format(
          "a profile called {} cannot inherit the shipped profile of that name; give the output another name",
          machine)});
    }
  }
  Written written = write_profile(evidence, folded, machine);
  const auto compiled = compiler::compile_text(written.yaml, machine + ".yaml", machine);
  if (!compiled) return std::unexpected(misfits(compiled.error(), written, inputs.front().name));
  Imported imported{std::move(written.yaml), {}, few(std::move(evidence.notes))};
  imported.summary = fmt::format("{} GPU{}, {} board{}", folded.gpus.size(), folded.gpus.size() == 1 ? "" : "s",
                                 folded.boards.size(), folded.boards.size() == 1 ? "" : "s");
  return imported;
}

}  // namespace nvmlab::importer
