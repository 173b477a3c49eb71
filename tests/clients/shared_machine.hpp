// SPDX-License-Identifier: Apache-2.0
// A machine that `nvmlab up` made for one test, and programs that run on it one after the other.
#pragma once

#include <unistd.h>

#include "tests/clients/smi.hpp"

namespace nvmlab::test {

inline Outcome nvmlab(const std::vector<std::string>& arguments) {
  Command command;
  command.arguments = {nvmlab_program().string()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = node_environment(Node{});
  return run(command);
}

// A machine of this test's own; taken down also when an assertion ends the test.
class UpAndDown {
 public:
  explicit UpAndDown(const std::string& profile, const std::vector<std::string>& options = {})
      : name_("test-" + std::to_string(::getpid())) {
    std::vector<std::string> words{"up", name_, "--profile", profile};
    words.insert(words.end(), options.begin(), options.end());
    up_ = nvmlab(words);
  }
  ~UpAndDown() {
    if (!down_) {
      EXPECT_TRUE(nvmlab({"down", name_}).ok());
    }
  }
  UpAndDown(const UpAndDown&) = delete;
  UpAndDown& operator=(const UpAndDown&) = delete;

  [[nodiscard]] const Outcome& up() const { return up_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // As whoever runs the test, or in a role.
  [[nodiscard]] Outcome run_on(const Client& client, const std::vector<std::string>& arguments,
                               const std::string& role = "") const {
    std::vector<std::string> words{"run", "--machine", name_};
    if (!role.empty()) words.insert(words.end(), {"--role", role});
    words.insert(words.end(), {"--", client.program.string()});
    words.insert(words.end(), arguments.begin(), arguments.end());
    return nvmlab(words);
  }
  Outcome take_down() {
    down_ = true;
    return nvmlab({"down", name_});
  }

 private:
  std::string name_;
  Outcome up_;
  bool down_ = false;
};

}  // namespace nvmlab::test
