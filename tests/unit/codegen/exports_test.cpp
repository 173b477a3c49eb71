// SPDX-License-Identifier: Apache-2.0
// The text of generated exports: which functions there are, and the statement that each kind of verdict becomes. What
// these statements do is tested in tests/drivers/functions.
#include "codegen/emit/exports.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/columns.hpp"
#include "codegen/emit/export_bodies.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

class Exports : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto loaded = load_inputs(source_folder());
    ASSERT_TRUE(loaded) << loaded.error().text();
    inputs = new Inputs(std::move(*loaded));
    auto states = load_vocabulary(source_folder() / "model" / "state");
    ASSERT_TRUE(states) << states.error().text();
    vocabulary = new Vocabulary(std::move(*states));
    auto meaning = load_meaning(*inputs, *vocabulary);
    ASSERT_TRUE(meaning) << meaning.error().text();
    verdicts = new Verdicts(std::move(*meaning));
  }
  static void TearDownTestSuite() {
    delete verdicts;
    delete vocabulary;
    delete inputs;
  }
  static std::string text(const std::string& name) {
    const auto text = export_text(*inputs, *vocabulary, *verdicts, name);
    return text ? *text : text.error().text();
  }
  // However its lines are broken.
  static bool contains(const std::string& name, const std::string& part) {
    return on_one_line(text(name)).find(part) != std::string::npos;
  }
  static std::string on_one_line(const std::string& text) {
    std::string line;
    for (const char letter : text) {
      const bool blank = letter == ' ' || letter == '\n';
      if (blank && !line.empty() && (line.back() == ' ' || line.back() == '(')) continue;
      line += blank ? ' ' : letter;
    }
    return line;
  }

  inline static Inputs* inputs = nullptr;
  inline static Vocabulary* vocabulary = nullptr;
  inline static Verdicts* verdicts = nullptr;
};

TEST_F(Exports, AreTheUnionOfTheNewestHeaderAndRealDrivers) {
  const auto names = exported_functions(*inputs);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  const auto exported = [&](const std::string& name) { return std::ranges::binary_search(names, name); };
  for (const Function& function : inputs->newest.functions)
    EXPECT_TRUE(exported(function.name)) << function.name;
  for (const auto& [symbol, drivers] : inputs->drivers.symbols)
    EXPECT_TRUE(exported(symbol)) << symbol;
  EXPECT_TRUE(exported("nvmlInternalGetExportTable"));
  EXPECT_LE(names.size(), inputs->newest.functions.size() + inputs->drivers.symbols.size() + 1);
}

TEST_F(Exports, EveryOneHasABodyThatNamesItself) {
  for (const std::string& name : exported_functions(*inputs)) {
    const std::string body = text(name);
    EXPECT_NE(body.find(" " + name + "("), std::string::npos) << body;
    const bool counted = body.find("<Fn::") != std::string::npos;
    EXPECT_EQ(body.find("<Fn::" + name) != std::string::npos, counted) << body;
  }
}

// Readers step through what a statement names; a lambda that receives a lambda hides it.
TEST_F(Exports, AreShort) {
  constexpr std::size_t most_have = 4;
  constexpr std::size_t longest = 30;
  std::vector<std::size_t> lengths;
  for (const std::string& name : exported_functions(*inputs)) {
    const std::string body = within_columns(text(name));
    EXPECT_EQ(body.find("auto&& "), std::string::npos) << body;
    const std::size_t begin = body.starts_with("NVML") ? 0 : body.find("\nNVML") + 1;  // behind the table of a choice
    lengths.push_back(static_cast<std::size_t>(std::ranges::count(body.substr(begin), '\n')) - 1);
    EXPECT_LE(lengths.back(), longest) << body;
  }
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  EXPECT_LE(*middle, most_have);
}

