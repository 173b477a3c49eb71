// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/report/results.hpp"

#include <cstdlib>

namespace nvmlab::bench {

using nlohmann::json;

namespace {

double in_ns(const json& run) {
  const std::string unit = run.value("time_unit", "ns");
  return run.at("real_time").get<double>() * (unit == "ms" ? 1e6 : unit == "us" ? 1e3 : unit == "s" ? 1e9 : 1);
}

// Names carry options of the benchmark behind them: "start/yaml/iterations:1/manual_time".
std::string bare(std::string name) {
  for (const char* option : {"/iterations:", "/repeats:", "/manual_time", "/real_time"}) {
    const auto at = name.find(option);
    if (at == std::string::npos) continue;
    const auto end = name.find('/', at + 1);
    name = name.substr(0, at) + (end == std::string::npos ? "" : name.substr(end));
  }
  return name;
}

Results results_of(const json& root) {
  Results results;
  results.context = root.at("context");
  std::map<std::string, std::pair<int, int>> registered;
  for (const json& run : root.at("benchmarks")) {
    if (run.value("run_type", "iteration") != "iteration") continue;
    const std::string name = bare(run.at("name").get<std::string>());
    if (run.value("error_occurred", false)) {
      results.failed[name] = run.value("error_message", "");
      continue;
    }
    if (!results.by_name.contains(name)) results.order.push_back(name);
    registered[name] = {run.value("family_index", 0), run.value("per_family_instance_index", 0)};
    Measured& measured = results.by_name[name];
    measured.real_ns.values.push_back(in_ns(run));
    if (run.contains("items_per_second"))
      measured.items_per_second.values.push_back(run["items_per_second"].get<double>());
    for (const char* counter :
         {"dlopen_us", "init_us", "rss_kib", "rss_used_kib", "threads", "allocations", "bytes", "parts"}) {
      if (run.contains(counter)) measured.counters[counter].values.push_back(run[counter].get<double>());
    }
  }
  std::ranges::stable_sort(results.order, {}, [&](const std::string& name) { return registered.at(name); });
  return results;
}

// Google Benchmark writes NaN for the variation of what is always zero, which is no JSON.
std::string without_nan(std::string_view text) {
  std::string clean(text);
  for (const std::string_view word : {": NaN", ": -NaN", ": Infinity", ": -Infinity"}) {
    for (auto at = clean.find(word); at != std::string::npos; at = clean.find(word, at))
      clean.replace(at, word.size(), ": null");
  }
  return clean;
}

}  // namespace

const char* beyond(const std::string& measured, double limit) {
  return std::strtod(measured.c_str(), nullptr) > limit ? ", not met" : "";
}

std::string text_of(const json& context, const char* key) {
  const auto found = context.find(key);
  return found == context.end() ? "unknown" : found->is_string() ? found->get<std::string>() : found->dump();
}

Results read_results(std::string_view text) { return results_of(json::parse(without_nan(text))); }

Exports read_exports(std::string_view text) {
  Exports exports;
  const json root = json::parse(text);
  exports.empty_ns = root.at("empty").at("ns").get<double>();
  for (const json& each : root.at("functions")) {
    exports.all.push_back({each.at("name").get<std::string>(), each.at("group").get<std::string>(),
                           each.at("ns").get<double>(), each.at("stack").get<double>()});
  }
  return exports;
}

}  // namespace nvmlab::bench
