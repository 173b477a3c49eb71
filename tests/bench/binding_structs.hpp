// SPDX-License-Identifier: Apache-2.0
// Benchmarks of the binding's struct getters: which there are is known when the board has been asked.
// Test: tests/unit/bench/bench_test.cpp.
#pragma once

namespace nvmlab::bench {

// struct/raw/METHOD and struct/typed/METHOD.
void register_structs();

}  // namespace nvmlab::bench
