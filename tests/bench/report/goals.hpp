// SPDX-License-Identifier: Apache-2.0
// The goals of the project beside what was measured, and the tables of all getters. Test:
// tests/unit/bench/bench_test.cpp.
#pragma once

#include <string>

#include "tests/bench/report/results.hpp"

namespace nvmlab::bench {

// `before` and `exports_before` are of an older build, or null.
std::string goals_table(const Results& now, const Exports& exports, const Results* before,
                        const Exports* exports_before);

std::string exports_tables(const Exports& exports);

}  // namespace nvmlab::bench