TEST_F(Exports, BodiesFollowTheirVerdicts) {
  EXPECT_TRUE(contains("nvmlDeviceGetPowerUsage",
                       "return read<Fn::nvmlDeviceGetPowerUsage>(args(device, power), "
                       "scalar<&Gpu::power, &Power::draw_mw>(power));"));
  EXPECT_TRUE(contains("nvmlDeviceGetName", "text<&Gpu::identity, &Identity::name>(name, length)"));
  EXPECT_TRUE(contains("nvmlDeviceGetUtilizationRates", "member<&nvmlUtilization_t::gpu, &Gpu::utilization, "));
  EXPECT_TRUE(contains("nvmlDeviceGetPdi", "versioned(pdi), "));
  EXPECT_TRUE(contains("nvmlDeviceGetEccMode", "optional_scalar<&Gpu::ecc, &Ecc::mode>(current)"));
  EXPECT_TRUE(
      contains("nvmlSystemGetDriverVersion", "read_node<Fn::nvmlSystemGetDriverVersion>(args(version, length),"));
  EXPECT_TRUE(contains("nvmlDeviceGetClockInfo", "{.keys = {NVML_CLOCK_SM}, .at = {offsetof(Gpu, clocks.sm_mhz)}}"));
  EXPECT_TRUE(contains("nvmlDeviceGetApplicationsClock", "{.keys = {NVML_CLOCK_VIDEO}, .at = {kNoField}}"));
  EXPECT_TRUE(contains("nvmlDeviceSetComputeMode",
                       "write<Fn::nvmlDeviceSetComputeMode, &Gpu::modes, "
                       "&Modes::compute_mode>(args(device, mode), mode);"));
  EXPECT_TRUE(contains("nvmlDeviceGetIndex",
                       "call<Fn::nvmlDeviceGetIndex>(args(device, index), hooks::nvmlDeviceGetIndex, index);"));
  EXPECT_TRUE(contains("nvmlDeviceGetCount", "give_count(node, deviceCount)"))
      << "same_as: another entry, the same body";
  EXPECT_TRUE(contains("nvmlDeviceGetCount", "<Fn::nvmlDeviceGetCount>"));
  EXPECT_TRUE(contains("nvmlInit_v2", "finish<Fn::nvmlInit_v2>(args(), hooks::nvmlInit_v2())"));
}

// What the caller says, as the engine has it: enumerators are numbers there, and arrays records.
TEST_F(Exports, ChangesAreAskedOfTheEngine) {
  EXPECT_TRUE(contains("nvmlDeviceSetPowerManagementLimit",
                       "args(device, limit), SetPowerLimit{.scope = PowerScope::gpu, .milliwatts = limit});"));
  EXPECT_TRUE(contains("nvmlDeviceSetAdaptiveTgpMode_v1", "{.enabled = static_cast<std::uint32_t>(mode)}"));
  EXPECT_TRUE(contains("nvmlDeviceSetHostname_v1", "[&] { return SetHostname{.name = taken(hostname->value)}; }, "));
  EXPECT_TRUE(contains("nvmlDeviceResetGpuLockedClocks", "args(device), UnlockGraphicsClocks{});"));
  EXPECT_TRUE(contains("nvmlSystemSetNvlinkBwMode", "args(nvlinkBwMode), SetSystemNvlinkBandwidthMode{.mode = "));
  EXPECT_TRUE(contains("nvmlDeviceSetTemperatureThreshold", ".celsius = *temp}"));
  EXPECT_TRUE(contains("nvmlDeviceSetTemperatureThreshold",
                       "case NVML_TEMPERATURE_THRESHOLD_SHUTDOWN: case NVML_TEMPERATURE_THRESHOLD_SLOWDOWN: "));
  EXPECT_TRUE(contains("nvmlDeviceSetPowerManagementLimit_v2",
                       "case POWER_SCOPE_MEMORY: return NVML_ERROR_NOT_SUPPORTED; default: return "
                       "NVML_ERROR_INVALID_ARGUMENT;"));
  EXPECT_TRUE(contains("nvmlDeviceResetNvLinkErrorCounters",
                       "answer(gpu.slot, below(link, simulated_driver().nvlink_links));"));
}

