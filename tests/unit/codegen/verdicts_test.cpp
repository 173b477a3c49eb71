// SPDX-License-Identifier: Apache-2.0
// The meaning vocabulary: one verdict for each function, and every way in which a row can be wrong, with its place.
#include "codegen/meaning/verdicts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/emit/export_bodies.hpp"
#include "codegen/emit/exports.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

const Inputs& inputs() {
  static const auto loaded = load_inputs(source_folder());
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

const Vocabulary& vocabulary() {
  static const auto loaded = load_vocabulary(source_folder() / "model" / "state");
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

// One topic file with one row each; the functions that need a verdict are those of the rows and `more`.
struct Loaded {
  Result<Verdicts> verdicts;
  std::string error;  // without the folder
};

Loaded load(const std::string& rows, std::vector<std::string> functions) {
  const TemporaryFolder folder;
  folder.write("power.yaml", "topic: power\nfunctions:\n" + rows);
  std::ranges::sort(functions);
  Loaded loaded{load_verdicts(folder.path(), functions, inputs().registry, vocabulary()), ""};
  if (loaded.verdicts) return loaded;
  loaded.error = loaded.verdicts.error().text();
  const std::string path = (folder.path() / "power.yaml").string() + ":";
  if (const auto at = loaded.error.find(path); at != std::string::npos) loaded.error.erase(at, path.size());
  return loaded;
}

constexpr const char* kUsage = "nvmlDeviceGetPowerUsage";

// What is said of one row for nvmlDeviceGetPowerUsage.
std::string refusal(const std::string& verdict) {
  return load("  nvmlDeviceGetPowerUsage: " + verdict + "\n", {kUsage}).error;
}

// What the emitter says of a row that load_verdicts() takes.
std::string emitted(const std::string& name, const std::string& verdict) {
  const auto loaded = load("  " + name + ": " + verdict + "\n", {name});
  EXPECT_TRUE(loaded.verdicts) << loaded.error;
  if (!loaded.verdicts) return loaded.error;
  const auto text = export_text(inputs(), vocabulary(), *loaded.verdicts, name);
  return text ? *text : "error: " + text.error().text();
}

TEST(VerdictRows, AreReadWithTheirAttributes) {
  const auto loaded = load(
      "  nvmlDeviceGetPowerUsage: {read: power.draw_mw}\n"
      "  nvmlDeviceGetClockInfo: {read: {NVML_CLOCK_SM: clocks.sm_mhz, NVML_CLOCK_MEM: ~}, by: type, otherwise: "
      "NOT_SUPPORTED}\n"
      "  nvmlDeviceSetComputeMode: {write: {mode: modes.compute_mode}}\n"
      "  nvmlDeviceGetEccMode: {read: {current: ecc.mode, pending: ecc.mode_pending}, optional: [current, pending]}\n"
      "  nvmlInit_v2: {call: opens, before_init: yes}\n"
      "  nvmlInit: {same_as: nvmlInit_v2}\n"
      "  nvmlUnitGetDevices: {unsupported: no unit, answer: NOT_FOUND}\n",
      {kUsage, "nvmlDeviceGetClockInfo", "nvmlDeviceSetComputeMode", "nvmlDeviceGetEccMode", "nvmlInit_v2", "nvmlInit",
       "nvmlUnitGetDevices"});
  ASSERT_TRUE(loaded.verdicts) << loaded.error;
  const Verdicts& verdicts = *loaded.verdicts;
  EXPECT_EQ(verdicts.at(kUsage).cases.at(0).bindings.at(0).target, "power") << "the one output";
  EXPECT_EQ(verdicts.at(kUsage).topic, "power");
  const Verdict& clock = verdicts.at("nvmlDeviceGetClockInfo");
  EXPECT_EQ(clock.by, std::vector<std::string>{"type"});
  EXPECT_EQ(clock.otherwise, "NVML_ERROR_NOT_SUPPORTED");
  EXPECT_EQ(clock.cases.at(0).keys, std::vector<std::string>{"NVML_CLOCK_SM"});
  EXPECT_EQ(clock.cases.at(0).bindings.at(0).path, "clocks.sm_mhz");
  EXPECT_FALSE(clock.cases.at(1).supported);
  EXPECT_EQ(verdicts.at("nvmlDeviceGetEccMode").optional.size(), 2U);
  EXPECT_TRUE(verdicts.at("nvmlInit_v2").before_init);
  EXPECT_EQ(verdicts.at("nvmlInit").kind, VerdictKind::same_as);
  EXPECT_EQ(verdicts.at("nvmlUnitGetDevices").answer, "NVML_ERROR_NOT_FOUND");
}

// A reason that many functions share stands once, above them.
TEST(VerdictRows, ShareReasons) {
  const auto with = [](const std::string& reasons, const std::string& verdict) {
    const TemporaryFolder folder;
    folder.write("power.yaml",
                 "topic: power\nreasons:\n" + reasons + "functions:\n  nvmlDeviceGetPowerUsage: " + verdict + "\n");
    return load_verdicts(folder.path(), {kUsage}, inputs().registry, vocabulary());
  };
  const std::string cold = "  cold: {why: it is cold, answer: NOT_FOUND}\n";
  const auto verdicts = with(cold, "{refused: cold, optional: [power]}");
  ASSERT_TRUE(verdicts) << verdicts.error().text();
  const Verdict& verdict = verdicts->at(kUsage);
  EXPECT_EQ(verdict.kind, VerdictKind::unsupported);
  EXPECT_EQ(verdict.reason, "it is cold");
  EXPECT_EQ(verdict.answer, "NVML_ERROR_NOT_FOUND");
  EXPECT_EQ(verdict.optional.size(), 1U);
  const auto said = [&](const std::string& reasons, const std::string& row) {
    const auto loaded = with(reasons, row);
    return loaded ? std::string() : loaded.error().text();
  };
  EXPECT_NE(said(cold, "{refused: warm}").find("'warm' is none of this file's `reasons`"), std::string::npos);
  EXPECT_NE(said(cold, "{read: power.draw_mw}").find("refused for the reason 'cold'"), std::string::npos);
  EXPECT_NE(said("  cold: {why: it is}\n", "{refused: cold}").find("needs `why` and `answer`"), std::string::npos);
}

constexpr const char* kLimit = "nvmlDeviceSetPowerManagementLimit_v2";

TEST(VerdictRows, OfChangesSayWhatTheirMembersTake) {
  const auto loaded = load(std::string("  ") + kLimit +
                               ": {change: SetPowerLimit, with: {scope: {POWER_SCOPE_GPU: PowerScope.gpu, "
                               "POWER_SCOPE_MEMORY: ~}, milliwatts: powerValue.powerValueMw}, by: "
                               "powerValue.powerScope}\n",
                           {kLimit});
  ASSERT_TRUE(loaded.verdicts) << loaded.error;
  const Verdict& verdict = loaded.verdicts->at(kLimit);
  EXPECT_EQ(verdict.change, "SetPowerLimit");
  EXPECT_EQ(verdict.by, std::vector<std::string>{"powerValue.powerScope"});
  ASSERT_EQ(verdict.members.size(), 2U);
  EXPECT_EQ(verdict.members[0].table[0].second, "PowerScope.gpu");
  EXPECT_EQ(verdict.members[0].table[1].second, "") << "no board has it";
  EXPECT_EQ(verdict.members[1].value, "powerValue.powerValueMw");
}

TEST(VerdictRows, OfChangesAreRefusedWithTheirPlace) {
  const auto said = [](const std::string& verdict) {
    return load(std::string("  ") + kLimit + ": {change: " + verdict + "}\n", {kLimit}).error;
  };
  EXPECT_NE(said("a limit").find("`change` names a record of engine/topics/*/*_changes.hpp"), std::string::npos);
  EXPECT_NE(
      said("SetPowerLimit, with: {milliwatts: limit}").find("'limit' is not a parameter of " + std::string(kLimit)),
      std::string::npos);
  EXPECT_NE(said("SetPowerLimit, with: {scope: {POWER_SCOPE_GPU: 0}}").find("a table needs `by`"), std::string::npos);
  EXPECT_NE(said("SetPowerLimit, with: {scope: 0}, by: powerValue.powerScope").find("no member has a table for `by`"),
            std::string::npos);
  EXPECT_NE(said("SetPowerLimit, with: {scope: 0}, by: scope").find("'scope' is not a parameter"), std::string::npos);
  EXPECT_NE(said("SetPowerLimit, with: {a: {X: 0}, b: {X: 0}}, by: powerValue.powerScope").find("only one member"),
            std::string::npos);
}

TEST(VerdictRows, AreRefusedWithTheirPlace) {
  struct Wrong {
    const char* verdict;
    const char* said;
  };
  for (const Wrong& wrong : {
           Wrong{"{read: power.draw_mw, colour: red}",
                 "3:50: 'colour' is not part of a verdict; one of read, write, change, same_as, call, refused, "
                 "unsupported, item"},
           Wrong{"{read: power.draw_mw, call: me}",
                 "3:3: nvmlDeviceGetPowerUsage has 2 verdicts; exactly one is needed"},
           Wrong{"{optional: [power]}", "3:3: nvmlDeviceGetPowerUsage has 0 verdicts; exactly one is needed"},
           Wrong{"{}",
                 "nvmlDeviceGetPowerUsage needs a verdict: read, item, length, list, find, write, change, same_as, "
                 "call, refused or unsupported"},
           Wrong{"soon", "nvmlDeviceGetPowerUsage needs a verdict"},
           Wrong{"{read: power.drawn}", "3:35: 'power.drawn' is not a field of model/state/power.yaml"},
           Wrong{"{read: heat.draw_mw}", "3:35: 'heat.draw_mw' names no topic of model/state/"},
           Wrong{"{read: power}", "3:35: 'power' names no topic"},
           Wrong{"{read: power.draw_mw.watts}", "goes through a field that is not a record"},
           Wrong{"{read: [power.draw_mw]}", "3:35: a field, or a mapping from outputs to fields, was expected"},
           Wrong{"{read: power.draw_mw, by: sensor}", "3:54: 'sensor' is not a parameter of nvmlDeviceGetPowerUsage"},
           Wrong{"{call: x, optional: [watts]}", "3:49: 'watts' is not a parameter of nvmlDeviceGetPowerUsage"},
           Wrong{"{read: power.draw_mw, text_size: one}", "3:61: a number was expected, found 'one'"},
           Wrong{"{read: power.draw_mw, text_size: -1}", "3:61: a number was expected, found '-1'"},
           Wrong{"{same_as: nvmlDeviceGetPowerDraw}",
                 "nvmlDeviceGetPowerUsage is the same as nvmlDeviceGetPowerDraw, which does not exist"},
       }) {
    const std::string said = refusal(wrong.verdict);
    EXPECT_NE(said.find(wrong.said), std::string::npos)
        << wrong.verdict << "\nsaid " << said << "\ninstead of " << wrong.said;
  }
}

TEST(VerdictRows, AScalarNeedsExactlyOneOutput) {
  const auto loaded = load("  nvmlDeviceGetPowerManagementLimitConstraints: {read: power.min_limit_mw}\n",
                           {"nvmlDeviceGetPowerManagementLimitConstraints"});
  EXPECT_NE(loaded.error.find("does not have exactly one output; say which takes the field"), std::string::npos)
      << loaded.error;
}

TEST(VerdictRows, EveryFunctionNeedsOneAndOnlyExportsMayHaveOne) {
  const std::string row = "  nvmlDeviceGetPowerUsage: {read: power.draw_mw}\n";
  EXPECT_NE(load(row, {kUsage, "nvmlDeviceGetName"})
                .error.find("nvmlDeviceGetName has no verdict: give it one in model/meaning/"),
            std::string::npos);
  EXPECT_NE(load(row, {"nvmlDeviceGetName"}).error.find("nvmlDeviceGetName has no verdict"), std::string::npos);
  EXPECT_NE(load(row + "  nvmlDeviceGetLuck: {call: luck}\n", {kUsage})
                .error.find("nvmlDeviceGetLuck is not a function that NVML exports"),
            std::string::npos);
  EXPECT_NE(load("", {kUsage}).error.find("a mapping `functions` is missing"), std::string::npos);
}

TEST(VerdictRows, ASecondVerdictInAnotherFileIsRefused) {
  const TemporaryFolder folder;
  const std::string row = "functions:\n  nvmlDeviceGetPowerUsage: {read: power.draw_mw}\n";
  folder.write("a.yaml", row);
  folder.write("b.yaml", row);
  const auto verdicts = load_verdicts(folder.path(), {kUsage}, inputs().registry, vocabulary());
  ASSERT_FALSE(verdicts);
  EXPECT_NE(verdicts.error().text().find("b.yaml:2:3: nvmlDeviceGetPowerUsage has a verdict in another file already"),
            std::string::npos)
      << verdicts.error().text();
}

// What the loader cannot know, the emitter refuses.
TEST(VerdictBodies, AreRefusedWhereAnOutputIsNone) {
  EXPECT_NE(emitted(kUsage, "{read: {watts: power.draw_mw}}")
                .find("error: nvmlDeviceGetPowerUsage: 'watts' is not an output parameter"),
            std::string::npos);
  EXPECT_NE(emitted(kUsage, "{read: {device: power.draw_mw}}").find("'device' is not an output parameter"),
            std::string::npos);
  EXPECT_NE(emitted("nvmlDeviceGetGspFirmwareVersion", "{read: {version: identity.gsp_version}}")
                .find("has no length parameter; say text_size"),
            std::string::npos);
}

TEST(VerdictBodies, AreRefusedWhereAStructHasNoSuchMember) {
  EXPECT_NE(emitted(kLimit, "{change: SetPowerLimit, with: {milliwatts: powerValue.watts}}")
                .find("'watts' is not a member of nvmlPowerValue_v2_t"),
            std::string::npos);
}

TEST(VerdictBodies, SameAsNeedsTheSameParameters) {
  const auto loaded = load(
      "  nvmlDeviceGetPowerUsage: {read: power.draw_mw}\n  nvmlDeviceGetName: {same_as: nvmlDeviceGetPowerUsage}\n",
      {kUsage, "nvmlDeviceGetName"});
  ASSERT_TRUE(loaded.verdicts) << loaded.error;
  const auto text = export_text(inputs(), vocabulary(), *loaded.verdicts, "nvmlDeviceGetName");
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().text().find(
                "nvmlDeviceGetName cannot be the same as nvmlDeviceGetPowerUsage: their parameters differ"),
            std::string::npos);
}

TEST(FieldPaths, LeadThroughRecords) {
  const auto found = find_field(vocabulary(), "ecc.corrected_volatile.dram");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->topic->name, "ecc");
  EXPECT_EQ(found->field->name, "dram");
  EXPECT_FALSE(find_field(vocabulary(), "ecc.corrected_volatile.drum"));
  EXPECT_FALSE(find_field(vocabulary(), ""));
  EXPECT_FALSE(find_field(vocabulary(), "."));
}

}  // namespace
}  // namespace nvmlab::codegen::test
