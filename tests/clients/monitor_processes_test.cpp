// SPDX-License-Identifier: Apache-2.0
// A real process that `nvmlab ps` has put on a GPU, as nvtop, gpustat and nvitop show it: they look behind the pid,
// too.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/clients/shared_machine.hpp"
#include "tests/clients/terminal.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

class MonitorsOfProcesses : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(machine.up().ok()) << machine.up().story();
    worker_ = ::fork();
    if (worker_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;)
        ::pause();
    }
    ASSERT_GT(worker_, 0);
    const auto added =
        nvmlab({"ps", "add", "--machine", machine.name(), "--pid", pid(), "--memory", "1GiB", "--sm", "40"});
    ASSERT_TRUE(added.ok()) << added.story();
  }
  void TearDown() override {
    if (worker_ <= 0) return;
    ::kill(worker_, SIGKILL);
    ::waitpid(worker_, nullptr, 0);
  }
  std::string pid() const { return std::to_string(worker_); }
  std::string python(const Client& client, const std::string& option) const {
    const auto outcome =
        nvmlab({"run", "--machine", machine.name(), "--", "env", "PYTHONPATH=" + client.program.parent_path().string(),
                "PYTHONDONTWRITEBYTECODE=1", "python3", "-m", client.name, option});
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return outcome.out;
  }

  UpAndDown machine{"g4dn-xlarge"};

 private:
  pid_t worker_ = 0;
};

TEST_F(MonitorsOfProcesses, Gpustat) {
  NVMLAB_REQUIRE_CLIENT(client, "gpustat");
  const std::string told = python(client, "--json");
  EXPECT_NE(told.find("\"gpu_memory_usage\": 1024"), std::string::npos) << told;
  EXPECT_NE(told.find("\"pid\": " + pid()), std::string::npos) << told;
}

TEST_F(MonitorsOfProcesses, Nvitop) {
  NVMLAB_REQUIRE_CLIENT(client, "nvitop");
  const std::string told = python(client, "--once");
  static const std::regex row{R"(0 +([0-9]+) C +\S+ +1024MiB +40 )"};
  std::smatch found;
  ASSERT_TRUE(std::regex_search(told, found, row)) << told;
  EXPECT_EQ(found[1], pid());
}

TEST_F(MonitorsOfProcesses, Nvtop) {
  NVMLAB_REQUIRE_CLIENT(client, "nvtop");
  const TempFolder home;
  static const std::regex row{R"(([0-9]+) +\S+ +0 +Compute +40% +1024MiB)"};
  const auto outcome =
      draw(fmt::format("{} run --machine {} -- {}", nvmlab_program().string(), machine.name(), client.program.string()),
           home.path(), node_environment(Node{}), [](const auto& drawn) { return std::regex_search(drawn, row); });
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  const std::string text = plain(outcome.out);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, row)) << text;
  EXPECT_EQ(found[1], pid());
}

}  // namespace
}  // namespace nvmlab::test
