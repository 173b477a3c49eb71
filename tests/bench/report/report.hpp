// SPDX-License-Identifier: Apache-2.0
//
// docs/benchmarks.md from the JSON that nvmlab-bench wrote. Test: tests/unit/bench/bench_test.cpp.
#pragma once

#include <expected>
#include <string>

namespace nvmlab::bench {

// What one build was measured to cost, as JSON: that of nvmlab-bench, of nvmlab-bench-exports and of
// nvmlab-bench-events, which may be left out.
struct Measurements {
  std::string benchmarks;
  std::string exports;
  std::string events = {};
};

// The page, or what is wrong with the JSON. With an empty `before` nothing stands beside the figures.
std::expected<std::string, std::string> report(const Measurements& now, const Measurements& before = {});

}  // namespace nvmlab::bench
