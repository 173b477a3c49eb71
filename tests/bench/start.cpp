// SPDX-License-Identifier: Apache-2.0
//
// Starting: dlopen and nvmlInit, each time in a fresh process (start_probe.c), from a compiled machine, from the
// machine in the library, and from YAML named by the environment; an empty library for comparison.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

#include "tests/bench/driver.hpp"

namespace nvmlab::bench {
namespace {

void start(benchmark::State& state, const std::string& library, const Variables& variables) {
  double open_us = 0;
  double init_us = 0;
  long long added = 0;
  long long added_used = 0;
  long long threads = 0;
  for (auto _ : state) {
    std::string line;
    long long open_ns = 0;
    long long init_ns = 0;
    unsigned gpus = 0;
    if (run_program(kPrograms + "/nvmlab-start-probe", library, variables, &line) != 0 ||
        std::sscanf(line.c_str(), "%lld %lld %lld %lld %lld %u", &open_ns, &init_ns, &added, &added_used, &threads,
                    &gpus) != 6) {
      state.SkipWithError("the probe failed");
      break;
    }
    open_us = static_cast<double>(open_ns) / 1e3;
    init_us = static_cast<double>(init_ns) / 1e3;
    state.SetIterationTime(static_cast<double>(open_ns + init_ns) / 1e9);
  }
  state.counters["dlopen_us"] = open_us;
  state.counters["init_us"] = init_us;
  state.counters["rss_kib"] = static_cast<double>(added);
  state.counters["rss_used_kib"] = static_cast<double>(added_used);
  state.counters["threads"] = static_cast<double>(threads);
}

// One process for each repetition: their median is that of single starts.
void add(const char* name, const std::string& library, const Variables& variables) {
  benchmark::RegisterBenchmark(name, start, library, variables)->Iterations(1)->UseManualTime();
}

[[maybe_unused]] const bool registered = [] {
  add("start/empty_library", empty_library(), {});
  add("start/compiled_machine", driver_library(), {{"NVMLAB_PROFILE", machine_file()}});
  add("start/built_in_machine", driver_library(), {});
  add("start/yaml", driver_library(), {{"NVMLAB_PROFILE", kSource + "/profiles/machines/dgx-h100.yaml"}});
  add("start/gpus_1024", driver_library(), {{"NVMLAB_PROFILE", machine_file()}, {"NVMLAB_GPUS", "1024"}});
  return true;
}();

}  // namespace
}  // namespace nvmlab::bench
