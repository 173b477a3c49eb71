// SPDX-License-Identifier: Apache-2.0
//
// A process of its own that initialises under some variables and looks around: what it sees, and what it says.
#pragma once

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {

// What one process that initialises and looks around says and sees.
struct Node {
  int init = -1;
  unsigned gpus = 0;
  std::string name;     // of the last GPU
  std::string version;  // of the driver
  std::string err;      // standard error
  std::ptrdiff_t lines() const { return std::count(err.begin(), err.end(), '\n'); }
  bool says(const std::string& text) const { return err.find(text) != std::string::npos; }
};

inline Node look(std::initializer_list<Environment::Value> values, const std::function<void()>& more = {}) {
  const TemporaryFolder folder;
  const std::string err = folder.path() / "stderr";
  const Environment environment(values);
  const std::string said = in_child([&]() -> std::string {
    const int fd = ::open(err.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    ::dup2(fd, 2);
    const Driver& driver = Driver::get();
    std::string text = std::to_string(driver.init()) + "\n";
    const unsigned gpus = driver.count();
    text += std::to_string(gpus) + "\n";
    text += driver.text("nvmlDeviceGetName", gpus > 0 && gpus < 0xFFFF ? driver.device(gpus - 1) : 0) + "\n" +
            driver.version() + "\n";
    if (more) more();
    driver.shutdown();
    return text;
  });
  Node node;
  std::vector<std::string> parts;
  for (std::size_t at = 0, end = 0; (end = said.find('\n', at)) != std::string::npos; at = end + 1)
    parts.push_back(said.substr(at, end - at));
  EXPECT_EQ(parts.size(), 4U) << said;
  if (parts.size() != 4) return node;
  node.init = std::stoi(parts[0]);
  node.gpus = static_cast<unsigned>(std::stoul(parts[1]));
  node.name = parts[2];
  node.version = parts[3];
  node.err = read_file(err);
  return node;
}

inline void expect_failure(const Node& node, int code, std::initializer_list<const char*> words) {
  EXPECT_EQ(node.init, code) << node.err;
  EXPECT_EQ(node.gpus, 0xFFFFU) << "nothing is initialised";
  EXPECT_EQ(node.lines(), 1) << node.err;
  EXPECT_TRUE(node.err.starts_with("nvmlab[")) << node.err;
  for (const char* word : words)
    EXPECT_TRUE(node.says(word)) << "'" << word << "' is missing in: " << node.err;
}

inline void expect_node(const Node& node, unsigned gpus, const std::string& name) {
  EXPECT_EQ(node.init, kSuccess) << node.err;
  EXPECT_EQ(node.gpus, gpus);
  EXPECT_EQ(node.name, name);
  EXPECT_EQ(node.err, "");
}

}  // namespace nvmlab::driver_test
