// SPDX-License-Identifier: Apache-2.0
#include "import/formats/inputs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compiler/texts.hpp"
#include "import/formats/collect.hpp"
#include "import/formats/foreign_format.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/read_log.hpp"

namespace nvmlab::importer {
namespace {

ProfileSource source_of(const capture::Capture& capture) {
  ProfileSource source{.id = "capture",
                       .kind = "capture",
                       .file = std::string(last_part(capture.name)),
                       .note = std::string(state_of(capture.section))};
  const auto* driver = capture.find(capture::node, "driver_version");
  if (driver == nullptr) driver = capture.find(capture::node, "Driver Version");
  if (driver != nullptr && compiler::text_flaw(driver->value) == nullptr) source.driver = driver->value;
  return source;
}

// The first capture says which GPUs the machine has.
void meet_gpus(Evidence& evidence, const capture::Capture& capture, std::size_t source) {
  for (std::size_t i = 0; i < capture.gpus.size(); ++i) {
    if (subject_of(evidence, capture, static_cast<int>(i)) != nullptr) continue;
    if (!evidence.open) {
      evidence.notes.push_back(fmt::format("{}: GPU {} is not among those of the first capture and is left out",
                                           capture.name, in_quotes(capture.gpus[i])));
      continue;
    }
    evidence.gpus.push_back(
        {.who = fmt::format("GPU {}", i), .address = upper_hex(capture.gpus[i]), .index = i});
    const auto* id = capture.find(static_cast<int>(i), "@id");
    observe_address(evidence, evidence.gpus.back(),
                    {source, id == nullptr ? yaml::Place{} : place_of(capture, *id)});
  }
}

void read_capture(Evidence& evidence, const capture::Capture& capture) {
  const auto source = evidence.add_source(source_of(capture));
  evidence.logged = true;
  meet_gpus(evidence, capture, source);
  std::vector<Subject*> gpus;
  for (std::size_t i = 0; i < capture.gpus.size(); ++i)
    gpus.push_back(subject_of(evidence, capture, static_cast<int>(i)));
  read_log(evidence, capture, gpus, source);
}

void read_piece(Evidence& evidence, const Piece& piece, const std::string& file) {
  PieceReader reader(evidence, piece, file);
  switch (piece.kind) {
    case PieceKind::csv:
      return read_csv(reader);
    case PieceKind::device_query:
      return read_device_query(reader);
    case PieceKind::nccl:
      return read_nccl(reader);
    case PieceKind::table:
      return read_table(reader);
    case PieceKind::version:
      return read_version(reader);
    case PieceKind::gpu_list:
      return read_gpu_list(reader);
    case PieceKind::topology:
      return read_topology(reader);
    case PieceKind::mig:
      return read_mig(reader);
  }
}

// --state names one that some input shows, or it is a mistake.
std::string missing_state(const std::vector<std::string>& all, const std::string& wanted) {
  if (wanted.empty() || std::ranges::find(all, wanted) != all.end()) return {};
  if (all.empty()) return fmt::format("--state {}: no input shows a machine in several states", wanted);
  return fmt::format("--state {}: the inputs show the states {}", wanted, fmt::join(all, ", "));
}

}  // namespace

Complaints read_inputs(Evidence& evidence, std::span<const Input> inputs, const Options& options) {
  Complaints failed;
  std::vector<Collected> texts;
  std::vector<std::string> states;
  for (const Input& input : inputs) {
    if (const Kind* kind = kind_of(input.bytes); kind != nullptr) {
      evidence.open = evidence.gpus.empty();
      if (auto read = kind->read(evidence, input, options); !read)
        failed.insert(failed.end(), read.error().begin(), read.error().end());
      continue;
    }
    auto collected = collect(input);
    if (!collected) {
      failed.push_back(collected.error());
      continue;
    }
    for (auto& state : states_of(*collected))
      states.push_back(std::move(state));
    texts.push_back(std::move(*collected));
    take_state(texts.back(), options.state, evidence.notes);
    for (const auto& log : texts.back().logs) {
      evidence.open = evidence.gpus.empty();
      read_capture(evidence, log);
    }
  }
  if (auto missing = missing_state(states, options.state); !missing.empty()) failed.push_back(std::move(missing));
  std::vector<std::pair<const Piece*, const Collected*>> pieces;
  for (const Collected& text : texts) {
    for (const Piece& piece : text.pieces)
      pieces.emplace_back(&piece, &text);
  }
  std::ranges::stable_sort(pieces, {}, [](const auto& entry) { return entry.first->kind; });
  for (const auto& [piece, text] : pieces) {
    evidence.open = evidence.gpus.empty();
    read_piece(evidence, *piece, text->name);
  }
  return failed;
}

}  // namespace nvmlab::importer
