// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/driver_releases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/yaml/tree.hpp"
#include "codegen/io/files.hpp"
#include "codegen/model/version.hpp"

namespace nvmlab::codegen {
namespace {

Result<unsigned> number(const yaml::Node& node) {
  unsigned value = 0;
  const char* end = node.scalar.data() + node.scalar.size();
  const auto [at, error] = std::from_chars(node.scalar.data(), end, value);
  if (!node.is_scalar() || error != std::errc() || at != end) return fail_at(node, "a whole number was expected");
  return value;
}

using Sources = std::map<std::string, std::string, std::less<>>;

struct Context {
  const Registry& registry;
  const Drivers& drivers;
  Sources sources;
};

Result<void> read_key(const Context& context, const std::string& key, const yaml::Node& value, DriverRelease& row) {
  if (key == "table_words" || key == "nvlink_links") {
    const auto count = number(value);
    if (!count) return std::unexpected(count.error());
    (key == "table_words" ? row.table_words : row.nvlink_links) = *count;
    return {};
  }
  if (key == "field_ids") {
    for (const yaml::Node& item : value.items) {
      const auto id = number(item);
      if (!id) return std::unexpected(id.error());
      row.field_ids.push_back(*id);
    }
    return {};
  }
  if (key == "deprecates") {
    for (const yaml::Node& item : value.items) {
      if (std::ranges::count(item.scalar, '.') != 1)
        return fail_at(item, fmt::format("'{}' is no field such as power.state", item.scalar));
      row.deprecates.push_back(item.scalar);
    }
    return {};
  }
  if (key == "has") {
    for (const yaml::Node& name : value.items) {
      if (!context.drivers.symbols.contains(name.scalar))
        return fail_at(name, fmt::format("no measured driver exports '{}'", name.scalar));
      row.has.push_back(name.scalar);
    }
    return {};
  }
  if (!value.is_scalar()) return fail_at(value, fmt::format("'{}' is one word, not {}", key, value.describe()));
  if (key == "library") {
    row.library = value.scalar;
    return {};
  }
  if (key == "names") {
    if (value.scalar != "prefixed") return fail_at(value, "'prefixed' was expected");
    row.prefixed_names = true;
    return {};
  }
  if (key == "source") {
    const auto at = context.sources.find(value.scalar);
    if (at == context.sources.end())
      return fail_at(value, fmt::format("'{}' is not one of the sources above", value.scalar));
    row.source = at->second;
    return {};
  }
  if (!is_version(value.scalar)) return fail_at(value, fmt::format("'{}' is no release", value.scalar));
  if (key == "from") {
    row.from = value.scalar;
  } else if (key == "release") {
    row.release = value.scalar;
  } else if (key == "cuda") {
    row.cuda = value.scalar;
  } else if (key == "header") {
    const auto known = context.registry.versions();
    if (std::ranges::find(known, value.scalar) == known.end())
      return fail_at(value, fmt::format("{} is no header release of model/facts/nvml.json", value.scalar));
    row.header = value.scalar;
  } else if (key == "symbols" || key == "like") {
    const auto& known = context.drivers.versions;
    if (std::ranges::find(known, value.scalar) == known.end())
      return fail_at(value, fmt::format("{} is no driver of model/facts/drivers.json", value.scalar));
    (key == "like" ? row.like : row.symbols) = value.scalar;
  } else {
    return fail_at(value, fmt::format("'{}' is not one of from, release, cuda, header, symbols, like, has, library, "
                                      "table_words, names, field_ids, nvlink_links, deprecates, source",
                                      key));
  }
  return {};
}

Result<DriverRelease> read_row(const Context& context, const yaml::Node& node) {
  DriverRelease row;
  for (const auto& [key, value] : node.entries) {
    if (auto read = read_key(context, key.scalar, value, row); !read) return std::unexpected(read.error());
  }
  for (const auto& [key, value] :
       {std::pair{"from", &row.from}, std::pair{"cuda", &row.cuda}, std::pair{"source", &row.source}}) {
    if (value->empty()) return fail_at(node, fmt::format("'{}' is missing", key));
  }
  if (!row.release.empty() && row.library.empty()) row.library = row.from.substr(0, row.from.find('.'));
  if (!row.release.empty() && compare_versions(row.release, row.from) < 0)
    return fail_at(node, fmt::format("release {} is older than the row, which begins with {}", row.release, row.from));
  return row;
}

Result<void> check_order(const yaml::Node& node, const std::vector<DriverRelease>& rows, const DriverRelease& next) {
  if (!rows.empty() && compare_versions(rows.back().from, next.from) >= 0)
    return fail_at(node, fmt::format("{} does not come after {}", next.from, rows.back().from));
  if (!rows.empty() && !rows.back().release.empty() && compare_versions(rows.back().release, next.from) >= 0)
    return fail_at(node, fmt::format("{} belongs to this row, not to the one before", rows.back().release));
  const auto same = [&](const DriverRelease& row) { return !row.library.empty() && row.library == next.library; };
  if (std::ranges::any_of(rows, same)) return fail_at(node, fmt::format("two rows have the library {}", next.library));
  if (rows.size() == kMostDriverReleases)
    return fail_at(node, fmt::format("more than {} rows; presence has one bit for each", kMostDriverReleases));
  return {};
}

const DriverRelease* nearest_measured(const std::vector<DriverRelease>& releases, std::size_t row, int step) {
  for (auto at = static_cast<std::ptrdiff_t>(row); at >= 0 && at < std::ssize(releases); at += step) {
    const DriverRelease& release = releases[static_cast<std::size_t>(at)];
    if (!release.symbols.empty()) return &release;
  }
  return nullptr;
}

}  // namespace

Result<std::vector<DriverRelease>> parse_driver_releases(std::string_view text, const std::string& name,
                                                         const Registry& registry, const Drivers& drivers) {
  const auto root = yaml::parse(text, name);
  if (!root) return std::unexpected(root.error());
  Context context{registry, drivers, {}};
  if (const yaml::Node* sources = root->find("sources")) {
    for (const auto& [key, value] : sources->entries)
      context.sources.emplace(key.scalar, value.scalar);
  }
  const yaml::Node* list = root->find("drivers");
  if (list == nullptr || !list->is_sequence()) return fail_at(*root, "a list `drivers` is missing");
  std::vector<DriverRelease> rows;
  for (const yaml::Node& node : list->items) {
    auto row = read_row(context, node);
    if (!row) return std::unexpected(row.error());
    if (auto good = check_order(node, rows, *row); !good) return std::unexpected(good.error());
    if (row->table_words == 0 && !rows.empty()) row->table_words = rows.back().table_words;
    if (!rows.empty()) row->prefixed_names = row->prefixed_names || rows.back().prefixed_names;
    rows.push_back(std::move(*row));
  }
  if (rows.empty() || rows.front().symbols.empty()) return fail_at(*list, "the first driver has to be a measured one");
  return rows;
}

Result<std::vector<DriverRelease>> load_driver_releases(const std::filesystem::path& path, const Registry& registry,
                                                        const Drivers& drivers) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  return parse_driver_releases(*text, path.string(), registry, drivers);
}

std::vector<std::string> exports_of(const std::vector<DriverRelease>& releases, std::size_t row,
                                    const Registry& registry, const Drivers& drivers) {
  const DriverRelease& release = releases.at(row);
  if (!release.symbols.empty()) return drivers.symbols_of(release.symbols);
  std::set<std::string> names;
  if (!release.header.empty()) {
    for (const auto& [name, spans] : registry.functions) {
      if (at_release(spans, release.header) != nullptr) names.insert(name);
    }
  }
  names.insert(release.has.begin(), release.has.end());
  if (!release.like.empty()) {
    for (const std::string& name : drivers.symbols_of(release.like))
      names.insert(name);
  }
  const DriverRelease* older = nearest_measured(releases, row, -1);
  const DriverRelease* newer = nearest_measured(releases, row, 1);
  for (const std::string& name : drivers.symbols_of(older->symbols)) {
    if (newer == nullptr || drivers.exports(name, newer->symbols)) names.insert(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace nvmlab::codegen
