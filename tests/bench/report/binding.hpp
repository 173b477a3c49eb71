// SPDX-License-Identifier: Apache-2.0
// What the C++ binding adds to raw calls, beside its limits. Test: tests/unit/bench/bench_test.cpp.
#pragma once

#include <string>

#include "tests/bench/report/results.hpp"

namespace nvmlab::bench {

std::string binding_tables(const Results& results);

}  // namespace nvmlab::bench
