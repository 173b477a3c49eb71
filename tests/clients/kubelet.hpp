// SPDX-License-Identifier: Apache-2.0
// NVIDIA's device plugin beside a kubelet of our own (fake_kubelet/): how they are started, and what the kubelet
// printed.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/clients/driver_root.hpp"

namespace nvmlab::test {

using Health = std::map<std::string, std::string>;  // by UUID

// A kubelet's folders have fixed paths, so it gets a /var of its own.
inline std::vector<std::string> in_own_var(const std::vector<std::string>& words) {
  return in_own_namespace({"own_var.sh"}, words);
}

inline bool have_namespaces() { return run({.arguments = in_own_var({nvmlab_program().string(), "--version"})}).ok(); }

// `nvmlab run ON -- kubelet OPTIONS plugin OPTIONS`.
inline std::vector<std::string> kubelet_words(const Client& kubelet, const Client& plugin, const std::string& on,
                                              const std::vector<std::string>& kubelet_options,
                                              const std::vector<std::string>& plugin_options) {
  std::vector<std::string> words{nvmlab_program().string(), "run", on};
  words.insert(words.end(), {"--", kubelet.program.string()});
  words.insert(words.end(), kubelet_options.begin(), kubelet_options.end());
  words.push_back(plugin.program.string());
  words.insert(words.end(), plugin_options.begin(), plugin_options.end());
  return words;
}

// Of one resource.
struct Told {
  std::string resource;
  std::vector<Health> health;  // each list that the plugin sent
  std::set<std::string> preferred;
  nlohmann::json allocated;
  std::vector<nlohmann::json> specifications;
};

// What the kubelet printed, resource by resource.
inline std::vector<Told> read_resources(const std::string& output) {
  std::vector<Told> all;
  for (const std::string& line : lines(output)) {
    const auto said = nlohmann::json::parse(line, nullptr, false);
    if (said.is_object() && said.contains("registered")) {
      all.emplace_back().resource = said["registered"];
      continue;
    }
    if (!said.is_object() || all.empty()) {
      ADD_FAILURE() << line;
      continue;
    }
    Told& told = all.back();
    if (said.contains("devices")) told.health.push_back(said["devices"].get<Health>());
    if (said.contains("preferred")) told.preferred = said["preferred"].get<std::set<std::string>>();
    if (said.contains("allocated")) told.allocated = said["allocated"];
    if (said.contains("specification")) told.specifications.push_back(said["specification"]);
  }
  return all;
}

}  // namespace nvmlab::test
