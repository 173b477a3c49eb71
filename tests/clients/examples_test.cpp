// SPDX-License-Identifier: Apache-2.0
//
// Examples that users copy: those of docs/guide/command-line.md and of `nvmlab set --help` are run one after the other
// as they stand there, with the real nvidia-smi, and what they say is there is seen by it.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/clients/smi.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

class Examples : public testing::Test {
 protected:
  void SetUp() override {
    NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-550");
    path_ = nvmlab_program().parent_path().string() + ":" + client.program.parent_path().string() + ":/usr/bin:/bin";
    ASSERT_TRUE(write_file(folder_.path() / "my-node.yaml", "machine: my-node\ngpus: [{profile: t4}]\n"));
    ASSERT_TRUE(write_file(folder_.path() / "hot.yaml", "thermal: {gpu_c: 91}\n"));
    ASSERT_TRUE(write_file(folder_.path() / "test.sh", "#!/bin/sh\nnvidia-smi -L\n"));
    std::filesystem::permissions(folder_.path() / "test.sh", std::filesystem::perms::owner_all);
  }
  Outcome shell(const std::string& line) const {
    Command command;
    command.arguments = {"bash", "-c", "cd '" + folder_.path().string() + "' && " + line};
    command.environment = node_environment(Node{});
    command.environment["PATH"] = path_;
    command.environment["NVMLAB_RUNTIME_DIR"] = (folder_.path() / "machines").string();
    command.environment["NVMLAB_ROLE"] = "root";  // whoever runs the test
    command.environment.erase("LD_LIBRARY_PATH");
    return run(command);
  }
  void expect_good(const std::string& line) const {
    const Outcome outcome = shell(line);
    EXPECT_TRUE(outcome.ok()) << line << "\n" << outcome.story();
  }
  void expect_shown(const std::string& line, const std::string& text) const {
    const Outcome outcome = shell(line);
    EXPECT_NE(outcome.out.find(text), std::string::npos) << line << " does not show " << text << "\n" << outcome.out;
  }
  // What an example makes nvidia-smi show.
  void expect_seen(const std::string& example) const {
    const std::string smi = "nvmlab run --machine default -- nvidia-smi -i ";
    if (example.find("name: train, kinds: compute") != std::string::npos)
      expect_shown(smi + "0 --query-compute-apps=pid,name --format=csv,noheader", "42, train");
    if (example.find("[hw_slowdown, hw_thermal_slowdown]") != std::string::npos)
      expect_shown(smi + "1 --query-gpu=clocks_event_reasons.hw_thermal_slowdown --format=csv,noheader", "Active");
    if (example.find("'power.draw_mw=650 W'") != std::string::npos)
      expect_shown(smi + "2 --query-gpu=power.draw --format=csv,noheader", "650.00 W");
  }

 private:
  std::string path_;
  TempFolder folder_;
};

TEST_F(Examples, OfTheGuide) {
  const auto guide = read_file(source_folder() / "docs/guide/command-line.md");
  ASSERT_TRUE(guide);
  std::istringstream text(*guide);
  std::string section;
  int examples = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) section = line.substr(3);
    const bool run = section == "Run something" || section == "Machines that processes share" ||
                     section == "Look at the state and change it";
    if (!run || !line.starts_with("    nvmlab ")) continue;
    expect_good(line);
    expect_seen(line);
    ++examples;
  }
  EXPECT_GT(examples, 20);
}

TEST_F(Examples, OfTheHelpOfSet) {
  expect_good("nvmlab up --profile dgx-h100");
  std::istringstream text(shell("nvmlab set --help").out);
  int examples = 0;
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("  nvmlab set")) continue;
    expect_good(line);
    expect_seen(line);
    ++examples;
  }
  EXPECT_GE(examples, 5);
}

}  // namespace
}  // namespace nvmlab::test
