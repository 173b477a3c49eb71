// SPDX-License-Identifier: Apache-2.0
#include "import/formats/collect.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "import/formats/decode.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::string_view kWanted =
    "expected what nvidia-smi, deviceQuery or NCCL printed (`nvidia-smi -q -x` tells most), a recording, or a "
    "configuration of Mock NVML";

// What shows how the machine is at one moment; other commands show what it is.
bool shows_a_moment(const Piece& piece) { return piece.kind == PieceKind::csv || piece.kind == PieceKind::table; }

}  // namespace

std::expected<Collected, std::string> collect(const Input& input) {
  auto text = decode_text(input.bytes, input.name);
  if (!text) return std::unexpected(text.error());
  Collected collected{input.name, std::make_shared<const std::string>(std::move(*text)), {}, {}};
  if (capture::holds_log(*collected.text)) {
    auto logs = capture::read_captures(*collected.text, input.name);
    if (!logs) return std::unexpected(logs.error().text());
    collected.logs = std::move(*logs);
  }
  collected.pieces = find_pieces(*collected.text);
  if (collected.logs.empty() && collected.pieces.empty())
    return std::unexpected(fmt::format("{}:1:1: {}; {}", input.name, capture::looks_like(*collected.text), kWanted));
  return collected;
}

std::vector<std::string> states_of(const Collected& collected) {
  std::vector<std::string> states;
  const auto add = [&](std::string_view section) {
    std::string state(state_of(section));
    if (!state.empty() && std::ranges::find(states, state) == states.end()) states.push_back(std::move(state));
  };
  for (const auto& log : collected.logs)
    add(log.section);
  for (const auto& piece : collected.pieces) {
    if (shows_a_moment(piece)) add(piece.section);
  }
  return states;
}

void take_state(Collected& collected, const std::string& wanted, std::vector<std::string>& notes) {
  const auto states = states_of(collected);
  if (states.size() < 2) return;
  const auto there = [&](std::string_view name) { return std::ranges::find(states, name) != states.end(); };
  const std::string taken = there(wanted) ? wanted : there("idle") ? "idle" : states.front();
  const auto other = [&](std::string_view section) {
    const auto state = state_of(section);
    return there(state) && state != taken;
  };
  std::erase_if(collected.logs, [&](const capture::Capture& log) { return other(log.section); });
  std::erase_if(collected.pieces, [&](const Piece& piece) { return other(piece.section); });
  notes.push_back(fmt::format("{}: it shows the machine in the states {}; {} is taken, and --state takes another",
                              collected.name, fmt::join(states, ", "), taken));
}

}  // namespace nvmlab::importer
