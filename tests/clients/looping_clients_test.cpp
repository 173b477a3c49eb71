// SPDX-License-Identifier: Apache-2.0
// Real programs that go on while the driver is reloaded, a GPU is removed and found again, or the machine goes away:
// what they print then, and that they end as they should.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "tests/clients/looping.hpp"
#include "tests/clients/terminal.hpp"
#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

constexpr std::string_view kFigures = "--query-gpu=index,power.limit --format=csv,noheader -lms 100";
constexpr auto kPlace = "0000:64:00.0";  // GPU 1 of a DGX H100

class LoopingClients : public testing::TestWithParam<std::string_view>, protected Looping {};

std::string rows(unsigned first, unsigned end) {
  std::string text;
  for (unsigned i = first; i < end; ++i)
    text += fmt::format("{}, 700.00 W\n", i);
  return text;
}

TEST_P(LoopingClients, LoseTheirGpusWithTheDriver) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const Outcome outcome = loop(client, kFigures,
                               fmt::format(R"(
more 16
nvmlab driver unload --machine {0} --force
seen 'GPU is lost'
nvmlab driver load --machine {0}
more 16)",
                                           machine_.name()));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.story();
  const std::string lost = "[GPU is lost], [GPU is lost]\n";
  EXPECT_TRUE(outcome.out.starts_with(rows(0, 8))) << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with(lost + lost + lost + lost)) << "until it starts over\n" << outcome.out;
  const Outcome anew = machine_.run_on(client, {"--query-gpu=index,power.limit", "--format=csv,noheader"});
  EXPECT_EQ(anew.out, rows(0, 8));
}

TEST_P(LoopingClients, SeeNothingOfAGpuThatWasRemoved) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const Outcome outcome = loop(client, kFigures,
                               fmt::format(R"(
more 16
smi -i 1 -pm 0
smi drain -p {0} -m 1
smi drain -p {0} -r
seen '['
more 16
smi drain -d
more 16)",
                                           kPlace));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.story();
  EXPECT_TRUE(outcome.out.starts_with(rows(0, 8))) << outcome.out;
  EXPECT_NE(outcome.out.find("0, 700.00 W\n[Invalid Argument], [Invalid Argument]\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("2, 700.00 W\n"), std::string::npos) << "the others go on";
  EXPECT_EQ(machine_.run_on(client, {"--query-gpu=index,power.limit", "--format=csv,noheader"}).out, rows(0, 8));
}

// What was set goes back under a program that reads it: it sees the one state or the other, and nothing between.
TEST_P(LoopingClients, SeeASnapshotComeBack) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const std::string file = (folder_.path() / "node.snapshot").string();
  const Outcome outcome = loop(client, kFigures,
                               fmt::format(R"(
more 16
nvmlab snapshot save --machine {0} {1}
nvmlab set --machine {0} --gpu all power.limit_mw=300000
seen '7, 300.00 W'
more 16
nvmlab snapshot restore --machine {0} {1}
more 24)",
                                           machine_.name(), file));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.story();
  EXPECT_TRUE(outcome.out.starts_with(rows(0, 8))) << outcome.out;
  std::string told;  // by GPU 0: each limit once for each time that it changed
  for (const std::string& line : lines(outcome.out)) {
    if (!line.starts_with("0, ") || told.ends_with(line.substr(3))) continue;
    told += line.substr(3);
  }
  EXPECT_EQ(told, "700.00 W300.00 W700.00 W") << outcome.out;
}

// The table waits for events between two rounds, which ends at once.
TEST_P(LoopingClients, ATableEndsWithTheDriver) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const Outcome outcome = loop(client, "-l 1",
                               fmt::format(R"(
seen 'No running processes'
nvmlab driver reload --machine {} --force
seen 'GPU is lost')",
                                           machine_.name()));
  EXPECT_EQ(outcome.exit_code, 15) << outcome.story();
  EXPECT_NE(outcome.out.find("GPU is lost"), std::string::npos) << outcome.out;
}

class LoopingNvtop : public testing::Test {
 protected:
  // Runs nvtop on the machine; `change` happens when nvtop has drawn `text`. Nvtop ends when it has called NVML twice
  // more.
  Outcome draw_through(const Client& client, const std::string& text, const std::function<void()>& change) const {
    const std::string program =
        fmt::format("{} run --machine {} -- {}", nvmlab_program().string(), machine_.name(), client.program.string());
    auto environment = node_environment(Node{});
    const auto trace = folder_.path() / "trace";
    environment["NVMLAB_LOG"] = "trace:" + trace.string();
    std::uintmax_t called = 0;
    int rounds = 0;
    return draw(program, folder_.path(), environment, [&](const std::string& drawn) {
      if (rounds == 0) {
        if (drawn.find(text) == std::string::npos) return false;
        change();
      }
      if (const auto size = std::filesystem::file_size(trace); size > called) ++rounds, called = size;
      return rounds == 3;
    });
  }

  UpAndDown machine_{"dgx-h100"};
  TempFolder folder_;
};

TEST_F(LoopingNvtop, GoesOnWithoutGpus) {
  NVMLAB_REQUIRE_CLIENT(client, "nvtop");
  const Outcome outcome = draw_through(client, "Device 0 [NVIDIA H100 80GB HBM3]", [this] {
    EXPECT_TRUE(nvmlab({"driver", "reload", "--machine", machine_.name(), "--force"}).ok());
  });
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_NE(plain(outcome.out).find("Device 0 [NVIDIA H100 80GB HBM3]"), std::string::npos);
}

TEST_F(LoopingNvtop, GoesOnWhileAGpuIsRemovedAndFound) {
  NVMLAB_REQUIRE_CLIENT(client, "nvtop");
  NVMLAB_REQUIRE_CLIENT(administrator, "nvidia-smi-550");
  const Outcome outcome = draw_through(client, "Device 7 [NVIDIA H100 80GB HBM3]", [&] {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"-i", "1", "-pm", "0"},
                                               {"drain", "-p", kPlace, "-m", "1"},
                                               {"drain", "-p", kPlace, "-r"},
                                               {"drain", "-d"}}) {
      const Outcome done = machine_.run_on(administrator, words, "root");
      EXPECT_TRUE(done.ok()) << done.story();
    }
  });
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_NE(plain(outcome.out).find("Device 7 [NVIDIA H100 80GB HBM3]"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, LoopingClients, testing::ValuesIn(releases), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
