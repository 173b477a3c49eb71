// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "codegen/io/files.hpp"

namespace nvmlab::codegen::cuda {
namespace {

using Json = nlohmann::ordered_json;

// Of all releases together; a header drops the names of functions that drivers go on to export.
std::map<std::string, std::set<std::uint32_t>> all_versions(const std::vector<Header>& headers) {
  std::map<std::string, std::set<std::uint32_t>> versions;
  for (const Header& header : headers) {
    for (const auto& [name, releases] : header.versions)
      versions[name].insert(releases.begin(), releases.end());
  }
  return versions;
}

// The symbols of one base name and stream, by version; the releases that brought them go with the newest of them, as
// many as there are.
std::expected<void, Error> date_symbols(Facts& facts, const std::vector<Header>& headers) {
  std::map<std::string, std::map<unsigned, std::string>> families;
  for (const auto& [symbol, function] : facts.functions) {
    const SymbolParts parts = parts_of(symbol);
    families[parts.base + parts.stream][parts.version] = symbol;
  }
  for (const auto& [family, releases] : all_versions(headers)) {
    const auto found = families.find(family);
    if (found == families.end() || found->second.size() != releases.size()) {
      return fail(fmt::format("{}: cudaTypedefs.h has {} versions of it, and there are {} symbols", family,
                              releases.size(), found == families.end() ? 0 : found->second.size()));
    }
    auto release = releases.begin();
    for (const auto& [version, symbol] : found->second)
      facts.functions.at(symbol).since = *release++;
  }
  return {};
}

void add_constants(const Header& header, const std::map<std::string, std::int64_t>& found, bool oldest,
                   std::map<std::string, Constant, std::less<>>& into) {
  for (const auto& [name, value] : found)
    into.try_emplace(name, Constant{value, oldest ? 0 : header.cuda}).first->second.value = value;  // some have moved
}

Json to_json(const Function& function) {
  Json json{{"since", function.since}};
  if (!function.declared) return json;
  json["parameters"] = Json::array();
  for (const Parameter& each : function.parameters)
    json["parameters"].push_back({each.type, each.name});
  return json;
}

Json to_json(const Constant& constant) { return {{"value", constant.value}, {"since", constant.since}}; }

template <class Map>
void add_section(std::string& text, std::string_view name, const Map& map, bool last) {
  text += fmt::format(" \"{}\": {{\n", name);
  std::size_t left = map.size();
  for (const auto& [key, value] : map)
    text += fmt::format("  \"{}\": {}{}\n", key, Json(to_json(value)).dump(), --left > 0 ? "," : "");
  text += last ? " }\n" : " },\n";
}

std::map<std::string, Constant, std::less<>> constants_from(const Json& json) {
  std::map<std::string, Constant, std::less<>> constants;
  for (const auto& [name, value] : json.items())
    constants[name] = {value.at("value").get<std::int64_t>(), value.at("since").get<std::uint32_t>()};
  return constants;
}

Facts from_json(const Json& json) {
  Facts facts;
  for (const auto& [version, sum] : json.at("headers").items())
    facts.headers[version] = sum.get<std::string>();
  for (const auto& [name, each] : json.at("functions").items()) {
    Function function{each.at("since").get<std::uint32_t>(), each.contains("parameters"), {}};
    for (const Json& pair : function.declared ? each.at("parameters") : Json::array())
      function.parameters.push_back({pair.at(0).get<std::string>(), pair.at(1).get<std::string>()});
    facts.functions[name] = std::move(function);
  }
  facts.results = constants_from(json.at("results"));
  facts.attributes = constants_from(json.at("attributes"));
  return facts;
}

}  // namespace

std::uint32_t release_number(std::string_view dotted) {
  std::uint32_t numbers[2] = {};
  std::size_t at = 0;
  for (const char letter : dotted) {
    if (letter == '.' && at == 0) {
      at = 1;
    } else if (letter >= '0' && letter <= '9') {
      numbers[at] = numbers[at] * 10 + static_cast<std::uint32_t>(letter - '0');
    }
  }
  return 1000 * numbers[0] + 10 * numbers[1];
}

SymbolParts parts_of(std::string_view symbol) {
  SymbolParts parts;
  if (symbol.ends_with("_ptds") || symbol.ends_with("_ptsz")) {
    parts.stream = symbol.substr(symbol.size() - 5);
    symbol.remove_suffix(5);
  }
  const std::size_t mark = symbol.rfind("_v");
  const bool numbered =
      mark != std::string_view::npos && mark + 3 == symbol.size() && symbol[mark + 2] >= '2' && symbol[mark + 2] <= '9';
  if (numbered) {
    parts.version = static_cast<unsigned>(symbol[mark + 2] - '0');
    symbol = symbol.substr(0, mark);
  }
  parts.base = symbol;
  return parts;
}

Result<Facts> merge_headers(const std::vector<Header>& headers, const std::map<std::string, std::uint32_t>& exported) {
  std::vector<Header> sorted = headers;
  std::ranges::sort(sorted, {}, &Header::cuda);
  Facts facts;
  for (const Header& header : sorted) {
    facts.headers[header.version] = header.sha256;
    const bool oldest = header.cuda == sorted.front().cuda;
    add_constants(header, header.results, oldest, facts.results);
    add_constants(header, header.attributes, oldest, facts.attributes);
    for (const auto& [name, parameters] : header.functions)
      facts.functions[name] = {0, true, parameters};  // the newest header has the last word
  }
  for (const auto& [symbol, since] : exported)
    facts.functions.try_emplace(symbol, Function{since, false, {}});
  if (auto dated = date_symbols(facts, sorted); !dated) return std::unexpected(dated.error());
  return facts;
}

std::string to_text(const Facts& facts) {
  std::string text = "{\n \"format\": 1,\n \"headers\": " + Json(facts.headers).dump() + ",\n";
  add_section(text, "functions", facts.functions, false);
  add_section(text, "results", facts.results, false);
  add_section(text, "attributes", facts.attributes, true);
  return text + "}\n";
}

Result<Facts> load_facts(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  try {
    return from_json(Json::parse(*text));
  } catch (const nlohmann::json::exception& wrong) {
    return fail_at(path.string(), 0, 0, fmt::format("{}; `nvmlgen extract-cuda` writes it anew", wrong.what()));
  }
}

}  // namespace nvmlab::codegen::cuda
