// SPDX-License-Identifier: Apache-2.0
#include "import/write/split_boards.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "compiler/shipped.hpp"
#include "compiler/unit_fields.hpp"

namespace nvmlab::importer {
namespace {

// Where a GPU sits and what it is cut into is its own, as what names it.
bool own(std::string_view field) {
  return compiler::names_one_unit(field) || field.starts_with("topology.") || field == "mig.devices";
}

std::string value_of(const Subject& gpu, std::string_view field) {
  const Fact* fact = gpu.find(field);
  return fact == nullptr ? std::string() : fact->yaml;
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

std::string plain(std::string text) {
  std::erase(text, '"');
  return text;
}

}  // namespace

std::string inherited(const Subject& gpu) {
  auto families = families_of(gpu);
  std::erase_if(families, [](const auto& name) { return compiler::find_shipped(name) == nullptr; });
  if (families.empty()) return std::string(kAnyFamily);
  return families.size() == 1 ? families.front() : fmt::format("[{}]", fmt::join(families, ", "));
}

Folded fold(const Evidence& evidence) {
  Folded folded;
  std::vector<std::string> kinds;  // of each board: product and chip
  for (const Subject& gpu : evidence.gpus) {
    const std::string product = plain(value_of(gpu, "identity.name"));
    const std::string board = shipped_board(evidence, gpu);
    const std::string family = gpu.whole ? std::string() : board.empty() ? inherited(gpu) : board;
    const std::string kind = fmt::format("{}\n{}\n{}", product, value_of(gpu, "pci.device_id"), family);
    auto known = std::ranges::find(kinds, kind);
    if (known == kinds.end()) {
      const std::string product_name = profile_name(product);
      const std::string base = product_name == board ? product_name + "-imported" : product_name;
      std::string name = base;
      for (int n = 2; std::ranges::find(folded.boards, name, &Board::name) != folded.boards.end(); ++n)
        name = fmt::format("{}-{}", base, n);
      folded.boards.push_back({name, product, family, gpu.facts, !board.empty()});
      std::erase_if(folded.boards.back().facts, [](const auto& entry) { return own(entry.first); });
      known = kinds.insert(kinds.end(), kind);
    }
    folded.gpus.push_back({static_cast<std::size_t>(known - kinds.begin()), gpu.facts});
  }
  for (const Placed& gpu : folded.gpus) {
    std::erase_if(folded.boards[gpu.board].facts, [&](const auto& entry) {
      const auto same = gpu.facts.find(entry.first);
      return same == gpu.facts.end() || same->second.yaml != entry.second.yaml;
    });
  }
  for (Placed& gpu : folded.gpus) {
    std::erase_if(gpu.facts, [&](const auto& entry) { return folded.boards[gpu.board].facts.contains(entry.first); });
  }
  return folded;
}

}  // namespace nvmlab::importer
