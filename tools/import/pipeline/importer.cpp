// SPDX-License-Identifier: Apache-2.0
#include "import/importer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/yaml/tree.hpp"
#include "import/evidence/evidence.hpp"
#include "import/formats/inputs.hpp"
#include "import/infer/infer.hpp"
#include "import/smi/read_log.hpp"
#include "import/write/drop_conflicts.hpp"
#include "import/write/profile_writer.hpp"

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

// Only a profile of this size can exceed what a reader of YAML takes.
Complaints unreadable(const std::string& profile, const std::string& input) {
  constexpr std::size_t large = 1 << 20;
  if (profile.size() < large) return {};
  const auto read = yaml::parse(profile, input);
  return read ? Complaints() : Complaints{fmt::format("{}: {}", input, read.error().message)};
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
  const auto split = drop_conflicts(evidence, machine, inputs.front().name);
  if (!split) return std::unexpected(split.error());
  settle_leaves(evidence);
  std::string profile = write_profile(evidence, *split, machine);
  if (auto failed = unreadable(profile, inputs.front().name); !failed.empty()) return std::unexpected(failed);
  Imported imported{std::move(profile), {}, capped(std::move(evidence.notes)), std::move(evidence.ledger)};
  imported.summary = fmt::format("{} GPU{}, {} board{}", split->gpus.size(), split->gpus.size() == 1 ? "" : "s",
                                 split->boards.size(), split->boards.size() == 1 ? "" : "s");
  return imported;
}

}  // namespace nvmlab::importer
