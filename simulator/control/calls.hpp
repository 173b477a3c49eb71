// SPDX-License-Identifier: Apache-2.0
//
// The calls that a program made of the simulated driver, as `nvmlab run --record-calls FILE` or NVMLAB_RECORD_CALLS has
// recorded them: what was asked, with which arguments, and what was answered; and expectations of them.
//
//   const auto calls = control::read_calls("calls");
//   const auto expected = control::read_expectation("nvmlDeviceGetTemperature(device=GPU 3) -> GPU_IS_LOST >= 2");
//   if (!expected->holds(*calls)) ...
//
// Tests: tests/unit/control/calls_test.cpp, tests/command/calls_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nvmlab::control {

inline constexpr const char* kRecordVariable = "NVMLAB_RECORD_CALLS";

struct Call {
  std::uint32_t pid = 0;
  std::uint32_t code = 0;
  std::string function;
  // By their names, "memory.total" of a member; as the trace tells them: 0, "text" without its quotes, GPU 3.
  std::vector<std::pair<std::string, std::string>> arguments;

  const std::string* find(std::string_view argument) const;
};

// An error is a sentence: there is no such file, or it is no record.
std::expected<std::vector<Call>, std::string> read_calls(const std::string& path);
std::optional<Call> read_call(std::string_view line);

// Makes the file, empty, for whoever records next; refuses one that has something else in it.
std::expected<void, std::string> begin_record(const std::string& path);

// How often a call is expected: FUNCTION[(ARGUMENT=VALUE, ...)][ -> CODE][ = N | >= N | <= N]; at least once without a
// number. FUNCTION is a name, also of its later versions, or a pattern such as nvmlDeviceGet*.
struct CallExpectation {
  std::string text;
  std::string function;
  std::vector<std::pair<std::string, std::string>> arguments;
  std::optional<std::uint32_t> code;
  std::uint64_t least = 1;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

  bool is_about(const Call& call) const;
  std::uint64_t count(std::span<const Call> calls) const;
  bool holds(std::span<const Call> calls) const;
};
std::expected<CallExpectation, std::string> read_expectation(const std::string& text);

}  // namespace nvmlab::control
