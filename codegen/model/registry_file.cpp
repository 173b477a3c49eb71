// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/registry_file.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "codegen/io/files.hpp"
#include "codegen/model/facts_json.hpp"

namespace nvmlab::codegen {
namespace {

constexpr int format_number = 1;

template <class T>
std::string line_of(const Span<T>& span) {
  Json json = {{"since", span.since}};
  if (!span.until.empty()) json["until"] = span.until;
  json.update(to_json(span.definition));
  return json.dump();
}

template <class T>
void write_table(std::string& text, std::string_view title, const Table<T>& table, bool last) {
  text += fmt::format(" \"{}\": {{\n", title);
  std::size_t left = table.size();
  for (const auto& [name, spans] : table) {
    text += fmt::format("  \"{}\": [", name);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      text += spans.size() == 1 ? "" : "\n   ";
      text += line_of(spans[i]);
      if (i + 1 < spans.size()) text += ',';
    }
    text += --left == 0 ? "]\n" : "],\n";
  }
  text += last ? " }\n" : " },\n";
}

// Where a registry is wrong, for an error that points at a line: table, name and number of the definition.
struct Cursor {
  std::string table;
  std::string name;
  std::size_t index = 0;
};

template <class T>
void read_table(const Json& root, const char* title, Table<T>& table, Cursor& cursor) {
  cursor = {title, {}, 0};
  for (const auto& [name, spans] : root.at(title).items()) {
    cursor.name = name;
    cursor.index = 0;
    if (!spans.is_array() || spans.empty()) throw std::invalid_argument("expected a list with at least one definition");
    History<T>& list = table[name];
    for (const Json& json : spans) {
      ++cursor.index;
      Span<T> span{
          json.at("since").get<std::string>(), json.contains("until") ? json.at("until").get<std::string>() : "", {}};
      span.definition.name = name;
      from_json(json, span.definition);
      list.push_back(std::move(span));
    }
  }
  cursor = {};
}

// In the order of the file. `Owner` is a registry, constant or not.
template <class Owner, class Visit>
void each_table(Owner& registry, Visit visit) {
  visit("functions", registry.functions);
  visit("records", registry.records);
  visit("enums", registry.enums);
  visit("enumerators", registry.enumerators);
  visit("typedefs", registry.typedefs);
  visit("handles", registry.handles);
  visit("macros", registry.macros);
}

Registry read_registry(const Json& root, Cursor& cursor) {
  if (!root.is_object() || !root.contains("format"))
    throw std::invalid_argument("not a registry: no 'format'; write it with nvmlgen extract");
  if (root.at("format") != format_number) {
    throw std::invalid_argument(
        fmt::format("format {}; this nvmlgen reads format {}", root.at("format").dump(), format_number));
  }
  Registry registry;
  cursor.table = "releases";
  for (const auto& [version, json] : root.at("releases").items()) {
    cursor.name = version;
    ReleaseInfo info{version, json.at("sha256").get<std::string>(), {}};
    from_json(json.at("counts"), info.counts);
    if (!is_version(version)) throw std::invalid_argument("not a release name");
    registry.releases.push_back(std::move(info));
  }
  if (registry.releases.empty()) throw std::invalid_argument("no release at all");
  std::ranges::sort(registry.releases, VersionLess{}, &ReleaseInfo::version);
  each_table(registry, [&](const char* title, auto& table) { read_table(root, title, table, cursor); });
  return registry;
}

// A short form of nlohmann's messages: without its "[json.exception.type_error.302] ".
std::string_view plain(std::string_view what) {
  const std::size_t end = what.starts_with('[') ? what.find("] ") : std::string_view::npos;
  return end == std::string_view::npos ? what : what.substr(end + 2);
}

Error error_at(const Cursor& cursor, std::string_view text, const std::string& file, std::string_view what) {
  if (cursor.table.empty()) return {file, 0, 0, std::string(plain(what))};
  std::string where = cursor.table;
  std::size_t at = text.find(fmt::format("\"{}\"", cursor.table));
  if (!cursor.name.empty()) {
    where += fmt::format("/{}", cursor.name);
    at = text.find(fmt::format("\"{}\":", cursor.name), at == std::string_view::npos ? 0 : at);
  }
  if (cursor.index > 1) where += fmt::format(" (definition {})", cursor.index);
  const auto [line, column] = position_of(text, at == std::string_view::npos ? 0 : at);
  return {file, line, column, fmt::format("{}: {}", where, plain(what))};
}

}  // namespace

std::string to_text(const Registry& registry) {
  std::string text = fmt::format("{{\n \"format\": {},\n \"releases\": {{\n", format_number);
  for (std::size_t i = 0; i < registry.releases.size(); ++i) {
    const ReleaseInfo& info = registry.releases[i];
    const Json json = {{"sha256", info.sha256}, {"counts", to_json(info.counts)}};
    text += fmt::format("  \"{}\": {}{}\n", info.version, json.dump(), i + 1 < registry.releases.size() ? "," : "");
  }
  text += " },\n";
  each_table(registry, [&](const char* title, const auto& table) {
    write_table(text, title, table, static_cast<const void*>(&table) == &registry.macros);
  });
  return text + "}\n";
}

Result<Registry> parse_registry(std::string_view text, const std::string& name) {
  Cursor cursor;
  try {
    const Json root = Json::parse(text);
    return read_registry(root, cursor);
  } catch (const Json::parse_error& error) {
    const auto [line, column] = position_of(text, error.byte == 0 ? 0 : error.byte - 1);
    return fail_at(name, line, column, fmt::format("not valid JSON: {}", plain(error.what())));
  } catch (const std::exception& error) {
    return std::unexpected(error_at(cursor, text, name, error.what()));
  }
}

Result<Registry> load_registry(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  return parse_registry(*text, path.string());
}

}  // namespace nvmlab::codegen
