// SPDX-License-Identifier: Apache-2.0
// Real programs that go on while the driver is reloaded, a GPU is removed and found again, or the machine goes away:
// what they print then, and that they end as they should.
#include <gtest/gtest.h>

#include <thread>

#include "tests/clients/shared_machine.hpp"
#include "tests/clients/terminal.hpp"
#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

constexpr std::string_view kFigures = "--query-gpu=index,power.limit --format=csv,noheader -lms 100";
constexpr auto kPlace = "0000:64:00.0";  // GPU 1 of a DGX H100

class LoopingClients : public testing::TestWithParam<std::string_view> {
 protected:
  // nvidia-smi loops with `arguments` until the script of others is through and interrupts it. `seen TEXT` waits until
  // it has printed that, `more` until it has gone round twice more.
  Outcome loop(const Client& client, std::string_view arguments, const std::string& script) const {
    Command command;
    command.arguments = {"bash", "-c",
                         fmt::format(R"(
out={}
{} run --machine {} -- {} {} > $out 2>&1 & looping=$!
until_true() {{ for i in $(seq 200); do "$@" && return; kill -0 $looping 2> /dev/null || return; sleep 0.05; done; }}
seen() {{ until_true grep -qF -- "$1" $out; }}
lines() {{ wc -l < $out; }}
more() {{ local wanted=$(($(lines) + $1)); until_true eval '[ $(lines) -ge '$wanted' ]'; }}
smi() {{ {} run --machine {} --role root -- {} "$@" > /dev/null; }}
nvmlab() {{ {} "$@" > /dev/null; }}
{}
kill -INT $looping 2> /dev/null
wait $looping; code=$?
cat $out
exit $code)",
                                     (folder_.path() / "out").string(), nvmlab_program().string(), machine_.name(),
                                     client.program.string(), arguments, nvmlab_program().string(), machine_.name(),
                                     client.program.string(), nvmlab_program().string(), script)};
    command.environment = node_environment(Node{});
    return run(command);
  }

  UpAndDown machine_{"dgx-h100"};
  TempFolder folder_;
};

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
  UpAndDown machine_{"dgx-h100"};
  TempFolder folder_;
};

TEST_F(LoopingNvtop, GoesOnWithoutGpus) {
  NVMLAB_REQUIRE_CLIENT(client, "nvtop");
  std::thread reload([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds{700});
    EXPECT_TRUE(nvmlab({"driver", "reload", "--machine", machine_.name(), "--force"}).ok());
  });
  const std::string program =
      fmt::format("{} run --machine {} -- {}", nvmlab_program().string(), machine_.name(), client.program.string());
  const Outcome outcome = draw(program, folder_.path(), node_environment(Node{}));
  reload.join();
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_NE(plain(outcome.out).find("Device 0 [NVIDIA H100 80GB HBM3]"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, LoopingClients, testing::ValuesIn(releases), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
