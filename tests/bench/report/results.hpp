// SPDX-License-Identifier: Apache-2.0
//
// What `make bench` has measured, read back from JSON: that of Google Benchmark, and that of nvmlab-bench-exports.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::bench {

struct Series {
  std::vector<double> values;

  double median() const {
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  double lowest() const { return *std::ranges::min_element(values); }
};

// Of one benchmark, what each repetition measured.
struct Measured {
  Series real_ns;
  Series items_per_second;
  std::map<std::string, Series> counters;
};

struct Results {
  nlohmann::json context;
  std::vector<std::string> order;  // as the benchmarks were registered; interleaved, they run in any order
  std::map<std::string, Measured> by_name;
  std::map<std::string, std::string> failed;

  const Measured* find(const std::string& name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : &found->second;
  }
  double median_ns(const std::string& name) const {
    const Measured* measured = find(name);
    return measured == nullptr ? 0 : measured->real_ns.median();
  }
};

// One getter, by the walk of all of them.
struct Export {
  std::string name;
  std::string group;
  double ns = 0;
  double stack = 0;
};

struct Exports {
  double empty_ns = 0;
  std::vector<Export> all;
};

// Both throw for JSON of another form.
Results read_results(std::string_view text);
Exports read_exports(std::string_view text);

std::string text_of(const nlohmann::json& context, const char* key);

// Behind a limit in a sentence; what was not measured is said before it.
const char* beyond(const std::string& measured, double limit);

}  // namespace nvmlab::bench
