// SPDX-License-Identifier: Apache-2.0
//
// From the printed tree to leaves with stable paths. "Stable" means: the same thing has the same path in a capture with
// one process and in one with twenty. So what is known to repeat always carries its index or its key, and anything else
// gets an index only where it does repeat. Tests: tests/unit/capture/paths_test.cpp.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "import/capture/items.hpp"

namespace nvmlab::capture {
namespace {

// How the occurrences of a repeating item are told apart.
enum class Key { ordinal, own_value, child_value };

struct Repeating {
  std::string_view parent;  // empty: under any
  std::string_view name;
  Key key;
};

// The lists that nvidia-smi prints, XML names first, then the text's.
constexpr std::array repeating{
    Repeating{"supported_clocks", "supported_mem_clock", Key::child_value},
    Repeating{"supported_mem_clock", "supported_graphics_clock", Key::ordinal},
    Repeating{"processes", "process_info", Key::ordinal},
    Repeating{"compute_processes", "process_info", Key::ordinal},  // until driver 340
    Repeating{"accounted_processes", "accounted_process_info", Key::ordinal},
    Repeating{"mig_devices", "mig_device", Key::ordinal},
    Repeating{"retired_pagelist", "retired_page_address", Key::ordinal},
    Repeating{"retired_pagelist", "retired_page", Key::ordinal},
    Repeating{"Supported Clocks", "Memory", Key::own_value},
    Repeating{"Memory", "Graphics", Key::ordinal},
    Repeating{"Processes", "GPU instance ID", Key::ordinal},
    Repeating{"Processes", "Compute instance ID", Key::ordinal},
    Repeating{"Processes", "Process ID", Key::ordinal},
    Repeating{"Compute Processes", "Process ID", Key::ordinal},
    Repeating{"Accounted Processes", "Process ID", Key::ordinal},
    Repeating{"", "MIG Device", Key::ordinal},
};

const Repeating* repeats(std::string_view parent, std::string_view name) {
  const auto* found = std::ranges::find_if(repeating, [&](const Repeating& row) {
    return row.name == name && (row.parent.empty() || row.parent == parent);
  });
  return found == repeating.end() ? nullptr : found;
}

// Index of each item's parent, and how many siblings share its name.
struct SiblingRanks {
  std::vector<std::size_t> parent;
  std::vector<std::size_t> ordinal;
  std::vector<std::size_t> total;
};

constexpr std::size_t no_parent = static_cast<std::size_t>(-1);

SiblingRanks ranks_of(const Items& items) {
  SiblingRanks ranks;
  ranks.parent.resize(items.size(), no_parent);
  ranks.ordinal.resize(items.size());
  ranks.total.resize(items.size());
  std::map<std::pair<std::size_t, std::string_view>, std::vector<std::size_t>> siblings;
  std::vector<std::size_t> open;  // the items that the current one lies in
  for (std::size_t i = 0; i < items.size(); ++i) {
    while (!open.empty() && items[open.back()].depth >= items[i].depth)
      open.pop_back();
    ranks.parent[i] = open.empty() ? no_parent : open.back();
    open.push_back(i);
    auto& same = siblings[{ranks.parent[i], items[i].name}];
    ranks.ordinal[i] = same.size();
    same.push_back(i);
  }
  for (const auto& [key, same] : siblings) {
    for (const auto i : same)
      ranks.total[i] = same.size();
  }
  return ranks;
}

// The value of the first child named "value", as DTD versions 7 to 13 name the key of a memory clock.
std::string_view child_value(const Items& items, std::size_t i) {
  for (std::size_t child = i + 1; child < items.size() && items[child].depth > items[i].depth; ++child) {
    if (items[child].depth == items[i].depth + 1 && items[child].name == "value") return items[child].value;
  }
  return {};
}

}  // namespace

void flatten(const Items& items, Capture& into) {
  const auto ranks = ranks_of(items);
  std::vector<std::string> paths(items.size());
  std::map<std::pair<std::size_t, std::string>, std::size_t> used_keys;
  int gpu = node;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& item = items[i];
    const auto parent = ranks.parent[i];
    if (item.is_gpu) {
      gpu = static_cast<int>(into.gpus.size());
      into.gpus.push_back(item.value);
      if (!item.value.empty()) into.leaves.push_back({gpu, "@id", item.value, item.line, item.column});
      continue;  // path stays empty: a GPU's leaves are relative to it
    }
    if (item.depth == 0) gpu = node;

    auto label = item.name;
    const auto* rule = parent == no_parent ? nullptr : repeats(items[parent].name, item.name);
    if (rule == nullptr) {
      if (ranks.total[i] > 1) label += fmt::format("[{}]", ranks.ordinal[i]);
    } else if (rule->key == Key::ordinal) {
      label += fmt::format("[{}]", ranks.ordinal[i]);
    } else {
      const std::string key{rule->key == Key::own_value ? std::string_view{item.value} : child_value(items, i)};
      const auto before = used_keys[{parent, key}]++;
      label += before == 0 ? fmt::format("[{}]", key) : fmt::format("[{}#{}]", key, before);
    }
    const bool at_top = parent == no_parent || paths[parent].empty();
    paths[i] = at_top ? label : fmt::format("{}/{}", paths[parent], label);
    if (item.has_value) into.leaves.push_back({gpu, paths[i], item.value, item.line, item.column});
  }
}

std::string_view without_remark(std::string_view value) {
  const auto remark = value.find(" [Deprecated");
  return remark == std::string_view::npos || !value.ends_with(']') ? value : trim(value.substr(0, remark));
}

bool is_version(std::string_view text) {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  if (text.find('.') == std::string_view::npos || !is_digit(text.front()) || !is_digit(text.back())) return false;
  return text.find("..") == std::string_view::npos &&
         std::ranges::all_of(text, [&](char letter) { return letter == '.' || is_digit(letter); });
}

std::string_view Capture::driver_version() const {
  for (const char* path : {"driver_version", "Driver Version", "kmd_version", "KMD Version"}) {
    const Leaf* leaf = find(node, path);
    if (leaf != nullptr && is_version(without_remark(leaf->value))) return without_remark(leaf->value);
  }
  return {};
}

const Leaf* Capture::find(int gpu, std::string_view path) const {
  const auto found =
      std::ranges::find_if(leaves, [&](const Leaf& leaf) { return leaf.gpu == gpu && leaf.path == path; });
  return found == leaves.end() ? nullptr : &*found;
}

}  // namespace nvmlab::capture
