// SPDX-License-Identifier: Apache-2.0
//
// A recording of a live NVML library, made by a process of its own: a library that crashes or hangs there takes no
// comparison with it, and two libraries never meet in one process. Tests: tests/command/compare_test.cpp.
#pragma once

#include <expected>
#include <string>

#include "import/recording/recording.hpp"

namespace nvmlab::tool {

struct Recorded {
  recording::Recording calls;
  std::string bytes;
};

// `library` is a file; empty: the installed one. Identifiers are kept, because nothing leaves the machine.
std::expected<Recorded, std::string> record_now(const std::string& library);

}  // namespace nvmlab::tool
