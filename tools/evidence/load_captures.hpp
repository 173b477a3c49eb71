// SPDX-License-Identifier: Apache-2.0
//
// What public captures show of boards under load, and how far a simulated one is from it. Each quantity is held to 3 %
// of power and 2 C where scripts/fit-load fitted on it, and to 6 % and 4 C where it was not.
// Tests: tests/unit/evidence/load_errors_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/topics/load/load_changes.hpp"

namespace nvmlab::evidence {

enum class Use : std::uint8_t { none, fitted, judged };  // none: the capture does not tell it

struct Seen {
  Use use = Use::none;
  double value = 0;
};

struct LoadCapture {
  const char* profile = nullptr;
  const char* capture = nullptr;
  const char* what = nullptr;  // that worked, and which lines of the capture show it
  SetLoad load = {};
  double seconds = 0;  // since it began
  Seen watts = {};
  Seen rise_c = {};                          // of the chip since idle
  Seen memory_rise_c = {};                   // likewise
  std::uint32_t gpu_instance = kNoInstance;  // where it works: the load is of that MIG instance
};
std::span<const LoadCapture> load_captures();

// Simulated less captured; absent where the capture does not tell it.
struct LoadErrors {
  std::optional<double> watts_percent;
  std::optional<double> rise_c;
  std::optional<double> memory_rise_c;
};
std::expected<LoadErrors, std::string> load_errors(const LoadCapture& capture);

// How far off each may be.
double most_percent(Use use);
double most_celsius(Use use);

// Whose captures the physics of a shipped board come from, in words.
std::string physics_source(const std::string& profile);

// The part of the page that tells all of this; `boards` are the profiles of boards.
std::expected<std::string, std::string> load_page(const std::vector<std::string>& boards);

}  // namespace nvmlab::evidence
