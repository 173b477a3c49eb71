// SPDX-License-Identifier: Apache-2.0
// Processes that `nvmlab ps` puts on GPUs, as the real nvidia-smi shows them: their type above all, which it makes of
// the lists that hold them.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

class SmiProcesses : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
    client_ = client;
    ASSERT_TRUE(machine.up().ok()) << machine.up().story();
    add("4194301", "mps", "trainer");
    add("4194302", "compute", "nvidia-cuda-mps-server");
    add("4194303", "compute+graphics", "viewer");
  }
  void add(const std::string& pid, const std::string& type, const std::string& name) const {
    const auto added = nvmlab({"ps", "add", "--machine", machine.name(), "--gpu", "0", "--pid", pid, "--type", type,
                               "--name", name, "--memory", "1GiB", "--sm", "40"});
    EXPECT_TRUE(added.ok()) << added.story();
  }
  std::string smi(const std::vector<std::string>& arguments) const {
    const auto outcome = machine.run_on(client_, arguments);
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return outcome.out;
  }

  // What the lists hold grew with the driver, and each nvidia-smi knows that of its own.
  static std::string driver() { return std::string{GetParam().substr(sizeof "nvidia-smi-" - 1)}; }

  UpAndDown machine{"g4dn-xlarge", {"--driver", driver()}};

 private:
  Client client_;
};

// Of the line that holds `name`: its words.
std::vector<std::string> row_of(const std::string& text, const std::string& name) {
  std::vector<std::string> words;
  for (const std::string& line : lines(text)) {
    if (line.find(name) == std::string::npos) continue;
    std::istringstream in(line);
    for (std::string word; in >> word;)
      if (word != "|") words.push_back(word);
    break;
  }
  return words;
}

TEST_P(SmiProcesses, TheTableNamesTheirType) {
  const std::string table = smi({});
  using Row = std::vector<std::string>;
  EXPECT_EQ(row_of(table, " trainer "), (Row{"0", "N/A", "N/A", "4194301", "M+C", "trainer", "1024MiB"})) << table;
  EXPECT_EQ(row_of(table, "mps-server"), (Row{"0", "N/A", "N/A", "4194302", "C", "nvidia-cuda-mps-server", "1024MiB"}));
  EXPECT_EQ(row_of(table, " viewer "), (Row{"0", "N/A", "N/A", "4194303", "C+G", "viewer", "1024MiB"}));
}

TEST_P(SmiProcesses, TheLogAndTheMonitorDoToo) {
  const std::string log = smi({"-q", "-d", "PIDS"});
  const std::size_t at = log.find("4194301");
  ASSERT_NE(at, std::string::npos) << log;
  const std::string entry = log.substr(at, 300);
  EXPECT_NE(entry.find(": M+C\n"), std::string::npos) << log;
  EXPECT_NE(entry.find(": trainer\n"), std::string::npos) << log;
  const auto monitor = smi({"pmon", "-c", "1"});
  const auto monitored = row_of(monitor, "trainer");
  ASSERT_GE(monitored.size(), 4U);
  EXPECT_EQ(monitored[1], "4194301");
  EXPECT_EQ(monitored[2], "M+C");
  EXPECT_EQ(monitored[3], "40") << "its own share, however many processes there are";
  EXPECT_EQ(row_of(monitor, "viewer").at(2), "C+G");
  EXPECT_EQ(row_of(monitor, "viewer").at(3), "40");
}

TEST_P(SmiProcesses, AQueryOfComputeProcessesHasEachOnce) {
  const std::string rows = smi({"--query-compute-apps=pid,name,used_memory", "--format=csv,noheader"});
  EXPECT_EQ(rows, "4194301, trainer, 1024 MiB\n4194302, nvidia-cuda-mps-server, 1024 MiB\n4194303, viewer, 1024 MiB\n");
}

INSTANTIATE_TEST_SUITE_P(All, SmiProcesses, testing::ValuesIn(releases), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
