// SPDX-License-Identifier: Apache-2.0
// nvmlab play: what it prints, how it ends, and that nothing of it is left.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::test {
namespace {

class Play : public Cli {
 protected:
  std::string drill(const std::string& steps, const std::string& machine = "{profile: dgx-h100, gpus: 4, seed: 7}",
                    const std::string& name = "drill.yaml") const {
    std::ofstream(file(name)) << "about: A drill\nsource: no public case\nmachine: " << machine << "\nsteps:\n"
                              << steps;
    return file(name);
  }
  void expect_nothing_is_up() const {
    const auto outcome = nvmlab({"ls"});
    EXPECT_THAT(outcome.err, HasSubstr("no machine is up")) << outcome.story();
  }
  std::string failed(Words words) const {
    const auto outcome = nvmlab(std::move(words));
    EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

constexpr const char* kHotGpu = R"(  - at: 10s
    about: GPU 2 is hot
    do: set --gpu 2 'thermal.gpu_c=91' clocks.event_reasons=[hw_slowdown,hw_thermal_slowdown]
    expect:
      - {gpu: 2, thermal.gpu_c: {at_least: 90, at_most: 91}, clocks.event_reasons: {has: hw_slowdown, lacks: sync_boost}}
      - {gpu: 0-1, thermal.gpu_c: {not: 91}}
  - after: 1h
    do: event --gpu 2 xid 79
    expect: [{event: xid 79, gpu: 2, times: 1}, {event: double-bit-ecc, times: 0}, {system.driver_version: 580.105.08}]
  - do: ps add --gpu 0 --pid 2147483647 --memory 1GiB
    expect: {gpu: 0, memory.used_bytes: {by: 1 GiB}}
  - do: get --gpu 2 thermal.gpu_c
)";

TEST_F(Play, TellsWhatHappenedAndWhatHeld) {
  const std::string out = good({"play", drill(kHotGpu)});
  EXPECT_THAT(out, StartsWith("drill: A drill\nsource: no public case\nmachine: dgx-h100, 4 x NVIDIA H100 80GB HBM3, "
                              "driver 580.105.08; virtual clock, seed 7\n"));
  EXPECT_THAT(out, HasSubstr("     10s  ok      GPU 2 is hot\n                  > set --gpu 2 'thermal.gpu_c=91'"));
  EXPECT_THAT(out, HasSubstr("                  GPU 2: thermal.gpu_c is 91 C\n"));
  EXPECT_THAT(out, HasSubstr("  1h10s  ok      event --gpu 2 xid 79\n                  event xid 79 of GPU 2: once\n"
                             "                  event double-bit-ecc: never\n"
                             "                  machine: system.driver_version is 580.105.08\n"));
  EXPECT_THAT(out, HasSubstr(", 1073741824 B more than before\n"));
  EXPECT_THAT(out, HasSubstr("  1h10s  ok      get --gpu 2 thermal.gpu_c\n                  91\n"));
  EXPECT_THAT(out, HasSubstr("\npassed: 4 steps, 1h10s of machine time\n"));
  expect_nothing_is_up();
}

TEST_F(Play, TwoRunsAreTheSameToTheByteAndAnHourTakesNoTime) {
  const std::string path = drill(kHotGpu);
  const std::string first = good({"play", path, "--junit", file("one.xml")});  // an hour would meet the deadline
  EXPECT_EQ(good({"play", path, "--junit", file("two.xml")}), first);
  EXPECT_EQ(read_file(file("one.xml")), read_file(file("two.xml")));
  const std::string shown = good({"play", path, "--json", "--", program(), "get", "--json", "identity.uuid"});
  EXPECT_EQ(good({"play", path, "--json", "--", program(), "get", "--json", "identity.uuid"}), shown);
}

TEST_F(Play, AnExpectationThatDoesNotHoldIsAFailureWithItsPlace) {
  const std::string out = failed({"play", drill("  - do: set --gpu 1 thermal.gpu_c=50\n"
                                                "    expect:\n"
                                                "      - {gpu: 0-2, thermal.gpu_c: 50}\n"
                                                "      - {gpu: 1, thermal.gpu_c: {by: 3}}\n"
                                                "      - {event: xid}\n"
                                                "      - {gpu: 9, thermal.gpu_c: 50}\n"
                                                "  - at: 5s\n"
                                                "    about: It goes on\n")});
  EXPECT_THAT(out, HasSubstr("      0s  FAILED  set --gpu 1 thermal.gpu_c=50\n"));
  EXPECT_THAT(out, HasSubstr("drill.yaml:7:20: GPUs 0,2: thermal.gpu_c is "));
  EXPECT_THAT(out, HasSubstr(" C; 50 was expected\n"));
  EXPECT_THAT(out, HasSubstr("                  GPU 1: thermal.gpu_c is 50 C\n"));
  EXPECT_THAT(out, HasSubstr("more than before; 3 C more than before was expected\n"));
  EXPECT_THAT(out, HasSubstr("drill.yaml:9:9: event xid: never; it was expected\n"));
  EXPECT_THAT(out, HasSubstr("no GPU 9; this machine has GPUs 0 to 3\n"));
  EXPECT_THAT(out, HasSubstr("      5s  ok      It goes on\n"));
  EXPECT_THAT(out, HasSubstr("\nfailed: 1 of 2 steps, 5s of machine time\n"));
  expect_nothing_is_up();
}

TEST_F(Play, ACommandThatFailsIsAFailureUnlessItIsExpected) {
  EXPECT_THAT(failed({"play", drill("  - do: set --gpu 9 thermal.gpu_c=50\n")}),
              HasSubstr("! " + file("drill.yaml") + ":5:9: exit code 1; the command failed\n"));
  const std::string out = good({"play", drill("  - {do: set --gpu 9 thermal.gpu_c=50, fails: no GPU 9}\n"
                                              "  - {do: event xid, fails: {code: 2}}\n")});
  EXPECT_THAT(out,
              HasSubstr("      0s  ok      set --gpu 9 thermal.gpu_c=50\n                  no GPU 9; this machine"));
  EXPECT_THAT(failed({"play", drill("  - {do: get thermal, fails: no}\n")}), HasSubstr("was expected to fail"));
  EXPECT_THAT(failed({"play", drill("  - {do: set --gpu 9 thermal.gpu_c=50, fails: {code: 2}}\n")}),
              HasSubstr("exit code 1; 2 was expected"));
  EXPECT_THAT(failed({"play", drill("  - {do: set --gpu 9 thermal.gpu_c=50, fails: something else}\n")}),
              HasSubstr("'something else' was expected"));
}

TEST_F(Play, TimeThatWasTakenIsGone) {
  EXPECT_THAT(failed({"play", drill("  - do: clock advance 10s\n  - {at: 5s, about: late}\n")}),
              HasSubstr("it is 10s already; the step begins at 5s"));
  EXPECT_THAT(failed({"play", drill("  - do: clock frozen\n  - {after: 5s, about: never}\n")}),
              HasSubstr("the clock of the machine is frozen"));
  const std::string out =
      failed({"play", drill("  - expect: {event: xid}\n    within: 3s\n  - {after: 1s, about: on}\n")});
  EXPECT_THAT(out, HasSubstr("expected within 3s\n"));
  EXPECT_THAT(out, HasSubstr("      4s  ok      on\n"));
}

TEST_F(Play, OnAClockThatRuns) {
  const std::string path =
      drill("  - {at: 30m, about: a}\n  - {after: 30m, about: b}\n", "{profile: t4, clock: scaled, scale: 7200}");
  std::string out;
  EXPECT_GE(elapsed([&] { out = good({"play", path}); }), std::chrono::milliseconds(400));
  EXPECT_THAT(out, HasSubstr("; scaled clock 7200, seed 0\n"));
  EXPECT_THAT(out, HasSubstr("  ok      b\n"));
}

TEST_F(Play, OnAMachineThatIsUp) {
  good({"up", "ci", "--profile", "dgx-h100", "--gpus", "2", "--clock", "virtual"});
  EXPECT_THAT(good({"play", "--machine", "ci", drill("  - {at: 1m, do: set --gpu 1 thermal.gpu_c=77}\n")}),
              HasSubstr("machine: ci\n"));
  EXPECT_EQ(good({"get", "--machine", "ci", "--gpu", "1", "thermal.gpu_c"}), "77\n");
  EXPECT_THAT(good({"clock", "--machine", "ci"}), HasSubstr("00:01:00"));
  EXPECT_THAT(good({"play", "--machine", "ci", drill("  - {at: 1m, about: counted from now}\n")}), HasSubstr("ok"));
  EXPECT_THAT(good({"clock", "--machine", "ci"}), HasSubstr("00:02:00"));
  EXPECT_THAT(failed({"play", "--machine", "gone", drill("  - {about: a}\n")}), HasSubstr("no machine 'gone' is up"));
}

TEST_F(Play, AWrongFileIsRefusedBeforeAnythingIsPlayed) {
  const auto outcome = nvmlab({"play", drill("  - {do: get thermal}\n", "{profile: t4}", "good.yaml"),
                               drill("  - {do: gett thermal}\n"), file("none.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("drill.yaml:5:10: there is no command 'gett'; did you mean 'get'?\n"));
  EXPECT_THAT(outcome.err, HasSubstr("none.yaml: there is no such file\n"));
  EXPECT_THAT(nvmlab({"play", drill("  - {about: a}\n", "{profile: dgx-h10}")}).err,
              HasSubstr("drill.yaml:3:20: there is no profile 'dgx-h10'; did you mean "));
  EXPECT_THAT(bad(2, {"play", "no-such-drill"}), HasSubstr("there is no scenario 'no-such-drill'"));
  EXPECT_THAT(bad(2, {"play"}), HasSubstr("needs SCENARIO"));
}

TEST_F(Play, AProfileLiesBesideItsScenario) {
  std::ofstream(file("my.yaml"))
      << "machine: my\ngpus: [{profile: t4, count: 2}]\nsystem: {driver_version: 550.163.01}\n";
  EXPECT_THAT(good({"play", drill("  - expect: {identity.name: Tesla T4}\n", "{profile: ./my.yaml}")}),
              HasSubstr("GPUs 0-1: identity.name is Tesla T4\n"));
}

TEST_F(Play, ShowsWhatAClientSees) {
  const std::string path = drill("  - {show: before}\n  - {do: set --gpu 1 power.limit_mw=250000, show: after}\n");
  EXPECT_THAT(good({"play", path}), HasSubstr("show: before\n"));
  const std::string out = good({"play", path, "--", probe(), "1"});
  EXPECT_THAT(
      out, HasSubstr("\nbefore: " + probe() + " 1\ngpus=4 driver=580.105.08 name=NVIDIA H100 80GB HBM3 limit=700000"));
  EXPECT_THAT(
      out, HasSubstr("\nafter: " + probe() + " 1\ngpus=4 driver=580.105.08 name=NVIDIA H100 80GB HBM3 limit=250000"));
  EXPECT_THAT(good({"play", path, "--", "sh", "-c", "echo oops >&2; exit 3"}), HasSubstr("oops\nexit code 3\n"));
  EXPECT_THAT(good({"play", path, "--", "no-such-client"}), HasSubstr("exit code 127\n"));
  EXPECT_THAT(good({"play", path, "--", "sh", "-c", "kill -SEGV $$"}), HasSubstr("ended by signal 11\n"));
}

TEST_F(Play, JsonAndJunit) {
  const std::string path = drill(
      "  - do: set --gpu 1 thermal.gpu_c=50\n    about: Less < or \"more\" & so\n"
      "    expect: {gpu: 0-1, thermal.gpu_c: 50}\n  - {at: 2s, do: get --gpu 1 thermal.gpu_c}\n");
  const auto outcome = nvmlab({"play", path, "--json", "--junit", file("junit.xml")});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
  const auto json = nlohmann::json::parse(outcome.out);
  const auto& scenario = json.at("scenarios").at(0);
  EXPECT_EQ(scenario.at("name"), "drill");
  EXPECT_EQ(scenario.at("passed"), false);
  EXPECT_EQ(scenario.at("steps").at(0).at("checks").size(), 2U);
  EXPECT_EQ(scenario.at("steps").at(1).at("began_ns"), 2'000'000'000U);
  EXPECT_EQ(scenario.at("steps").at(1).at("commands").at(0).at("printed"), "50\n");
  const auto xml = shell("python3 - " + file("junit.xml") + R"( <<'END'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(root.tag, root.get("tests"), root.get("failures"))
for case in root.iter("testcase"):
    print(case.get("classname"), "|", case.get("name"), "|", [f.get("message").split(": ", 1)[1] for f in case.iter("failure")])
END
)");
  EXPECT_THAT(xml.out, StartsWith("testsuites 2 1\ndrill | 0s Less < or \"more\" & so | ['GPU 0: thermal.gpu_c is "))
      << xml.story();
  EXPECT_THAT(xml.out, HasSubstr("drill | 2s get --gpu 1 thermal.gpu_c | []\n"));
  EXPECT_THAT(nvmlab({"play", path, "--junit", "/proc/none"}).err, HasSubstr("/proc/none"));
}

TEST_F(Play, SeveralAreOneReport) {
  const std::string one = drill("  - {about: a}\n", "{profile: t4}", "one.yaml");
  const std::string two = drill("  - {expect: {event: xid}}\n", "{profile: t4}", "two.yaml");
  const std::string out = failed({"play", one, two, "--junit", file("all.xml")});
  EXPECT_THAT(out, HasSubstr("\npassed: 1 step, 0s of machine time\n\ntwo: A drill\n"));
  EXPECT_THAT(read_file(file("all.xml")).value_or(""),
              HasSubstr("<testsuites name=\"nvmlab play\" tests=\"2\" failures=\"1\""));
}

TEST_F(Play, ASignalTakesTheMachineDown) {
  const std::string path = drill("  - {at: 1s, about: a}\n  - {at: 1h, about: b}\n", "{profile: t4, clock: real}");
  for (const char* signal : {"INT", "TERM"}) {
    const auto outcome = shell("is_up() { $nvmlab ls 2>&1 | grep -q '^run-'; }; set -m; $nvmlab play " + path +
                               " & eventually is_up; kill -" + signal + " $!; wait $!; echo code $?");
    EXPECT_THAT(outcome.out, HasSubstr("it was interrupted\n")) << outcome.story();
    EXPECT_THAT(outcome.out, HasSubstr(signal == std::string("INT") ? "code 130\n" : "code 143\n")) << outcome.story();
    expect_nothing_is_up();
  }
  const auto outcome = shell("$nvmlab play " + drill("  - {show: now}\n  - {at: 1s, about: b}\n") +
                             " -- sh -c 'kill -TERM $PPID; tail -f /dev/null'; echo code $?");
  EXPECT_THAT(outcome.out, HasSubstr("code 143\n")) << outcome.story();
  expect_nothing_is_up();
}

TEST_F(Play, AMachineThatIsTakenDownEndsIt) {
  const std::string out = failed(
      {"play", drill("  - {show: now}\n  - {at: 1s, about: b}\n"), "--", "sh", "-c", "$nvmlab down $NVMLAB_MACHINE"});
  EXPECT_THAT(out, HasSubstr("the machine was taken down\n"));
}

// The first example of the guide, and what the guide says that it prints, up to the dots.
TEST_F(Play, TheGuideIsRight) {
  const std::string guide = read_file(source_folder() / "docs/guide/scenarios.md").value_or("");
  const auto block = [&guide](const std::string& begin, const std::string& end) {
    const std::size_t from = guide.find(begin) + begin.size();
    return guide.substr(from, guide.find(end, from) - from);
  };
  std::ofstream(file("hot.yaml")) << block("```yaml\n", "```");
  const std::string out = good({"play", file("hot.yaml")});
  EXPECT_THAT(out, StartsWith(block("$ nvmlab play hot.yaml\n", "...\n")));
  EXPECT_THAT(out, HasSubstr("\n" + block("...\n", "```")));
}

TEST_F(Play, AsksFunctionsWhatTheyAnswer) {
  const std::string out =
      good({"play", drill("  - do: fault --gpu 2 call nvmlDeviceGetTemperature --answer GPU_IS_LOST\n"
                          "    expect:\n"
                          "      - {gpu: 2, answers: {nvmlDeviceGetTemperature: GPU_IS_LOST}}\n"
                          "      - {gpu: \"0-1,3\", answers: {nvmlDeviceGetTemperature: SUCCESS}}\n"
                          "      - {answers: {nvmlSystemGetDriverVersion: SUCCESS}}\n"
                          "  - do: fault call nvmlInit --hang\n"
                          "    expect: {answers: {nvmlInit: hangs}}\n"
                          "  - do: [heal, driver fail DRIVER_NOT_LOADED]\n"
                          "    expect: {answers: {nvmlInit_v2: DRIVER_NOT_LOADED}}\n")});
  EXPECT_THAT(out, HasSubstr("GPU 2: nvmlDeviceGetTemperature answers GPU_IS_LOST\n"));
  EXPECT_THAT(out, HasSubstr("GPUs 0-1,3: nvmlDeviceGetTemperature answers SUCCESS\n"));
  EXPECT_THAT(out, HasSubstr("machine: nvmlSystemGetDriverVersion answers SUCCESS\n"));
  EXPECT_THAT(out, HasSubstr("machine: nvmlInit hangs\n"));
  EXPECT_THAT(failed({"play", drill("  - expect: {gpu: 1, answers: {nvmlDeviceGetName: GPU_IS_LOST}}\n")}),
              HasSubstr("drill.yaml:5:32: GPU 1: nvmlDeviceGetName answers SUCCESS; GPU_IS_LOST was expected\n"));
  const auto wrong = [this](const std::string& answers) {
    const auto outcome = nvmlab({"play", drill("  - expect: {answers: " + answers + "}\n")});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.story();
    return outcome.err;
  };
  EXPECT_THAT(wrong("{nvmlDeviceGetNam: SUCCESS}"), HasSubstr("did you mean 'nvmlDeviceGetName'"));
  EXPECT_THAT(wrong("{nvmlDeviceSetFanSpeed_v2: SUCCESS}"), HasSubstr("no function that can be asked"));
  EXPECT_THAT(wrong("{nvmlDeviceGetName: GPU_LOST}"), HasSubstr("GPU_IS_LOST"));
  EXPECT_THAT(wrong("nvmlInit"), HasSubstr("functions and what they answer"));
}

// In CI each shipped scenario runs here, twice.
TEST_F(Play, ShippedScenariosPassAndRepeatThemselves) {
  const auto list = nlohmann::json::parse(good({"play", "--list", "--json"}));
  EXPECT_GE(list.size(), 12U);
  for (const auto& each : list) {
    const std::string name = each.at("name");
    SCOPED_TRACE(name);
    const auto first = nvmlab({"play", name});
    EXPECT_EQ(first.exit_code, 0) << first.story();
    EXPECT_EQ(nvmlab({"play", name}).out, first.out);
  }
  EXPECT_THAT(good({"play", "--list"}), StartsWith("SCENARIO"));
}

}  // namespace
}  // namespace nvmlab::test
