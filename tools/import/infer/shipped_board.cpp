// SPDX-License-Identifier: Apache-2.0
//
// The shipped profile of a board that no log of nvidia-smi describes: deviceQuery, topologies and lists name a board,
// and a bare one with nothing but what they say would be of little use. Tests:
// tests/unit/import/device_query_test.cpp.
#include <algorithm>
#include <charconv>
#include <vector>

#include "base/yaml/tree.hpp"
#include "compiler/numbers.hpp"
#include "compiler/shipped.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

// A value of a profile, without its source.
std::string value_in(const yaml::Node& profile, std::string_view topic, std::string_view field) {
  const yaml::Node* block = profile.find(topic);
  const yaml::Node* node = block != nullptr && block->is_mapping() ? block->find(field) : nullptr;
  if (node != nullptr && node->is_mapping()) node = node->find("value");
  return node != nullptr && node->is_scalar() ? node->scalar : std::string();
}

std::uint32_t scalar_number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
  return number;
}

struct ShippedBoard {
  std::string_view profile;
  std::string product;
  std::uint32_t device_id = 0;
  std::uint64_t memory_bytes = 0;
};

std::vector<ShippedBoard> read_boards() {
  std::vector<ShippedBoard> boards;
  for (const auto& shipped : compiler::shipped_profiles()) {
    if (shipped.machine) continue;
    const auto profile = yaml::parse(shipped.text, std::string(shipped.file));
    if (!profile || !profile->is_mapping() || profile->find("abstract") != nullptr) continue;
    const auto memory = compiler::parse_quantity(value_in(*profile, "memory", "total_bytes"), "B");
    boards.push_back({shipped.name, value_in(*profile, "identity", "name"),
                      scalar_number(value_in(*profile, "pci", "device_id")), memory ? memory->magnitude : 0});
  }
  return boards;
}

const std::vector<ShippedBoard>& shipped_boards() {
  static const std::vector<ShippedBoard> boards = read_boards();
  return boards;
}

// Boards of one name differ in memory by far more than drivers do in what they reserve of it.
bool fits_memory(const ShippedBoard& board, const FieldValue* total) {
  const std::uint64_t bytes = total == nullptr ? 0 : total->number().value_or(0);
  const std::uint64_t difference = bytes > board.memory_bytes ? bytes - board.memory_bytes : board.memory_bytes - bytes;
  return bytes == 0 || board.memory_bytes == 0 || difference < board.memory_bytes / 8;
}

}  // namespace

std::string shipped_board(const Evidence& evidence, const Subject& gpu) {
  if (evidence.logged || gpu.complete || gpu.exact) return {};
  const std::vector<ShippedBoard>& boards = shipped_boards();
  const FieldValue* name = gpu.value("identity.name");
  const FieldValue* device = gpu.value("pci.device_id");
  const auto product = name == nullptr ? std::string_view() : name->text();
  const auto id = device == nullptr ? 0 : device->number().value_or(0);
  const auto found = std::ranges::find_if(boards, [&](const ShippedBoard& board) {
    return product.empty() ? id != 0 && board.device_id == id : board.product == product;
  });
  return found == boards.end() ? std::string() : std::string(found->profile);
}

void complete_names(Evidence& evidence) {
  constexpr std::string_view dots = "...";
  for (Subject& gpu : evidence.gpus) {
    const FieldValue* printed = gpu.value("identity.name");
    const bool cut = printed != nullptr && printed->text().ends_with(dots);
    if (!cut || gpu.complete || gpu.exact) continue;
    const std::string_view begin = printed->text().substr(0, printed->text().size() - dots.size());
    const FieldValue* total = gpu.value("memory.total_bytes");
    const auto fits = [&](const ShippedBoard& board) {
      return board.product.starts_with(begin) && fits_memory(board, total);
    };
    if (std::ranges::count_if(shipped_boards(), fits) != 1) continue;
    const std::string& product = std::ranges::find_if(shipped_boards(), fits)->product;
    const Origin origin = gpu.find("identity.name")->origin;
    const auto source = evidence.add_source(
        {.id = "name", .kind = "derived", .why = "nvidia-smi cut the name; one board with a shipped profile has it"});
    gpu.observed.erase("identity.name");
    evidence.observe(gpu, "identity.name", product, {source, origin.place});
  }
}

// nvidia-smi gives up on a GPU that has no brand, and every board has one.
void infer_bare_board(Evidence& evidence) {
  if (evidence.logged) return;
  for (Subject& gpu : evidence.gpus) {
    if (gpu.complete || gpu.exact || gpu.find("identity.brand") != nullptr) continue;
    const FieldValue* name = gpu.value("identity.name");
    const std::string_view product = name == nullptr ? std::string_view() : name->text();
    if (!shipped_board(evidence, gpu).empty()) continue;
    const bool consumer = product.find("GeForce") != std::string_view::npos;
    const auto source =
        evidence.add_source({.id = "brand", .kind = "assumed", .why = "no input tells the brand; every board has one"});
    evidence.observe(gpu, "identity.brand", compiler::Label{consumer ? "geforce" : "nvidia"}, {source, {}});
  }
}

}  // namespace nvmlab::importer
