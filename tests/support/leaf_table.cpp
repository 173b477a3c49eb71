// SPDX-License-Identifier: Apache-2.0
#include "support/leaf_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace nvmlab::test {
namespace {

constexpr std::string_view heading = "# board\tgpu\tleaf\tvalue\tsource\n";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      out += text[i] == 't' ? '\t' : text[i] == 'n' ? '\n' : text[i];
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

bool looks_like_table(std::string_view bytes) { return bytes.find(heading) != std::string_view::npos; }

std::string write_table(const capture::Capture& capture, std::string_view board, std::string_view source) {
  auto out = std::string{"# SPDX-License-Identifier: Apache-2.0\n"};
  out += fmt::format("# What nvidia-smi printed on this board; written by `capture-leaves table`, not by hand.\n{}",
                     heading);
  for (const auto& leaf : capture.leaves) {
    out += fmt::format("{}\t{}\t{}\t{}\t{}\n", escaped(board), leaf.gpu, escaped(leaf.path), escaped(leaf.value),
                       escaped(source));
  }
  return out;
}

std::expected<LeafTable, capture::Error> read_table(std::string_view bytes, const std::string& name) {
  LeafTable table;
  std::size_t line_number = 0;
  while (!bytes.empty()) {
    ++line_number;
    const auto end = std::min(bytes.find('\n'), bytes.size());
    auto line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.empty() || line.starts_with('#')) continue;

    std::array<std::string_view, 5> cells;
    std::size_t count = 0;
    for (auto rest = line; count < cells.size(); ++count) {
      const auto tab = rest.find('\t');
      cells[count] = rest.substr(0, tab);
      if (tab == std::string_view::npos) {
        ++count;
        break;
      }
      rest.remove_prefix(tab + 1);
    }
    capture::Leaf leaf{0, unescaped(cells[2]), unescaped(cells[3]), line_number};
    const auto [stop, error] = std::from_chars(cells[1].data(), cells[1].data() + cells[1].size(), leaf.gpu);
    const auto tabs = static_cast<std::size_t>(std::ranges::count(line, '\t'));
    if (count != cells.size() || tabs != cells.size() - 1 || error != std::errc{} ||
        stop != cells[1].data() + cells[1].size() || leaf.gpu < capture::node) {
      return std::unexpected(capture::Error{
          name, line_number, 1,
          "not a line of a leaf table; expected five cells: board, gpu (-1 for the node), leaf, value, source"});
    }
    table.board = unescaped(cells[0]);
    table.source = unescaped(cells[4]);
    table.leaves.push_back(std::move(leaf));
  }
  return table;
}

}  // namespace nvmlab::test
