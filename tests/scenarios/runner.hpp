// SPDX-License-Identifier: Apache-2.0
//
// Runs a scenario file in a folder of its own: with the nvmlab of this build and the clients that it needs in PATH,
// with machines that nobody else sees, and without any setting of the user's. What is left of it is removed, however it
// ends. Tests: tests/scenarios/runner_test.cpp.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/support/waiting.hpp"

namespace nvmlab::scenario {

enum class Verdict : unsigned char { passed, failed, skipped, rewritten };

struct Report {
  Verdict verdict = Verdict::passed;
  std::string text;  // for a person; empty where all went well
};

struct RunOptions {
  bool approve = false;   // write what was printed into the file where it is not what is expected
  bool need_all = false;  // what a scenario needs and is not there is a failure, not a reason to skip it
  std::chrono::milliseconds time_limit = test::kDeadline;  // of each command
};

Report run(const std::filesystem::path& file, const RunOptions& options);

}  // namespace nvmlab::scenario
