// SPDX-License-Identifier: Apache-2.0
//
// Calls the nvmlab program that was built, with machines of its own: each test has a private NVMLAB_RUNTIME_DIR.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {

class Cli : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  Outcome nvmlab(Words words) const;
  // With $nvmlab and $probe in its environment, and the functions of tests/support/waiting.sh.
  Outcome shell(const std::string& script) const;
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string program() const { return (binary_folder() / "bin/nvmlab").string(); }
  std::string probe() const { return (binary_folder() / "tests/node-probe").string(); }

  // Succeeded and had nothing to complain about; what it printed.
  std::string good(Words words) const;
  // Failed with that code, printed nothing, and said one line on standard error; that line without "nvmlab: ".
  std::string bad(int code, Words words) const;

  std::map<std::string, std::optional<std::string>> environment_;

 private:
  Outcome run_with_environment(Words words) const;
  TempFolder folder_;
};

}  // namespace nvmlab::test
