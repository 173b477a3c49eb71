// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/duration.hpp"
#include "command/play/library.hpp"
#include "command/play/reader.hpp"
#include "command/play/words.hpp"

namespace nvmlab::tool {
namespace {

using Words = std::vector<std::string>;

constexpr std::uint64_t kSecondNs = 1'000'000'000;

std::string with_steps(const std::string& steps) { return "about: a drill\nsource: no public case\nsteps:\n" + steps; }

Scenario good(const std::string& text) {
  auto read = read_scenario(text, "drill.yaml");
  EXPECT_TRUE(read) << text << (read ? "" : compiler::describe(read.error()));
  return read ? std::move(*read) : Scenario{};
}

// What is wrong, a line each.
std::string wrong(const std::string& text) {
  const auto read = read_scenario(text, "drill.yaml");
  EXPECT_FALSE(read) << text;
  return read ? "" : compiler::describe(read.error());
}

std::string wrong_step(const std::string& step) { return wrong(with_steps("  - " + step + "\n")); }

TEST(ScenarioReader, ReadsAllThatASpecimenSays) {
  const Scenario drill = good(R"(about: A GPU is lost
source: [NVIDIA/k8s-device-plugin#1014, A title]
machine: {profile: t4, gpus: 3, driver: 550, seed: 7}
steps:
  - at: 1m30s
    about: It happens
    do: [event --gpu 1 xid 79, "set --gpu 1 'identity.name=a b'"]
    expect:
      - gpu: 1
        thermal.gpu_c: {at_least: 20, at_most: 90}
        power.draw_mw: answer:GPU_IS_LOST
      - {event: xid 79, gpu: 1, times: 1}
    within: 2s
    show: after
  - after: 500ms
    do: event nonsense
    fails: {code: 2, says: there is no event}
)");
  EXPECT_EQ(drill.name, "drill");
  EXPECT_EQ(drill.about, "A GPU is lost");
  EXPECT_EQ(drill.sources, (Words{"NVIDIA/k8s-device-plugin#1014", "A title"}));
  EXPECT_EQ(drill.machine.profile, "t4");
  EXPECT_EQ(drill.machine.options.gpus, 3U);
  EXPECT_EQ(drill.machine.options.driver, "550");
  EXPECT_EQ(drill.machine.clock.mode, ClockMode::virtual_time);
  EXPECT_EQ(drill.machine.clock.seed, 7U);
  ASSERT_EQ(drill.steps.size(), 2U);
  const ScenarioStep& first = drill.steps[0];
  EXPECT_EQ(first.at_ns, 90 * kSecondNs);
  ASSERT_EQ(first.commands.size(), 2U);
  EXPECT_EQ(first.commands[1].words, (Words{"set", "--gpu", "1", "identity.name=a b"}));
  EXPECT_EQ(first.commands[1].place.line, 7U);
  EXPECT_EQ(first.expectations.size(), 4U);
  EXPECT_EQ(first.within_ns, 2 * kSecondNs);
  EXPECT_EQ(first.show, "after");
  EXPECT_EQ(drill.steps[1].after_ns, kSecondNs / 2);
  ASSERT_TRUE(drill.steps[1].refusal);
  EXPECT_EQ(drill.steps[1].refusal->code, 2U);
}

TEST(ScenarioReader, AFileOfAnotherKindIsSaidToBeOne) {
  EXPECT_EQ(wrong(""),
            "drill.yaml:1:1: nothing was found; a scenario with the keys about, source, machine, steps was "
            "expected\n");
  EXPECT_NE(wrong("profile: t4\n").find("drill.yaml:1:1: a scenario has no 'profile'; its keys are: about, source"),
            std::string::npos);
  EXPECT_NE(wrong("[1, 2]").find("a list was found"), std::string::npos);
}

TEST(ScenarioReader, EachProblemHasItsPlaceAndTheNearestWord) {
  EXPECT_EQ(wrong("abuot: a\nsource: s\nsteps: [{about: b}]\n"),
            "drill.yaml:1:1: a scenario has no 'abuot'; did you mean 'about'?\n"
            "drill.yaml:1:1: a scenario needs 'about'\n");
  EXPECT_EQ(wrong("about: a\nsource: s\nmachine: {clok: real}\nsteps: [{about: b}]\n"),
            "drill.yaml:3:11: 'machine' has no 'clok'; did you mean 'clock'?\n");
  EXPECT_EQ(wrong_step("{exepct: {}}"), "drill.yaml:4:6: a step has no 'exepct'; did you mean 'expect'?\n");
  EXPECT_EQ(wrong_step("{do: evnt xid 79}"), "drill.yaml:4:10: there is no command 'evnt'; did you mean 'event'?\n");
  EXPECT_EQ(wrong_step("{do: event --gpus 3 xid 79}"),
            "drill.yaml:4:10: 'event' has no option '--gpus'; did you mean '--gpu'?\n");
  EXPECT_EQ(wrong_step("{expect: {thermal.gpu_d: 3}}"),
            "drill.yaml:4:15: thermal has no field 'gpu_d'; did you mean 'gpu_c'?\n");
  EXPECT_EQ(wrong_step("{expect: {thermal.gpu_c: {at_lest: 3}}}"),
            "drill.yaml:4:31: there is no expectation 'at_lest'; did you mean 'at_least'?\n");
  EXPECT_EQ(wrong_step("{expect: {event: xit 79}}"), "drill.yaml:4:22: there is no event 'xit'; did you mean 'xid'?\n");
  EXPECT_EQ(wrong_step("{expect: {clocks.event_reasons: {has: hw_slowdwn}}}"),
            "drill.yaml:4:43: clocks.event_reasons has no bit 'hw_slowdwn'; did you mean 'hw_slowdown'?\n");
}

TEST(ScenarioReader, ValuesAreThoseThatAProfileTakes) {
  good(with_steps("  - expect: {power.limit_mw: 300 W, clocks.event_reasons: [hw_slowdown, sync_boost]}\n"));
  good(with_steps(
      "  - expect: {power.draw_mw: {answer: GPU_IS_LOST}, thermal.gpu_c: null, memory.used_bytes: {by: -1 GiB}}\n"));
  good(with_steps("  - expect: {'nvlink.links[17].active': inactive}\n"));
  EXPECT_NE(wrong_step("{expect: {thermal.gpu_c: hot}}").find("drill.yaml:4:30: "), std::string::npos);
  EXPECT_NE(wrong_step("{expect: {thermal.gpu_c: 256}}").find("drill.yaml:4:30: "), std::string::npos);
  EXPECT_NE(wrong_step("{expect: {power.draw_mw: answer:GPU_IS_LOTS}}").find("GPU_IS_LOST"), std::string::npos);
  EXPECT_NE(wrong_step("{expect: {power.draw_mw: {by: 3 GiB}}}").find("drill.yaml:4:35: power.draw_mw: '3 GiB'"),
            std::string::npos);
  EXPECT_NE(wrong_step("{expect: {identity.name: {at_least: 3}}}").find("is no number"), std::string::npos);
  EXPECT_NE(wrong_step("{expect: {thermal.gpu_c: {has: 3}}}").find("has no bits"), std::string::npos);
  EXPECT_NE(wrong_step("{expect: {gpu: 3}}").find("needs a field"), std::string::npos);
  EXPECT_NE(wrong_step("{expect: {event: mig-config 3}}").find("or xid with its number"), std::string::npos);
}

TEST(ScenarioReader, TimeNeitherGoesBackwardsNorEnds) {
  good(with_steps("  - {at: 1s, about: a}\n  - {at: 1s, about: b}\n  - {after: 0s, about: c}\n"));
  EXPECT_EQ(wrong(with_steps("  - {at: 10s, about: a}\n  - {at: 9s, about: b}\n")),
            "drill.yaml:5:10: '9s' lies before the step above; time does not go backwards\n");
  EXPECT_EQ(wrong(with_steps("  - {at: 10s, about: a}\n  - {after: 5s, about: b}\n  - {at: 12s, about: c}\n")),
            "drill.yaml:6:10: '12s' lies before the step above; time does not go backwards\n");
  EXPECT_EQ(wrong_step("{at: 1s, after: 1s, about: a}"),
            "drill.yaml:4:21: 'at' and 'after' both say when; a step has one of them\n");
  EXPECT_EQ(wrong_step("{at: 200000d, about: a}"),
            "drill.yaml:4:10: the clock of a machine ends in the year 2262; this is later\n");
  EXPECT_EQ(wrong(with_steps("  - {after: 80000d, about: a}\n  - {after: 80000d, about: b}\n")),
            "drill.yaml:5:13: the clock of a machine ends in the year 2262; this is later\n");
  EXPECT_NE(wrong_step("{at: 99999999999999999999d, about: a}").find("no more than 213503 days"), std::string::npos);
  EXPECT_NE(wrong_step("{at: 10, about: a}").find("a unit (ns, us, ms"), std::string::npos);
  EXPECT_NE(wrong_step("{at: [1s], about: a}").find("a list was found; a span of time"), std::string::npos);
  EXPECT_NE(wrong_step("{within: 1s, about: a}").find("there is none"), std::string::npos);
}

TEST(ScenarioReader, CommandsAreThoseOfMachines) {
  for (const char* command : {"set --gpu 0 thermal.gpu_c=90", "event --gpu 0-1 xid 3", "ps add --pid 7",
                              "ps rm --pid 7", "clock advance 1h", "release", "get power"})
    good(with_steps(fmt::format("  - do: {}\n", command)));
  EXPECT_NE(wrong_step("{do: run -- sh}").find("'run' has no place in a scenario; commands for it are: get, set"),
            std::string::npos);
  for (const char* command : {"watch", "log", "status", "play drill.yaml", "up", "down", "ls", "man", "validate x"})
    EXPECT_NE(wrong_step(fmt::format("{{do: {}}}", command)).find("has no place in a scenario"), std::string::npos)
        << command;
  EXPECT_NE(wrong_step("{do: get --machine ci power}").find("leave --machine out"), std::string::npos);
  EXPECT_NE(wrong_step("{do: ps -m ci}").find("leave --machine out"), std::string::npos);
  EXPECT_NE(wrong_step("{do: nvmlab get}").find("stand without 'nvmlab'"), std::string::npos);
  EXPECT_NE(wrong_step("{do: get --help}").find("help is not for scenarios"), std::string::npos);
  EXPECT_NE(wrong_step("{do: help}").find("help is not for scenarios"), std::string::npos);
  EXPECT_NE(wrong_step("{do: ' '}").find("a command was expected"), std::string::npos);
  EXPECT_NE(wrong_step("{do: {set: 1}}").find("a mapping was found; a command"), std::string::npos);
  EXPECT_NE(wrong_step("{do: [get, set a=1], fails: no}").find("is about the one command"), std::string::npos);
  EXPECT_NE(wrong_step("{do: get, fails: {code: 0}}").find("does not end with code 0"), std::string::npos);
  EXPECT_NE(wrong_step("{}").find("a step needs"), std::string::npos);
}

TEST(ScenarioReader, MachinesAreCheckedToo) {
  const auto machine = [](const char* of) {
    return wrong(fmt::format("about: a\nsource: s\nmachine: {}\nsteps: [{{about: b}}]\n", of));
  };
  EXPECT_NE(machine("{gpus: 4097}").find("drill.yaml:3:17: '4097' was found; a whole number from 0 to 4096"),
            std::string::npos);
  EXPECT_NE(machine("{gpus: -1}").find("'-1' was found"), std::string::npos);
  EXPECT_NE(machine("{driver: 12}").find("drill.yaml:3:19: there is no driver '12'"), std::string::npos);
  EXPECT_NE(machine("{clock: virtuel}").find("did you mean 'virtual'"), std::string::npos);
  EXPECT_NE(machine("{clock: frozen}").find("has to pass"), std::string::npos);
  EXPECT_NE(machine("{clock: scaled}").find("needs a factor"), std::string::npos);
  EXPECT_NE(machine("{scale: fast}").find("a factor"), std::string::npos);
  EXPECT_NE(machine("t4").find("'t4' was found; 'machine' with the keys profile"), std::string::npos);
  EXPECT_NE(wrong("about: a\nsource: []\nsteps: [{about: b}]\n").find("drill.yaml:2:9: a list was found"),
            std::string::npos);
  EXPECT_EQ(good("about: a\nsource: s\nmachine: {profile: ./x.yaml}\nsteps: [{about: b}]\n").machine.profile,
            "./x.yaml");
}

// None of these may crash, hang or take much memory; what they say is checked where it helps somebody.
TEST(ScenarioReader, HostileFiles) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i)
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  EXPECT_NE(wrong(bomb).find("more than a million values"), std::string::npos);
  EXPECT_NE(wrong("steps: " + std::string(100'000, '[')).find("nested deeper"), std::string::npos);
  EXPECT_NE(wrong(std::string(17 << 20, 'a')).find("larger than 16 MiB"), std::string::npos);
  EXPECT_NE(wrong(with_steps("  - &s {do: *s}\n")).find("not defined before it"), std::string::npos);
  EXPECT_NE(wrong("about: a\nabout: b\n").find("a second time"), std::string::npos);
  wrong(std::string("about: \0\xff\xfe", 10));
  std::string many = with_steps("");
  for (int i = 0; i < 10'001; ++i)
    many += "  - {about: a}\n";
  EXPECT_NE(wrong(many).find("10001 steps; a scenario has at most 10000"), std::string::npos);
  std::string commands = with_steps("  - do: [");
  for (int i = 0; i < 2'001; ++i)
    commands += "get,";
  EXPECT_NE(wrong(commands + "]\n").find("at most 2000 commands"), std::string::npos);
  std::string mistakes = with_steps("");
  for (int i = 0; i < 9'000; ++i)
    mistakes += "  - do: [x, y, z]\n";
  EXPECT_LT(std::ranges::count(wrong(mistakes), '\n'), 200) << "who made 27000 mistakes needs a few of them";
}

TEST(ScenarioWords, ArePartedAsAShellDoes) {
  EXPECT_EQ(split_words("a  b\tc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_words("a='b c' \"d \\\" e\" f\\ g ''"), (Words{"a=b c", "d \" e", "f g", ""}));
  EXPECT_EQ(split_words("'a\\'"), (Words{"a\\"}));
  EXPECT_EQ(split_words(""), Words{});
  const auto open = split_words("get 'a b");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error(), "the quote at character 5 is not closed");
}

TEST(ScenarioTime, IsWrittenAsItIsRead) {
  for (const char* text : {"0s", "1ns", "250ms", "1h30m", "1d2h3m4s5ms6us7ns", "23h59m59s"})
    EXPECT_EQ(duration_text(parse_duration(text).value_or(0)), text);
}

TEST(ShippedScenarios, AreReadAndNameTheirSource) {
  for (const ShippedScenario& shipped : shipped_scenarios()) {
    const auto scenario = load_scenario(std::string(shipped.name));
    ASSERT_TRUE(scenario) << compiler::describe(scenario.error());
    EXPECT_FALSE(scenario->sources.empty()) << shipped.name;
  }
  const auto none = load_scenario("no-such-drill");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().front().message.find("nvmlab play --list"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab::tool
