// SPDX-License-Identifier: Apache-2.0
//
// docs/benchmarks.md from the JSON that nvmlab-bench wrote. Test: tests/unit/bench/bench_test.cpp.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace nvmlab::bench {

// The page, or what is wrong with the JSON.
std::expected<std::string, std::string> report(std::string_view json);

}  // namespace nvmlab::bench
