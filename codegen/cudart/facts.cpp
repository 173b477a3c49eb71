// SPDX-License-Identifier: Apache-2.0
#include "codegen/cudart/facts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "codegen/io/files.hpp"

namespace nvmlab::codegen::cudart {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::map<std::uint32_t, Parameters>& forms) {
  Json json = Json::object();
  for (const auto& [major, parameters] : forms) {
    Json list;
    if (parameters) list = Json::array();
    for (const Parameter& each : parameters.value_or(std::vector<Parameter>()))
      list.push_back({each.type, each.name});
    json[std::to_string(major)] = std::move(list);
  }
  return json;
}

Json to_json(const Release& release) {
  return {{"version", release.version}, {"sha256", release.sha256}, {"number", release.number}};
}

template <class Map>
void add_section(std::string& text, std::string_view name, const Map& map, bool last) {
  text += fmt::format(" \"{}\": {{\n", name);
  std::size_t left = map.size();
  for (const auto& [key, value] : map) {
    const Json json = [&] {
      if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>) {
        return Json(value);
      } else {
        return to_json(value);
      }
    }();
    text += fmt::format("  \"{}\": {}{}\n", key, json.dump(), --left > 0 ? "," : "");
  }
  text += last ? " }\n" : " },\n";
}

Parameters parameters_from(const Json& json) {
  if (json.is_null()) return {};
  std::vector<Parameter> parameters;
  for (const Json& pair : json)
    parameters.push_back({pair.at(0).get<std::string>(), pair.at(1).get<std::string>()});
  return parameters;
}

Facts from_json(const Json& json) {
  Facts facts;
  for (const auto& [major, each] : json.at("releases").items()) {
    facts.releases[static_cast<std::uint32_t>(std::stoul(major))] = {each.at("version").get<std::string>(),
                                                                     each.at("sha256").get<std::string>(),
                                                                     each.at("number").get<std::uint32_t>()};
  }
  for (const auto& [name, forms] : json.at("functions").items()) {
    for (const auto& [major, list] : forms.items())
      facts.functions[name][static_cast<std::uint32_t>(std::stoul(major))] = parameters_from(list);
  }
  for (const auto& [name, value] : json.at("errors").items())
    facts.errors[name] = value.get<std::int64_t>();
  return facts;
}

}  // namespace

std::string to_text(const Facts& facts) {
  std::string text = "{\n \"format\": 1,\n";
  add_section(text, "releases", facts.releases, false);
  add_section(text, "functions", facts.functions, false);
  add_section(text, "errors", facts.errors, true);
  return text + "}\n";
}

Result<Facts> load_facts(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  try {
    return from_json(Json::parse(*text));
  } catch (const std::exception& wrong) {
    return fail_at(path.string(), 0, 0, fmt::format("{}; `nvmlgen extract-cudart` writes it anew", wrong.what()));
  }
}

}  // namespace nvmlab::codegen::cudart
