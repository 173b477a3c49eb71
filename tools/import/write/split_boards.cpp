// SPDX-License-Identifier: Apache-2.0
#include "import/write/split_boards.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "compiler/unit_fields.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

// Where a GPU sits and what it is cut into belongs to that GPU alone, as what names it.
bool is_unit_specific(std::string_view field) {
  return compiler::names_one_unit(field) || field.starts_with("topology.") || field.starts_with("instances.") ||
         field == "mig.missing_slice";
}

// "NVIDIA H100 80GB HBM3" is h100-80gb-hbm3.
std::string profile_name(std::string_view product) {
  constexpr std::string_view maker = "NVIDIA ";
  if (product.starts_with(maker)) product.remove_prefix(maker.size());
  std::string name;
  for (char letter : product) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0 && byte < 0x80) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  constexpr std::size_t longest = 48;  // leaves room for a number
  name = name.substr(0, longest);
  while (name.ends_with('-'))
    name.pop_back();
  return name.empty() ? std::string("gpu") : name;
}

std::vector<std::string> inherited_by(const Subject& gpu, const std::string& shipped) {
  if (gpu.complete) return {};
  return shipped.empty() ? families_of(gpu) : std::vector{shipped};
}

// What makes GPUs the same board: product, chip, and what they inherit.
struct BoardKey {
  std::string product;
  std::optional<FieldValue> device_id;
  std::vector<std::string> inherits;
  bool operator==(const BoardKey&) const = default;
};

std::string free_name(const std::vector<Board>& boards, const std::string& base) {
  std::string name = base;
  for (int n = 2; std::ranges::find(boards, name, &Board::name) != boards.end(); ++n)
    name = fmt::format("{}-{}", base, n);
  return name;
}

}  // namespace

BoardSplit split_boards(const Evidence& evidence) {
  BoardSplit split;
  std::vector<BoardKey> keys;  // of each board
  for (const Subject& gpu : evidence.gpus) {
    const FieldValue* name = gpu.value("identity.name");
    const Observation* device_id = gpu.find("pci.device_id");
    const std::string shipped = shipped_board(evidence, gpu);
    BoardKey key{name == nullptr ? std::string() : std::string(name->text()),
                 device_id == nullptr ? std::nullopt : std::optional(device_id->value), inherited_by(gpu, shipped)};
    auto known = std::ranges::find(keys, key);
    if (known == keys.end()) {
      const std::string base = profile_name(key.product);
      Board board{free_name(split.boards, base == shipped ? base + "-imported" : base), key.product, key.inherits,
                  gpu.observed, !shipped.empty()};
      std::erase_if(board.observed, [](const auto& entry) { return is_unit_specific(entry.first); });
      split.boards.push_back(std::move(board));
      known = keys.insert(keys.end(), std::move(key));
    }
    split.gpus.push_back({static_cast<std::size_t>(known - keys.begin()), gpu.observed});
  }
  for (const PlacedGpu& gpu : split.gpus) {
    std::erase_if(split.boards[gpu.board].observed, [&](const auto& entry) {
      const auto same = gpu.observed.find(entry.first);
      return same == gpu.observed.end() || same->second.value != entry.second.value;
    });
  }
  for (PlacedGpu& gpu : split.gpus) {
    std::erase_if(gpu.observed,
                  [&](const auto& entry) { return split.boards[gpu.board].observed.contains(entry.first); });
  }
  return split;
}

}  // namespace nvmlab::importer
