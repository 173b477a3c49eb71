// SPDX-License-Identifier: Apache-2.0
//
// nvmlab-bench: what the simulated driver costs. Options are those of Google Benchmark; `make bench` runs it and makes
// docs/benchmarks.md of its JSON with nvmlab-bench-report. Test: tests/unit/bench/bench_test.cpp.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

#include "tests/bench/binding_structs.hpp"
#include "tests/bench/description.hpp"
#include "tests/bench/driver.hpp"

int main(int count, char** arguments) {
  try {
    nvmlab::bench::forget_settings();
    nvmlab::bench::describe_machine();
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
    nvmlab::bench::register_structs();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nvmlab-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
