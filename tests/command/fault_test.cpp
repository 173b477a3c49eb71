// SPDX-License-Identifier: Apache-2.0
// nvmlab fault and nvmlab heal, what status and log say of them, and the lines of the kernel module.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class FaultCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "h", "--profile", "dgx-h100"});
    environment_["NVMLAB_MACHINE"] = "h";
  }
  json faults() const { return json::parse(good({"status", "--json"}))["faults"]; }
  std::string logged() const {
    std::ifstream in(file("xids"));
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
};

TEST_F(FaultCommand, IsListedUntilItIsHealed) {
  good({"fault", "--machine", "h", "--gpu", "3", "xid", "79"});
  good({"fault", "--gpu", "1", "nvlink-down", "4"});
  good({"fault", "--gpu", "1", "xid", "31"});
  const json now = faults();
  ASSERT_EQ(now.size(), 2U) << now;
  EXPECT_EQ(now[0]["gpu"], 1);
  EXPECT_EQ(now[0]["fault"], "nvlink-down 4");
  EXPECT_EQ(now[1]["gpu"], 3);
  EXPECT_EQ(now[1]["fault"], "xid 79");
  EXPECT_THAT(good({"status"}),
              MatchesRegex("[\\s\\S]*\nfaults +GPU 1: nvlink-down 4 since 20[^\n]*\nfaults +GPU 3: xid 79 since "
                           "20[^\n]*\n[\\s\\S]*"));
  EXPECT_THAT(good({"status"}), HasSubstr("8, 0 removed")) << "a lost GPU is still there";
  good({"heal", "--machine", "h", "--gpu", "3"});
  EXPECT_EQ(faults().size(), 1U);
  good({"heal", "--gpu", "1", "nvlink-down"});
  EXPECT_EQ(faults().size(), 0U);
  good({"heal"});
}

TEST_F(FaultCommand, OfALostGpuOthersAreUntouched) {
  good({"fault", "--gpu", "3", "lost"});
  const auto outcome = shell("$nvmlab run --machine h -- $nvmlab devices");
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("GPU is lost")) << outcome.story();
  good({"heal", "--gpu", "3"});
  const auto after = shell("$nvmlab run --machine h -- $nvmlab devices");
  EXPECT_TRUE(after.ok()) << after.story();
}

TEST_F(FaultCommand, ARestoredSnapshotHasNoFaults) {
  good({"snapshot", "save", file("before")});
  good({"fault", "--gpu", "3", "lost"});
  good({"fault", "--gpu", "2", "thermal-slowdown"});
  good({"snapshot", "restore", file("before")});
  EXPECT_EQ(faults().size(), 0U);
  EXPECT_THAT(good({"get", "--gpu", "2", "clocks.event_reasons"}), Not(HasSubstr("thermal")));
  EXPECT_TRUE(shell("$nvmlab run --machine h -- $nvmlab devices").out.find("GPU is lost") == std::string::npos);
}

TEST_F(FaultCommand, IsInTheLogOfTheMachine) {
  good({"fault", "--gpu", "2", "ecc-uncorrected", "dram", "--times", "3"});
  good({"heal", "--gpu", "2"});
  EXPECT_THAT(good({"log"}), HasSubstr("fault=ecc-uncorrected dram (3 times)"));
  EXPECT_THAT(good({"log"}), HasSubstr("heal"));
}

TEST_F(FaultCommand, RefusesWhatIsNoFault) {
  EXPECT_THAT(bad(2, {"fault", "los"}), HasSubstr("did you mean 'lost'?"));
  EXPECT_THAT(bad(2, {"fault", "xid"}), HasSubstr("xid takes a number, such as xid 79"));
  EXPECT_THAT(bad(2, {"fault", "xid", "seventy"}), HasSubstr("takes the number of an Xid"));
  EXPECT_THAT(bad(2, {"fault", "xid", "1"}), HasSubstr("no Xid of the catalogue; `nvmlab event xid 1`"));
  EXPECT_THAT(bad(2, {"fault", "lost", "3"}), HasSubstr("takes no second word"));
  EXPECT_THAT(bad(2, {"fault", "xid", "79", "80"}), HasSubstr("takes no third word"));
  EXPECT_THAT(bad(2, {"fault", "ecc-corrected", "dran"}), HasSubstr("did you mean 'dram'?"));
  EXPECT_THAT(bad(2, {"fault", "lost", "--times", "0"}), HasSubstr("--times takes a number from 1"));
  EXPECT_THAT(bad(1, {"fault", "--gpu", "0", "nvlink-down", "99"}), HasSubstr("GPU 0: there is no nvlink-down 99"));
  EXPECT_THAT(bad(1, {"fault", "--gpu", "9", "lost"}), HasSubstr("9"));
  EXPECT_THAT(bad(1, {"heal", "--gpu", "2", "xid", "79"}), HasSubstr("GPU 2: it does not have the fault xid 79"));
  good({"up", "t4", "--profile", "g4dn-xlarge"});
  EXPECT_THAT(bad(1, {"fault", "--machine", "t4", "fan-stopped", "0"}),
              HasSubstr("nothing that would show fan-stopped"));
  EXPECT_EQ(faults().size(), 0U);
}

