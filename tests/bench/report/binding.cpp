// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/report/binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace nvmlab::bench {
namespace {

// Beside a limit.
const char* judged(double measured, double limit) { return measured <= limit ? "met" : "not met"; }

// Limits of the project's own: what the binding may add to a raw call, and how often it may allocate.
struct BindingLimit {
  const char* method;
  double more_ns;   // 0: none
  int allocations;  // of the result
};
constexpr double kLineNs = 5;  // docs/decisions/0017-struct-getters.md has the reasons
constexpr double kPartNs = 10;
constexpr double kAllocationNs = 30;
constexpr BindingLimit kBindingLimits[] = {{"power_usage", 1, 0},
                                           {"memory_info", kLineNs, 0},
                                           {"running_compute_processes", 0, 1},
                                           {"name", 0, 1},
                                           {"uuid", 0, 1}};

// What a getter of a struct may add, by what its answer is made of.
double limit_of(const Measured& typed) {
  const auto counted = [&](const char* what) {
    const auto at = typed.counters.find(what);
    return at == typed.counters.end() ? 0 : at->second.median();
  };
  constexpr double kLine = 64;
  return kLineNs * std::max(1.0, std::ceil(counted("bytes") / kLine)) + kPartNs * counted("parts") +
         kAllocationNs * counted("allocations");
}

// All struct getters that were measured, those first to which the binding adds the largest share.
std::string structs(const Results& results) {
  struct Row {
    std::string method;
    double raw;
    double typed;
    double limit;
    double more() const { return typed - raw; }
    double share() const { return more() / raw; }
  };
  constexpr double kShare = 0.1;
  constexpr std::string_view prefix = "struct/raw/";
  std::vector<Row> rows;
  for (const std::string& name : results.order) {
    if (!name.starts_with(prefix)) continue;
    const std::string method = name.substr(prefix.size());
    const Measured* typed = results.find("struct/typed/" + method);
    if (typed != nullptr) rows.push_back({method, results.median_ns(name), typed->real_ns.median(), limit_of(*typed)});
  }
  if (rows.empty()) return {};
  std::ranges::sort(rows, std::ranges::greater{}, &Row::share);
  const auto within = std::ranges::count_if(rows, [](const Row& row) { return row.more() <= row.limit; });
  const auto within_share = std::ranges::count_if(rows, [](const Row& row) { return row.share() <= kShare; });
  std::string text = fmt::format(
      "\nGetters of one struct, the function's pointer taken from the table and its answer looked at in both: {} of {} "
      "add no more than their limit, {} add\nat most 10 %. The limit is {} ns for each 64 bytes of the answer, {} for "
      "each text or list in it, and {} for each allocation; what a method of its\nown adds before it copies anything "
      "is a call. Reasons are in [0017](decisions/0017-struct-getters.md).\n\n"
      "| method | raw ns | typed ns | more ns | limit ns | | more % | limit % | "
      "|\n|---|---|---|---|---|---|---|---|---|\n",
      within, rows.size(), within_share, kLineNs, kPartNs, kAllocationNs);
  for (const Row& row : rows) {
    text += fmt::format("| `{}` | {:.1f} | {:.1f} | {:.1f} | {:.0f} | {} | {:.0f} | 10 | {} |\n", row.method, row.raw,
                        row.typed, row.more(), row.limit, judged(row.more(), row.limit), row.share() * 100,
                        judged(row.share(), kShare));
  }
  return text;
}

}  // namespace

std::string binding_tables(const Results& results) {
  std::string text =
      "## The C++ binding\n\nThe same call through the table's pointer and through the typed method. `power_usage` "
      "asks a function that does nothing, the\nothers the simulated driver.\n\n"
      "| method | raw ns | typed ns | more ns | limit ns | | allocations | limit | "
      "|\n|---|---|---|---|---|---|---|---|---|\n";
  for (const BindingLimit& limit : kBindingLimits) {
    const Measured* raw = results.find(std::string("binding/raw/") + limit.method);
    const Measured* typed = results.find(std::string("binding/typed/") + limit.method);
    if (raw == nullptr || typed == nullptr) continue;
    const double more = typed->real_ns.median() - raw->real_ns.median();
    const double allocations = typed->counters.at("allocations").median();
    const std::string limit_ns =
        limit.more_ns > 0 ? fmt::format("{} | {}", limit.more_ns, judged(more, limit.more_ns)) : " | ";
    text += fmt::format("| `{}` | {:.1f} | {:.1f} | {:.1f} | {} | {:.0f} | {} | {} |\n", limit.method,
                        raw->real_ns.median(), typed->real_ns.median(), more, limit_ns, allocations, limit.allocations,
                        judged(allocations, limit.allocations));
  }
  text += structs(results);
  const std::string umbrella_ms = text_of(results.context, "umbrella_compile_ms");
  const std::string devices_kib = text_of(results.context, "devices_stripped_kib");
  return text + fmt::format(
                    "\nA file that includes `<nvmlab/nvml.hpp>` compiles in {} ms of processor time without "
                    "optimisation (limit: 1,000{}). "
                    "`examples/cookbook/devices.cpp`, built,\nis {} KiB stripped (limit: 250{}).\n\n",
                    umbrella_ms, beyond(umbrella_ms, 1000), devices_kib, beyond(devices_kib, 250));
}

}  // namespace nvmlab::bench
