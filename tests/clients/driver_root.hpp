// SPDX-License-Identifier: Apache-2.0
// A folder of `nvmlab driver-root`, and programs for which its files are those of the host.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {

class DriverRoot {
 public:
  // Of "--machine=NAME" or "--profile=NAME". False where device nodes cannot be made.
  [[nodiscard]] bool make(const std::string& of) const {
    const Outcome outcome = nvmlab({"driver-root", path().string(), of});
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return outcome.err.empty();
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "root"; }
  [[nodiscard]] std::filesystem::path libraries() const { return path() / "usr/lib64"; }

 private:
  TempFolder folder_;
};

// The command in a mount namespace of its own, behind a script of this folder that mounts something.
inline std::vector<std::string> in_own_namespace(const std::vector<std::string>& script,
                                                 const std::vector<std::string>& words) {
  std::vector<std::string> command{"unshare", "--mount"};
  if (::geteuid() != 0) command.emplace_back("--map-root-user");
  command.insert(command.end(), {"sh", (source_folder() / "tests/clients" / script.at(0)).string()});
  command.insert(command.end(), script.begin() + 1, script.end());
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

// Where the files of the root are mounted over the host's.
inline std::vector<std::string> on_driver_root(const DriverRoot& root, const std::vector<std::string>& words) {
  return in_own_namespace({"on_driver_root.sh", root.path().string()}, words);
}

inline bool can_mount_driver_root(const DriverRoot& root) {
  return run({.arguments = on_driver_root(root, {"true"})}).ok();
}

}  // namespace nvmlab::test
