// SPDX-License-Identifier: Apache-2.0
//
// Record a machine, invert the recording, and compare: what the tests of shipped profiles and of driver branches share.
#pragma once

#include <optional>
#include <string>

namespace nvmlab::test {

struct Recorded {
  std::string name;                                  // in the report
  std::string profile;                               // a shipped one, or the path of a file
  std::optional<std::string> driver = std::nullopt;  // instead of the profile's: "535.161.08"
};

// Records the machine, imports the recording and records what was imported. Both recordings say the same, but for what
// moves by itself, and both machines are the same, but for what no recording tells (unobservable.cpp says what and
// why).
void expect_fixed_point(const Recorded& machine);

}  // namespace nvmlab::test
