// SPDX-License-Identifier: Apache-2.0
//
// What the shipped GPU profiles come to once all of their files are laid over one another, worked out when the library
// is built (board-compiler). A machine that names them, and of which no more is wanted than its image, is then compiled
// from the user's own file alone. Places and sources are gone: whoever finds a problem compiles the machine again, from
// all files, and reports what that finds. Tests: tests/unit/compiler/shipped_test.cpp.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

class CompiledBoards {
 public:
  CompiledBoards() = default;
  // One behind the other, as compile_boards() makes them; aligned to 8.
  explicit CompiledBoards(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // Null where there is no such board.
  const std::byte* find(std::string_view name) const;

 private:
  std::span<const std::byte> bytes_;
};

// Every shipped GPU profile that is no family.
std::expected<std::vector<std::byte>, Problems> compile_boards();

// Lays a board over drafts that nothing has been laid over so far.
void apply_compiled_board(const std::byte* board, GpuDraft& gpu, NodeDraft& node);

}  // namespace nvmlab::compiler
