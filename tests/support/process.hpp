// SPDX-License-Identifier: Apache-2.0
//
// Runs one command and collects everything that it said. The command gets its own process group and a deadline, at
// which the whole group is killed: a client that hangs must not hang the test run, nor may its children outlive it.
// A command that does not end by itself is ended when it has printed enough.
// Test: tests/support/process_test.cpp.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/waiting.hpp"

namespace nvmlab::test {

struct Command {
  std::vector<std::string> arguments;  // the program first; looked up in PATH when it holds no '/'
  std::map<std::string, std::optional<std::string>>
      environment{};    // changes to ours; an empty optional removes the variable
  std::string input{};  // for its stdin
  std::chrono::milliseconds time_limit = kDeadline;
  std::size_t max_output = std::size_t{256} << 20;  // of stdout and stderr together; beyond it the group is killed
  // Ends a command that does not end by itself: returns true if stdout and the process show all that the test needs.
  // Asked whenever the command prints nothing for a moment.
  std::function<bool(const std::string& out, pid_t process)> enough{};
  std::string ending{};  // what ends it then, written to its stdin again and again; empty: the group is killed
};

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal, or not started
  int signal = 0;
  bool timed_out = false;
  bool stopped = false;  // killed because it had printed enough
  std::string out;
  std::string err;
  std::string failure;  // why it could not be started or watched; else empty

  [[nodiscard]] bool ok() const { return exit_code == 0 && failure.empty(); }
  // One paragraph for a failed assertion: how it ended and the end of what it said.
  [[nodiscard]] std::string story() const;
};

[[nodiscard]] Outcome run(const Command& command);

// The command as a person would type it, for messages.
[[nodiscard]] std::string shell_words(const Command& command);

}  // namespace nvmlab::test
