// SPDX-License-Identifier: Apache-2.0
//
// A program that runs below this one and stands for it: it gets the signals that this one gets, and this one ends as it
// did. For commands that have something to tidy up afterwards. Tests: tests/command/run_share_test.cpp.
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>

namespace nvmlab::tool {

// While it lives, signals that would end this program wait, so that what must be tidied up is.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Calls `become` in a child that has the signals of before, where it is to execute a program or to return an exit
  // code; passes signals on until that child ends. Returns its wait status, or minus errno where there is no child.
  int run_child(const std::function<int()>& become) const;

  // Whether one waits that will end this program.
  static bool one_waits();
  // Sleeps so long, or until one waits; whether one does.
  bool sleep(std::uint64_t ns) const;

 private:
  int pass_on_until_end(int child) const;

  sigset_t held_{};
  sigset_t before_{};
  struct sigaction children_before_ {};
};

// The exit code of a child that ended so; where a signal ended it, this program ends by the same.
int end_as(int wait_status);

}  // namespace nvmlab::tool
