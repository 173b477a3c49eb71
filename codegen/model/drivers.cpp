// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/drivers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "codegen/io/files.hpp"
#include "codegen/model/facts_json.hpp"
#include "codegen/model/version.hpp"

namespace nvmlab::codegen {
namespace {

void insert_sorted(std::vector<std::string>& versions, std::string_view version) {
  const auto at = std::ranges::lower_bound(versions, version, VersionLess{});
  if (at == versions.end() || *at != version) versions.insert(at, std::string(version));
}

Drivers read_drivers(const Json& root) {
  if (root.at("format") != 1)
    throw std::invalid_argument(fmt::format("format {}; 1 is right", root.at("format").dump()));
  Drivers drivers;
  for (const Json& version : root.at("drivers"))
    insert_sorted(drivers.versions, version.get<std::string>());
  for (const auto& [symbol, versions] : root.at("symbols").items()) {
    for (const Json& version : versions) {
      const std::string text = version.get<std::string>();
      if (std::ranges::find(drivers.versions, text) == drivers.versions.end()) {
        throw std::invalid_argument(fmt::format("symbols/{}: driver '{}' is not in the list of drivers", symbol, text));
      }
      insert_sorted(drivers.symbols[symbol], text);
    }
  }
  return drivers;
}

}  // namespace

bool Drivers::exports(std::string_view symbol, std::string_view driver) const {
  const auto at = symbols.find(symbol);
  return at != symbols.end() && std::ranges::find(at->second, driver) != at->second.end();
}

std::vector<std::string> Drivers::symbols_of(std::string_view driver) const {
  std::vector<std::string> names;
  for (const auto& [symbol, by] : symbols) {
    if (std::ranges::find(by, driver) != by.end()) names.push_back(symbol);
  }
  return names;
}

std::expected<void, Error> set_driver(Drivers& drivers, std::string_view driver,
                                      const std::vector<std::string>& symbols) {
  if (!is_version(driver)) return fail(fmt::format("'{}' is not a driver release; write it as in 555.58.02", driver));
  if (symbols.empty()) return fail(fmt::format("driver {} would export nothing; expected nvml* symbols", driver));
  for (auto& [symbol, versions] : drivers.symbols)
    std::erase(versions, driver);
  std::erase_if(drivers.symbols, [](const auto& entry) { return entry.second.empty(); });
  insert_sorted(drivers.versions, driver);
  for (const std::string& symbol : symbols)
    insert_sorted(drivers.symbols[symbol], driver);
  return {};
}

std::string to_text(const Drivers& drivers) {
  std::string text =
      fmt::format("{{\n \"format\": 1,\n \"drivers\": {},\n \"symbols\": {{\n", Json(drivers.versions).dump());
  std::size_t left = drivers.symbols.size();
  for (const auto& [symbol, versions] : drivers.symbols) {
    text += fmt::format("  \"{}\": {}{}\n", symbol, Json(versions).dump(), --left == 0 ? "" : ",");
  }
  return text + " }\n}\n";
}

Result<Drivers> parse_drivers(std::string_view text, const std::string& name) {
  try {
    return read_drivers(Json::parse(text));
  } catch (const Json::parse_error& error) {
    const auto [line, column] = position_of(text, error.byte == 0 ? 0 : error.byte - 1);
    return fail_at(name, line, column, "not valid JSON; write this file with nvmlgen extract --symbols");
  } catch (const std::exception& error) {
    return fail_at(name, 0, 0, error.what());
  }
}

Result<Drivers> load_drivers(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  return parse_drivers(*text, path.string());
}

}  // namespace nvmlab::codegen
