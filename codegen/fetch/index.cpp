// SPDX-License-Identifier: Apache-2.0
#include "codegen/fetch/index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "codegen/fetch/download.hpp"
#include "codegen/model/version.hpp"

namespace nvmlab::codegen {
namespace {

template <class Read>
Result<std::vector<Offer>> parse(std::string_view text, const std::string& name, const char* expected, Read&& read) {
  try {
    return read(nlohmann::json::parse(text));
  } catch (const nlohmann::json::parse_error& error) {
    const auto [line, column] = position_of(text, error.byte == 0 ? 0 : error.byte - 1);
    return fail_at(name, line, column, fmt::format("not valid JSON; expected {}", expected));
  } catch (const std::exception&) {
    return fail_at(name, 0, 0, fmt::format("not the index that it should be; expected {}", expected));
  }
}

Offer offer_of(const std::string& version, const std::string& url, const nlohmann::json& entry) {
  return {version, url, url, entry.value("sha256", std::string{})};
}

// nvml.h came in this conda package once; newer channels name it the same.
constexpr std::string_view conda_package = "cuda-nvml-dev";

void add_packages(const nlohmann::json& root, const char* key, std::string_view base, std::vector<Offer>& offers) {
  if (!root.contains(key)) return;
  for (const auto& [file, entry] : root.at(key).items()) {
    if (entry.at("name").get<std::string>() != conda_package) continue;
    const std::string version = entry.at("version").get<std::string>();
    if (is_version(version)) offers.push_back(offer_of(version, join_url(base, file), entry));
  }
}

}  // namespace

Result<std::vector<Offer>> offers_in_redistrib(std::string_view json, const std::string& name, std::string_view base) {
  return parse(json, name, "NVIDIA's redistrib_*.json", [&](const nlohmann::json& root) {
    std::vector<Offer> offers;
    if (!root.is_object()) throw std::invalid_argument("not an object");
    if (!root.contains("cuda_nvml_dev")) return offers;
    const nlohmann::json& part = root.at("cuda_nvml_dev");
    const std::string version = part.at("version").get<std::string>();
    if (!part.contains("linux-x86_64") || !is_version(version)) return offers;
    const nlohmann::json& archive = part.at("linux-x86_64");
    offers.push_back(offer_of(version, join_url(base, archive.at("relative_path").get<std::string>()), archive));
    return offers;
  });
}

std::vector<std::string> redistrib_names(std::string_view page) {
  constexpr std::string_view begin = "redistrib_";
  constexpr std::string_view end = ".json";
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = page.find(begin, at)) != std::string_view::npos; at += begin.size()) {
    const std::string_view rest = page.substr(at + begin.size());
    const std::string_view version = rest.substr(0, std::min(rest.find(end), std::size_t{20}));
    if (!is_version(version) || !rest.substr(version.size()).starts_with(end)) continue;
    std::string name = fmt::format("{}{}{}", begin, version, end);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

Result<std::vector<Offer>> offers_in_repodata(std::string_view json, const std::string& name, std::string_view base) {
  return parse(json, name, "a conda channel's repodata.json", [&](const nlohmann::json& root) {
    if (!root.contains("packages") && !root.contains("packages.conda")) throw std::invalid_argument("no packages");
    // A channel may keep its packages elsewhere than its index.
    std::string place(base);
    if (root.contains("info")) place = root.at("info").value("base_url", place);
    std::vector<Offer> offers;
    add_packages(root, "packages.conda", place, offers);
    add_packages(root, "packages", place, offers);
    return offers;
  });
}

}  // namespace nvmlab::codegen