// All of the GPUs or none.
TEST_F(FaultCommand, OfSeveralGpusAllFailOrNone) {
  for (int link = 0; link < 16; ++link)
    good({"fault", "--gpu", "7", "nvlink-down", std::to_string(link)});
  EXPECT_THAT(bad(1, {"fault", "lost"}), HasSubstr("GPU 7: it has 16 faults"));
  EXPECT_EQ(faults().size(), 16U);
}

TEST_F(FaultCommand, WritesTheLinesOfTheKernelModule) {
  good({"fault", "--gpu", "3", "xid", "79", "--kernel-log", file("xids")});
  good({"fault", "--gpu", "0", "xid", "95", "--gpu-instance", "5", "--kernel-log", file("xids")});
  const std::string text = logged();
  EXPECT_THAT(text,
              MatchesRegex("NVRM: Xid \\(PCI:0000:86:00\\): 79, pid='<unknown>', name=<unknown>, GPU has fallen off "
                           "the bus\\.\nNVRM: Xid \\(PCI:0000:[0-9a-f]+:00 GPU-I:05\\): 95, [^\n]*\nNVRM: Xid "
                           "\\(PCI:0000:[0-9a-f]+:00\\): 154, [^\n]*GPU recovery action changed from 0x0 \\(None\\) "
                           "to 0x1 \\(GPU Reset Required\\)\n"));
}

TEST_F(FaultCommand, TheMachineRemembersItsKernelLog) {
  good({"up", "k", "--profile", "dgx-h100", "--kernel-log", file("xids")});
  good({"fault", "--machine", "k", "--gpu", "0", "xid", "13"});
  EXPECT_THAT(logged(), HasSubstr("): 13, "));
  good({"fault", "--machine", "h", "--gpu", "0", "xid", "31"});
  EXPECT_THAT(logged(), Not(HasSubstr("): 31, "))) << "another machine";
}

TEST_F(FaultCommand, AKernelLogThatCannotBeWrittenStopsTheFault) {
  const auto with_log = [&](const std::string& path) { return bad(1, {"fault", "lost", "--kernel-log", path}); };
  EXPECT_THAT(with_log(file("none/xids")), HasSubstr("No such file or directory"));
  std::filesystem::create_symlink(file("elsewhere"), file("link"));
  EXPECT_THAT(with_log(file("link")), HasSubstr("symbolic link"));
  EXPECT_FALSE(std::filesystem::exists(file("elsewhere")));
  EXPECT_THAT(with_log("/dev/null"), HasSubstr("neither a file, nor a FIFO"));
  ASSERT_EQ(shell("mkfifo " + file("fifo")).exit_code, 0);
  EXPECT_THAT(with_log(file("fifo")), HasSubstr("nobody reads this FIFO"));
  EXPECT_EQ(faults().size(), 0U);
  EXPECT_THAT(bad(1, {"up", "k", "--profile", "t4", "--kernel-log", file("link")}), HasSubstr("symbolic link"));
}

TEST_F(FaultCommand, AReaderOfAFifoGetsTheLines) {
  const auto outcome = shell("mkfifo " + file("fifo") + "; cat " + file("fifo") + " & exec 3>" + file("fifo") +
                             "; $nvmlab fault --gpu 0 xid 48 --kernel-log " + file("fifo") + "; exec 3>&-; wait");
  EXPECT_THAT(outcome.out, HasSubstr("): 48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error"))
      << outcome.story();
}

}  // namespace
}  // namespace nvmlab::test
