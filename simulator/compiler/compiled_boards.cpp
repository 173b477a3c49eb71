// SPDX-License-Identifier: Apache-2.0
#include "compiler/compiled_boards.hpp"

#include <cstdint>
#include <cstring>

#include "compiler/shipped.hpp"
#include "engine/store/image.hpp"

namespace nvmlab::compiler {
namespace {

// In front of an image of the node and one GPU, and of the leaves that the profile states.
struct BoardHead {
  std::uint32_t size;  // of all of it, a multiple of eight
  std::uint32_t image_size;
  std::uint32_t gpu_leaves;
  std::uint32_t node_leaves;
};
static_assert(sizeof(BoardHead) % 8 == 0);

// A leaf, in one word with whether the profile says that drivers refuse it as deprecated.
using StatedLeaf = std::uint16_t;
constexpr StatedLeaf kSaysDeprecated = 1 << 15;

BoardHead head_at(const std::byte* at) {
  BoardHead head{};
  std::memcpy(&head, at, sizeof head);
  return head;
}

Image image_at(const std::byte* board) { return view_image(board + sizeof(BoardHead)); }

std::vector<StatedLeaf> stated_leaves(const Marks& marks) {
  std::vector<StatedLeaf> stated;
  for (std::size_t leaf = 0; leaf < marks.size(); ++leaf) {
    if (marks[leaf].place == nullptr) continue;
    stated.push_back(static_cast<StatedLeaf>(leaf | (marks[leaf].deprecated ? kSaysDeprecated : 0)));
  }
  return stated;
}

void mark(const std::byte* leaves, std::uint32_t count, Marks& marks) {
  // Marks point to it instead of to a profile's text.
  static const yaml::Place stated{std::make_shared<const std::string>("profiles")};
  for (std::uint32_t i = 0; i < count; ++i) {
    StatedLeaf leaf{};
    std::memcpy(&leaf, leaves + i * sizeof leaf, sizeof leaf);
    const bool deprecated = (leaf & kSaysDeprecated) != 0;
    marks[leaf & ~kSaysDeprecated] = {&derived_source(), &stated, 0, deprecated};
  }
}

void append(const void* from, std::size_t size, std::vector<std::byte>& bytes) {
  const auto* const begin = static_cast<const std::byte*>(from);
  bytes.insert(bytes.end(), begin, begin + size);
}

void add_board(const std::string& name, const GpuDraft& gpu, const NodeDraft& node, std::vector<std::byte>& bytes) {
  const auto of_gpu = stated_leaves(gpu.marks);
  const auto of_node = stated_leaves(node.marks);
  const std::uint64_t image_size = write_image(*node.state, gpu.state.get(), 1, name.c_str(), nullptr);
  std::vector<std::uint64_t> image(image_size / 8);
  write_image(*node.state, gpu.state.get(), 1, name.c_str(), image.data());
  const std::size_t size = sizeof(BoardHead) + image_size + (of_gpu.size() + of_node.size()) * sizeof(StatedLeaf);
  const std::size_t padded = (size + 7) / 8 * 8;
  const BoardHead head{static_cast<std::uint32_t>(padded), static_cast<std::uint32_t>(image_size),
                       static_cast<std::uint32_t>(of_gpu.size()), static_cast<std::uint32_t>(of_node.size())};
  append(&head, sizeof head, bytes);
  append(image.data(), image_size, bytes);
  append(of_gpu.data(), of_gpu.size() * sizeof(StatedLeaf), bytes);
  append(of_node.data(), of_node.size() * sizeof(StatedLeaf), bytes);
  bytes.resize(bytes.size() + padded - size);
}

}  // namespace

const std::byte* CompiledBoards::find(std::string_view name) const {
  for (std::size_t at = 0; at < bytes_.size(); at += head_at(bytes_.data() + at).size) {
    if (name == image_at(bytes_.data() + at).header->name) return bytes_.data() + at;
  }
  return nullptr;
}

std::expected<std::vector<std::byte>, Problems> compile_boards() {
  std::vector<std::byte> bytes;
  for (const ShippedProfile& profile : shipped_profiles()) {
    if (profile.machine) continue;
    Problems problems;
    Documents documents(problems);
    const Document* const document = documents.open_family(profile.name);
    if (document != nullptr && document->abstract) continue;
    GpuDraft gpu;
    NodeDraft node;
    if (document != nullptr) Layers(documents, problems).apply_profile(*document, gpu, node);
    if (!problems.empty()) return std::unexpected(problems);
    add_board(document->name, gpu, node, bytes);
  }
  return bytes;
}

void apply_compiled_board(const std::byte* board, GpuDraft& gpu, NodeDraft& node) {
  const BoardHead head = head_at(board);
  const Image image = image_at(board);
  read_node(image, node.state.get());
  read_gpu(image, 0, gpu.state.get());
  const std::byte* const leaves = board + sizeof head + head.image_size;
  mark(leaves, head.gpu_leaves, gpu.marks);
  mark(leaves + head.gpu_leaves * sizeof(StatedLeaf), head.node_leaves, node.marks);
}

}  // namespace nvmlab::compiler
