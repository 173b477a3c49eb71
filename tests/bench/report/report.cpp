// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/report/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "tests/bench/report/binding.hpp"
#include "tests/bench/report/goals.hpp"
#include "tests/bench/report/results.hpp"

namespace nvmlab::bench {
namespace {

using nlohmann::json;

std::string head(const Results& results) {
  const json& context = results.context;
  std::string loads;
  if (const auto load = context.find("load_avg"); load != context.end()) {
    for (const json& each : *load)
      loads += fmt::format("{}{:.1f}", loads.empty() ? "" : ", ", each.get<double>());
  }
  std::size_t repetitions = 0;
  for (const auto& [name, measured] : results.by_name)
    repetitions = std::max(repetitions, measured.real_ns.values.size());
  return fmt::format(
      "# What the simulated driver costs\n\n"
      "Written by `make bench`; do not edit. All figures are of one run, in which the repetitions of all benchmarks "
      "were "
      "interleaved. Ratios\nare the figures to compare between machines: each is to the call of an empty function in a "
      "shared library, measured in the same run.\n\n"
      "| | |\n|---|---|\n| processor | {}, {} cores |\n| kernel | {} |\n| compiler | {}, {} |\n| libc | {} |\n"
      "| date | {} |\n| load when it began | {} |\n| repetitions | {} |\n\n",
      text_of(context, "processor"), text_of(context, "cores"), text_of(context, "kernel"),
      text_of(context, "compiler"), text_of(context, "build_type"), text_of(context, "libc"), text_of(context, "date"),
      loads.empty() ? "unknown" : loads, repetitions);
}

// Kinds of calls, by the second part of a name.
struct CallKind {
  const char* group;
  const char* what;
};
constexpr CallKind kCallKinds[] = {{"static", "number that stays"},
                                   {"string", "text"},
                                   {"live", "number that moves"},
                                   {"loaded", "the same of a GPU that trains"},
                                   {"fields", "20 field values"},
                                   {"processes", "processes: none, 32 listed"},
                                   {"setter", "setter"}};

std::string calls(const Results& results) {
  const double linked = results.median_ns("call/empty_linked");
  const double pointer = results.median_ns("call/empty_pointer");
  std::string text =
      "## Calls\n\nThrough a pointer from `dlsym`, as bindings call. `x empty` is the ratio to the empty function "
      "called by name, `x pointer` to the\nempty function called through such a pointer.\n\n"
      "| kind | function | median ns | lowest ns | x empty | x pointer |\n|---|---|---|---|---|---|\n";
  const auto row = [&](const std::string& kind, const std::string& name, const std::string& full) {
    const Measured* measured = results.find(full);
    if (measured == nullptr) return;
    const double median = measured->real_ns.median();
    text +=
        fmt::format("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n", kind, name, median, measured->real_ns.lowest(),
                    linked > 0 ? median / linked : 0, pointer > 0 ? median / pointer : 0);
  };
  row("empty", "called by name", "call/empty_linked");
  row("empty", "called through a pointer", "call/empty_pointer");
  for (const CallKind& kind : kCallKinds) {
    const std::string prefix = fmt::format("call/{}/", kind.group);
    for (const std::string& name : results.order) {
      if (name.starts_with(prefix)) row(kind.what, "`" + name.substr(prefix.size()) + "`", name);
    }
  }
  return text + "\n";
}

std::string threads(const Results& results) {
  std::string text =
      "## Threads\n\nAll threads read the same GPU. A reader writes nothing that another one reads, so getters scale "
      "as empty calls do.\n\n| function | threads | calls a second | x one thread |\n|---|---|---|---|\n";
  std::map<std::string, double> alone;
  for (const std::string& name : results.order) {
    if (!name.starts_with("threads/")) continue;
    const auto at = name.rfind("/threads:");
    const std::string function = name.substr(8, at == std::string::npos ? std::string::npos : at - 8);
    const std::string count = at == std::string::npos ? "1" : name.substr(at + 9);
    const Measured& measured = *results.find(name);
    if (measured.items_per_second.values.empty()) continue;
    const double rate = measured.items_per_second.median();
    if (count == "1") alone[function] = rate;
    text += fmt::format("| `{}` | {} | {:.0f} million | {:.2f} |\n", function, count, rate / 1e6,
                        alone[function] > 0 ? rate / alone[function] : 0);
  }
  return text + "\n";
}

std::string events(const std::string& measured) {
  if (measured.empty()) return {};
  std::string text =
      "## Events\n\nFrom the call that raises a critical error to the waiting process, through a machine that all of "
      "them share, one every\n2 ms.\n\n| who waits | raised | delivered | median us | worst us "
      "|\n|---|---|---|---|---|\n";
  for (const auto& each : nlohmann::json::parse(measured)) {
    text += fmt::format("| {} | {} | {} | {:.0f} | {:.0f} |\n", each.at("what").get<std::string>(),
                        each.at("raised").get<int>(), each.at("delivered").get<int>(),
                        each.at("median_us").get<double>(), each.at("worst_us").get<double>());
  }
  return text + "\n";
}

std::string starts(const Results& results) {
  std::string text =
      "## Starting\n\nEach repetition is a fresh process. Memory is what `/proc/self/smaps_rollup` calls Rss, as it "
      "grows over `dlopen` and `nvmlInit_v2`\n(and then over a look at the name and power draw of every GPU); most of "
      "it is "
      "what the C library's own loader touches, as the empty\nlibrary shows.\n\n"
      "| from | dlopen us | init us | both us | lowest us | KiB added | KiB after use | threads |\n"
      "|---|---|---|---|---|---|---|---|\n";
  struct Row {
    const char* name;
    const char* what;
  };
  for (const Row& row :
       {Row{"empty_library", "an empty library"}, Row{"compiled_machine", "a compiled machine, 8 GPUs"},
        Row{"built_in_machine", "the machine in the library, 8 GPUs"},
        Row{"yaml", "YAML named by the environment, 8 GPUs"}, Row{"gpus_1024", "a compiled machine, 1,024 GPUs"}}) {
    const Measured* measured = results.find(std::string("start/") + row.name);
    if (measured == nullptr) continue;
    const auto counter = [&](const char* name) { return measured->counters.at(name).median(); };
    text +=
        fmt::format("| {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |\n", row.what,
                    counter("dlopen_us"), counter("init_us"), measured->real_ns.median() / 1e3,
                    measured->real_ns.lowest() / 1e3, counter("rss_kib"), counter("rss_used_kib"), counter("threads"));
  }
  const std::string stored = text_of(results.context, "library_stored_bytes");
  return text + fmt::format("\nThe library is {:.0f} KiB without debug information (limit: 1,536{}).\n\n",
                            std::strtod(stored.c_str(), nullptr) / 1024, beyond(stored, 1536 * 1024));
}

std::string scale(const Results& results) {
  std::string text =
      "## Many GPUs\n\n`walk` finds every GPU by its index and asks five getters; `nvidia-smi -L` is the real program "
      "of driver 550. The cost of each\nfurther GPU stays the same where a thing is linear.\n\n"
      "| what | GPUs | median us | us for each further GPU |\n|---|---|---|---|\n";
  for (const std::string what : {"walk", "nvidia-smi -L"}) {
    double before = 0;
    double fewer = 0;
    for (const int gpus : {8, 64, 256, 1024}) {
      const Measured* measured = results.find(fmt::format("scale/{}/{}", what, gpus));
      if (measured == nullptr) continue;
      const double us = measured->real_ns.median() / 1e3;
      text += fmt::format("| `{}` | {} | {:.1f} | {} |\n", what, gpus, us,
                          fewer > 0 ? fmt::format("{:.3f}", (us - before) / (gpus - fewer)) : "");
      before = us;
      fewer = gpus;
    }
  }
  return text + "\n";
}

std::string imports(const Results& results) {
  std::string text =
      "## Import of captures\n\n`nvmlab import` without reading and writing files. The limit is 200 ms for the longest "
      "capture.\n\n| what | median ms |\n|---|---|\n";
  for (const std::string& name : results.order) {
    constexpr std::string_view prefix = "import/";
    if (name.starts_with(prefix))
      text += fmt::format("| {} | {:.1f} |\n", name.substr(prefix.size()), results.find(name)->real_ns.median() / 1e6);
  }
  return text + "\n";
}

constexpr const char* kPeer =
    "## NVIDIA's Go mock\n\nFigures that were measured for the plan of this project, on another day and not by this "
    "run: a "
    "static getter 220 to 420 ns, 20 field\nvalues 7,000 ns, several threads together slower than one, start from YAML "
    "3 to "
    "6 ms, 7 to 12 MiB of memory added.\n";

std::string failures(const Results& results) {
  std::string text;
  for (const auto& [name, message] : results.failed)
    text += fmt::format("- `{}` was not measured: {}\n", name, message);
  return text.empty() ? "" : "## Not measured\n\n" + text + "\n";
}

}  // namespace

std::expected<std::string, std::string> report(const Measurements& now, const Measurements& before) {
  try {
    const Results results = read_results(now.benchmarks);
    const Exports exports = read_exports(now.exports);
    std::string goals = before.benchmarks.empty() ? goals_table(results, exports, nullptr, nullptr) : [&] {
      const Results old = read_results(before.benchmarks);
      const Exports old_exports = read_exports(before.exports);
      return goals_table(results, exports, &old, &old_exports);
    }();
    return head(results) + goals + calls(results) + exports_tables(exports) + binding_tables(results) +
           threads(results) + events(now.events) + starts(results) + scale(results) + imports(results) +
           failures(results) + kPeer;
  } catch (const std::exception& error) {  // JSON of another form
    return std::unexpected(std::string(error.what()));
  }
}

}  // namespace nvmlab::bench
