// SPDX-License-Identifier: Apache-2.0
//
// A copy of the simulated driver that simulates one machine, for Node: what the dynamic linker takes for a library of
// its own, because it is a file of its own under a path of its own. Tests: tests/testing/node_test.cpp.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

namespace nvml::testing {

// What drivers/nvml/library_machine.h has room for.
struct DriverOrders {
  std::string machine;  // the path of its file
  std::string record;   // of calls; empty: none
  std::string role;     // as NVMLAB_ROLE; empty: that of the process
};

class DriverCopy {
 public:
  // In memory where the kernel has room for such files, else in `folder`, which is the caller's and holds its path in
  // both cases. Errors are sentences.
  static std::expected<DriverCopy, std::string> make(const std::string& library, const DriverOrders& orders,
                                                     const std::filesystem::path& folder);

  DriverCopy(DriverCopy&& other) noexcept;
  DriverCopy& operator=(DriverCopy&&) = delete;
  ~DriverCopy();

  const std::string& path() const noexcept { return path_; }

 private:
  DriverCopy(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_;  // of the file in memory, whose path leads through it; -1: none
};

}  // namespace nvml::testing
