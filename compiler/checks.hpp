// SPDX-License-Identifier: Apache-2.0
//
// Values that are right one by one and wrong together: memory that does not fit, limits in the wrong order, two GPUs
// with one identity. Reported where the last of them stands. Tests: tests/unit/compiler/checks_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

// "GPU-", 32 hexadecimal digits in lower case and dashes between them.
bool is_gpu_uuid(std::string_view text);

// `places` say for each GPU what to name where a value has no place of its own. `notes` take what is odd in a capture
// and a mistake in a profile that somebody wrote: a board that was overclocked, a driver that nobody knows.
void check(const NodeDraft& node, const std::vector<GpuDraft>& gpus, const std::vector<const yaml::Node*>& places,
           Problems& problems, Problems& notes);

}  // namespace nvmlab::compiler