// A hook gets the newest layout; callers name theirs by its version word, or by the name that they call.
TEST_F(Exports, HooksSeeOneLayout) {
  Verdict several;
  several.function = "nvmlDeviceGetGpuFabricInfoV";
  several.kind = VerdictKind::call;
  const auto one = export_text(*inputs, *vocabulary, {{several.function, several}}, several.function);
  ASSERT_TRUE(one);
  EXPECT_NE(on_one_line(*one).find(
                "in_newest_layout<nvmlGpuFabricInfo_v3_t, nvmlGpuFabricInfo_v2_t>(gpuFabricInfo, "
                "[&](nvmlGpuFabricInfo_v3_t* newest) { return hooks::nvmlDeviceGetGpuFabricInfoV(gpu, newest); })"),
            std::string::npos)
      << *one;
  Verdict hook;
  hook.function = "nvmlDeviceGetAttributes_v2";
  hook.kind = VerdictKind::call;
  Verdict old;
  old.function = "nvmlDeviceGetAttributes";
  old.kind = VerdictKind::same_as;
  old.same_as = hook.function;
  old.layout = "nvmlDeviceAttributes_t_before_11_1";
  const Verdicts both = {{hook.function, hook}, {old.function, old}};
  const auto body = export_text(*inputs, *vocabulary, both, old.function);
  ASSERT_TRUE(body);
  EXPECT_NE(
      body->find("in_old_layout<historic::nvmlDeviceAttributes_t_before_11_1, nvmlDeviceAttributes_t>(attributes,"),
      std::string::npos)
      << *body;
  old.layout = "nvmlMemory_t_before_1_0";
  const auto wrong = export_text(*inputs, *vocabulary, {{hook.function, hook}, {old.function, old}}, old.function);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("no parameter has the layout"), std::string::npos);
}

// What a read gives goes into the newest layout, too, and from there into the caller's.
TEST_F(Exports, AReadOfAStructWithSeveralVersionsFillsTheNewest) {
  EXPECT_TRUE(contains("nvmlDeviceGetGpuFabricInfoV",
                       "in_newest_layout<nvmlGpuFabricInfo_v3_t, nvmlGpuFabricInfo_v2_t>(gpuFabricInfo, "
                       "[&](nvmlGpuFabricInfo_v3_t* newest) { return answer(gpu.slot, "));
  EXPECT_TRUE(contains("nvmlDeviceGetGpuFabricInfoV", "member<&nvmlGpuFabricInfo_v3_t::cliqueId>(newest, "));
}

// Refused functions look at their arguments all the same: nulls, and the versions that a struct's name has.
TEST_F(Exports, RefusalsCheckPointersAndVersions) {
  Verdict refused;
  refused.function = "nvmlDeviceGetGpuFabricInfoV";
  refused.kind = VerdictKind::unsupported;
  const Verdicts one = {{refused.function, refused}};
  const auto body = export_text(*inputs, *vocabulary, one, refused.function);
  ASSERT_TRUE(body);
  EXPECT_NE(on_one_line(*body).find(
                "refuse<Fn::nvmlDeviceGetGpuFabricInfoV>(args(device, gpuFabricInfo), known_version(gpuFabricInfo, "
                "struct_version::GpuFabricInfo_v2, DriverWord(struct_version::GpuFabricInfo_v3, "),
            std::string::npos)
      << *body;
}

// Structs that only old headers have are passed through as what they are here: addresses.
TEST_F(Exports, DeclarationsKnowTheirTypes) {
  for (const std::string& name : exported_functions(*inputs)) {
    const Verdict* verdict = &verdicts->at(name);
    while (verdict->kind == VerdictKind::same_as)
      verdict = &verdicts->at(verdict->same_as);
    for (const Parameter& parameter : declaration(*inputs, *verdict, name).parameters) {
      const std::string& base = parameter.type.base;
      const bool known = !base.starts_with("nvml") || find(inputs->newest.records, base) ||
                         find(inputs->newest.enums, base) || find(inputs->newest.typedefs, base) ||
                         find(inputs->newest.handles, base);
      EXPECT_TRUE(known) << name << " " << base;
    }
  }
}

}  // namespace
}  // namespace nvmlab::codegen::test
