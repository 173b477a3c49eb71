// SPDX-License-Identifier: Apache-2.0
//
// The file of overrides of NVIDIA's Go mock (MOCK_NVML_OVERRIDES), which a process of a machine of its own looks at
// again as it calls: at most once in MOCK_NVML_OVERRIDES_TTL, and by its time and size. What is new in it changes the
// machine through apply(), as the YAML compiler says. A file that is wrong is named once, and what was before stays.
//
// While such a file is watched, `process.store` and `process.fast_store` are null, so that every call comes to
// watched_store(), and calls of other processes pay nothing. Tests: tests/drivers/functions/overrides_test.cpp.
#pragma once

#include <cstdint>

#include "drivers/nvml/config.hpp"
#include "engine/store/store_file.hpp"

namespace nvmlab::driver {

// Whether there is a file to watch for the machine that `config` asks for. Its paths are kept.
bool watch_overrides(const Config& config);

// From now on, and no more. Under the lock of the process.
void begin_watching(Store* store);
void end_watching();

// What a thread that waits may sleep at most, so that it sees what the file brings; ~0 where none is watched.
std::uint64_t overrides_nap_ns();

}  // namespace nvmlab::driver
