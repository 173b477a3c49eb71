// SPDX-License-Identifier: Apache-2.0
#include "tests/support/leaf_table.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace nvmlab::test {
namespace {

constexpr std::string_view heading = "# gpu\tleaf\tvalue\n";

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
  using Leaves = std::vector<const capture::Leaf*>;
  std::map<int, Leaves> by_gpu;
  for (const auto& leaf : capture.leaves)
    by_gpu[leaf.gpu].push_back(&leaf);
  const int gpus = by_gpu.empty() ? 0 : by_gpu.rbegin()->first + 1;
  auto out = std::string{"# SPDX-License-Identifier: Apache-2.0\n"};
  out += "# What nvidia-smi printed on this board; written by `capture-leaves table`, not by hand.\n";
  out += fmt::format("# board: {}\n# source: {}\n# gpus: {}\n{}", escaped(board), escaped(source), gpus, heading);
  const auto row = [&](const capture::Leaf& leaf) {
    out += fmt::format("{}\t{}\t{}\n", leaf.gpu, escaped(leaf.path), escaped(leaf.value));
  };
  std::map<std::string_view, const capture::Leaf*> first;
  for (const auto& [gpu, leaves] : by_gpu) {
    std::set<std::string_view> here;
    for (const auto* leaf : leaves) {
      here.insert(leaf->path);
      if (gpu == 0) first.emplace(leaf->path, leaf);
      const auto same = first.find(leaf->path);
      if (gpu <= 0 || same == first.end() || same->second->value != leaf->value) row(*leaf);
    }
    for (const auto& [path, leaf] : first) {
      if (gpu > 0 && !here.contains(path)) out += fmt::format("{}\t{}\n", gpu, escaped(path));
    }
  }
  return out;
}

std::expected<LeafTable, capture::Error> read_table(std::string_view bytes, const std::string& name) {
  LeafTable table;
  int gpus = 0;
  std::map<int, std::map<std::string, std::optional<capture::Leaf>>> further;  // by GPU and path; empty: it lacks it
  std::size_t line_number = 0;
  const auto wrong = [&] {
    return std::unexpected(
        capture::Error{name, line_number, 1,
                       "not a line of a leaf table; expected gpu (-1 for the node), leaf and value, or gpu and leaf"});
  };
  const auto read_int = [](std::string_view text, int& number) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && stop == text.data() + text.size();
  };
  while (!bytes.empty()) {
    ++line_number;
    const auto end = std::min(bytes.find('\n'), bytes.size());
    const auto line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.starts_with("# board: ")) table.board = unescaped(line.substr(9));
    if (line.starts_with("# source: ")) table.source = unescaped(line.substr(10));
    if (line.starts_with("# gpus: ") && !read_int(line.substr(8), gpus)) return wrong();
    if (line.empty() || line.starts_with('#')) continue;
    const auto first_tab = line.find('\t');
    const auto second_tab = first_tab == std::string_view::npos ? first_tab : line.find('\t', first_tab + 1);
    capture::Leaf leaf;
    leaf.line = line_number;
    const bool lacks = second_tab == std::string_view::npos;
    if (first_tab == std::string_view::npos || !read_int(line.substr(0, first_tab), leaf.gpu)) return wrong();
    if (leaf.gpu < capture::node || leaf.gpu >= gpus || (lacks && leaf.gpu < 1)) return wrong();
    leaf.path = unescaped(line.substr(first_tab + 1, lacks ? std::string_view::npos : second_tab - first_tab - 1));
    if (!lacks) {
      const auto value = line.substr(second_tab + 1);
      if (value.contains('\t')) return wrong();
      leaf.value = unescaped(value);
    }
    if (leaf.gpu < 1) {
      table.leaves.push_back(std::move(leaf));
    } else {
      auto path = leaf.path;
      const int gpu = leaf.gpu;
      further[gpu][std::move(path)] = lacks ? std::nullopt : std::optional(std::move(leaf));
    }
  }
  const auto own = table.leaves;
  for (int gpu = 1; gpu < gpus; ++gpu) {
    auto& listed = further[gpu];
    for (auto leaf : own) {
      if (leaf.gpu != 0 || listed.contains(leaf.path)) continue;
      leaf.gpu = gpu;
      table.leaves.push_back(std::move(leaf));
    }
    for (auto& [path, leaf] : listed) {
      if (leaf) table.leaves.push_back(std::move(*leaf));
    }
  }
  return table;
}

}  // namespace nvmlab::test
