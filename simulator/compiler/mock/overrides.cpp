// SPDX-License-Identifier: Apache-2.0
#include "compiler/mock/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/nearest.hpp"
#include "compiler/mock/config.hpp"
#include "compiler/mock/scalars.hpp"
#include "compiler/numbers.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::uint32_t kWord = 8;

class OverridesReader {
 public:
  explicit OverridesReader(MockOverrides& overrides) : overrides_(overrides) {}

  Problems run() {
    const yaml::Node& root = overrides_.root;
    if (root.is_null()) return {};
    if (!is_mapping(root, "a file of overrides")) return problems_;
    for (const auto& [key, value] : root.entries) {
      if (key.scalar == "version") {
        (void)mock_number(value, "version", 0xFFFF'FFFFu, 0, problems_);
      } else if (key.scalar == "all") {
        if (!value.is_null() && is_mapping(value, "all")) overrides_.all = &value;
      } else if (key.scalar == "devices") {
        if (!value.is_null() && is_mapping(value, "devices")) devices(value);
      } else {
        problems_.push_back(key.error(
            fmt::format("{} is unknown; 'version', 'all' and 'devices' would be right", in_quotes(key.scalar))));
      }
    }
    return problems_;
  }

 private:
  bool is_mapping(const yaml::Node& node, const char* key) {
    if (!node.is_mapping())
      problems_.push_back(node.error(fmt::format("{} was found; '{}' takes a mapping", node.describe(), key)));
    return node.is_mapping();
  }

  void devices(const yaml::Node& blocks) {
    for (const auto& [key, value] : blocks.entries) {
      const std::uint32_t index = mock_number(key, "devices", kMaxGpus - 1, 0, problems_);
      if (!value.is_null() && is_mapping(value, "devices")) overrides_.devices[index] = &value;
    }
  }

  MockOverrides& overrides_;
  Problems problems_;
};

// What lies in the store of a GPU.
std::vector<Gpu> stored_gpus(const Machine& machine) {
  Image image;
  std::vector<Gpu> gpus;
  if (open_image(machine.image.data(), machine.image.size(), &image) != ImageError::none) return gpus;
  gpus.resize(image.header->gpu_count);
  for (std::uint32_t i = 0; i < gpus.size(); ++i) {
    std::memset(static_cast<void*>(&gpus[i]), 0, sizeof gpus[i]);
    read_gpu(image, i, &gpus[i]);
  }
  return gpus;
}

void put_differences(const Gpu& before, const Gpu& after, std::uint32_t gpu, std::vector<Change>& changes) {
  const auto* const old_bytes = reinterpret_cast<const std::byte*>(&before);
  const auto* const new_bytes = reinterpret_cast<const std::byte*>(&after);
  for (const Topic& topic : topics()) {
    if (topic.of_node) continue;
    const std::uint32_t end = topic.offset + topic.table.size;
    const auto differs = [&](std::uint32_t at) { return std::memcmp(old_bytes + at, new_bytes + at, kWord) != 0; };
    for (std::uint32_t at = topic.offset; at < end; at += kWord) {
      if (!differs(at)) continue;
      PutBytes put{at, 0, {}};
      for (; at < end && put.size < sizeof put.bytes && differs(at); at += kWord, put.size += kWord)
        std::memcpy(put.bytes + put.size, new_bytes + at, kWord);
      changes.push_back(make_change(gpu, put));
      at -= kWord;
    }
  }
}

void append(std::vector<Change>& to, const std::vector<Change>& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

std::expected<std::unique_ptr<MockOverrides>, Problems> parse_mock_overrides(std::string_view text,
                                                                             const std::string& name) {
  auto root = yaml::parse(text, name);
  if (!root) return std::unexpected(Problems{root.error()});
  auto overrides = std::make_unique<MockOverrides>();
  overrides->root = std::move(*root);
  if (Problems problems = OverridesReader(*overrides).run(); !problems.empty())
    return std::unexpected(in_file_order(std::move(problems)));
  return overrides;
}

bool is_reloadable(std::string_view key) {
  constexpr std::string_view fixed[] = {"index",        "name",         "brand", "uuid",
                                        "minor_number", "architecture", "pci",   "compute_capability",
                                        "bar1_memory",  "num_gpu_cores"};
  return std::ranges::find(fixed, key) == std::end(fixed);
}

std::expected<MockReload, Problems> reload_mock_overrides(std::string_view config, const CompileOptions& options,
                                                          const MockTexts& texts) {
  CompileOptions image_alone = options;
  image_alone.image_alone = true;
  const auto compiled = [&](std::string_view text) -> std::expected<MockMachine, Problems> {
    const auto overrides = parse_mock_overrides(text, texts.name);
    if (!overrides) return std::unexpected(overrides.error());
    return compile_mock_config(config, image_alone, overrides->get());
  };
  const auto before = compiled(texts.before);
  if (!before) return std::unexpected(before.error());
  auto after = compiled(texts.after);
  if (!after) return std::unexpected(after.error());
  const std::vector<Gpu> was = stored_gpus(before->machine);
  const std::vector<Gpu> is = stored_gpus(after->machine);
  MockReload reload{{}, std::move(after->override_notes)};
  const auto same = [](const Problem& one, const Problem& other) { return one.text() == other.text(); };
  reload.notes.erase(std::ranges::unique(reload.notes, same).begin(), reload.notes.end());  // of `all`, once
  for (std::uint32_t gpu = 0; gpu < was.size() && gpu < is.size(); ++gpu) {
    const bool listed = gpu < before->behaviours.size() && gpu < after->behaviours.size();
    const MockTransition moves =
        listed ? transition(before->behaviours[gpu], after->behaviours[gpu], gpu) : MockTransition{};
    append(reload.changes, moves.ends);
    put_differences(was[gpu], is[gpu], gpu, reload.changes);
    append(reload.changes, moves.begins);
  }
  return reload;
}

}  // namespace nvmlab::compiler
