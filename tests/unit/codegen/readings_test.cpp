// SPDX-License-Identifier: Apache-2.0
// Verdicts that read more than a field: an item, a length, a list, a choice, a rule; and what is wrong with one.
#include "codegen/meaning/readings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/emit/export_bodies.hpp"
#include "codegen/emit/exports.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

const Inputs& known_facts() {
  static const auto loaded = load_inputs(source_folder());
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

const Vocabulary& known_fields() {
  static const auto loaded = load_vocabulary(source_folder() / "model" / "state");
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

Result<Verdicts> load_row(const std::string& function, const std::string& verdict) {
  const TemporaryFolder folder;
  folder.write("topic.yaml", "topic: topic\nfunctions:\n  " + function + ": " + verdict + "\n");
  return load_verdicts(folder.path(), {function}, known_facts().registry, known_fields());
}

// The body that comes out, with every run of blanks as one; or what is said against the row.
std::string body_of_row(const std::string& function, const std::string& verdict) {
  const auto verdicts = load_row(function, verdict);
  if (!verdicts) return verdicts.error().text();
  const auto text = export_text(known_facts(), known_fields(), *verdicts, function);
  if (!text) return text.error().text();
  std::string line;
  for (const char letter : *text) {
    const bool blank = letter == ' ' || letter == '\n';
    if (blank && !line.empty() && (line.back() == ' ' || line.back() == '(')) continue;
    line += blank ? ' ' : letter;
  }
  return line;
}

void expect_part(const std::string& function, const std::string& verdict, const std::string& part) {
  const std::string text = body_of_row(function, verdict);
  EXPECT_NE(text.find(part), std::string::npos)
      << function << ": " << verdict << "\nmade " << text << "\nwithout " << part;
}

TEST(Readings, AnItemIsFoundByItsIndexOrByAKey) {
  expect_part("nvmlDeviceGetFanSpeed_v2", "{item: thermal.fans, at: fan, read: speed_percent}",
              "return read<Fn::nvmlDeviceGetFanSpeed_v2>(args(device, fan, speed), item(field<&Gpu::thermal, "
              "&Thermal::fans>, by_index(fan), scalar<&Thermal::Fan::speed_percent>(speed)));");
  expect_part("nvmlDeviceGetFanSpeed",
              "{item: thermal.fans, at: 0, empty: NOT_FOUND, missing: UNKNOWN, read: speed_percent}",
              "return read<Fn::nvmlDeviceGetFanSpeed>(args(device, speed), item(field<&Gpu::thermal, &Thermal::fans>, "
              "by_index<NVML_ERROR_NOT_FOUND, NVML_ERROR_UNKNOWN>(0), scalar<&Thermal::Fan::speed_percent>(speed)));");
  expect_part("nvmlDeviceGetFanSpeedRPM", "{item: thermal.fans, at: fanSpeed.fan, read: {fanSpeed.speed: rpm}}",
              "return call<Fn::nvmlDeviceGetFanSpeedRPM>(args(device, fanSpeed), [&](const Device& gpu) { return "
              "answer(gpu.slot, item(field<&Gpu::thermal, &Thermal::fans>, by_index(fanSpeed->fan), "
              "member<&nvmlFanSpeedInfo_t::speed, &Thermal::Fan::rpm>(fanSpeed)));");
  expect_part(
      "nvmlDeviceGetGpuInstanceRemainingCapacity",
      "{item: mig.profiles, key: {id: profileId}, visible: {number: gpu_instance_profiles}, read: {count: {value: 0}}}",
      "return read<Fn::nvmlDeviceGetGpuInstanceRemainingCapacity>(args(device, profileId, count), "
      "item(field<&Gpu::mig, &Mig::profiles>, visible(by_key(field<&Mig::Profile::id>, profileId), "
      "field<&Mig::Profile::number>, simulated_driver().gpu_instance_profiles), scalar(count, constant<0>)));");
  expect_part("nvmlUnitGetPsuInfo", "{item: unit.boxes, at: unit, read: {psu.power: psu_power_w}}",
              "return call<Fn::nvmlUnitGetPsuInfo>(args(unit, psu), [&](Store& node) { return answer(node.node, "
              "item(field<&Node::unit, &Unit::boxes>, by_handle(node, unit), member<&nvmlPSUInfo_t::power, "
              "&Unit::Box::psu_power_w>(psu)));");
}

TEST(Readings, ALengthMayBeRefused) {
  expect_part("nvmlDeviceGetNumFans", "{length: thermal.fans}",
              "return read<Fn::nvmlDeviceGetNumFans>(args(device, numFans), scalar(numFans, "
              "length(field<&Gpu::thermal, &Thermal::fans>)));");
  expect_part("nvmlDeviceGetNumFans", "{length: thermal.fans, empty: NOT_SUPPORTED}",
              "return read<Fn::nvmlDeviceGetNumFans>(args(device, numFans), scalar(numFans, "
              "length<NVML_ERROR_NOT_SUPPORTED>(field<&Gpu::thermal, &Thermal::fans>)));");
}

TEST(Readings, AListSaysItsProtocolAndWhatEachEntryTakes) {
  const std::string clocks =
      "{list: clocks.supported, read: {clocksMHz: memory_mhz}, count: count, protocol: A, empty: NOT_SUPPORTED, "
      "optional: [clocksMHz]}";
  expect_part("nvmlDeviceGetSupportedMemoryClocks", clocks,
              "return call<Fn::nvmlDeviceGetSupportedMemoryClocks>(args(device, count, clocksMHz), [&](const Device& "
              "gpu) { return list<Protocol::a>(gpu, conditions(), whole(field<&Gpu::clocks, &Clocks::supported>), "
              "Every{}, NVML_ERROR_NOT_SUPPORTED, count, row_value<&Clocks::MemoryClock::memory_mhz>(clocksMHz));");
  expect_part("nvmlDeviceGetSupportedMemoryClocks", clocks,
              "return call<Fn::nvmlDeviceGetSupportedMemoryClocks>(args(device, count, clocksMHz), [&](const Device& "
              "gpu) { return list<Protocol::a>(gpu, conditions(), whole(field<&Gpu::clocks, &Clocks::supported>), "
              "Every{}, NVML_ERROR_NOT_SUPPORTED, count, row_value<&Clocks::MemoryClock::memory_mhz>(clocksMHz));");
  expect_part(
      "nvmlDeviceGetSupportedGraphicsClocks",
      "{list: clocks.supported, key: {memory_mhz: memoryClockMHz}, missing: NOT_FOUND, inner: graphics_mhz, "
      "read: {clocksMHz: item}, count: count, protocol: A}",
      "return call<Fn::nvmlDeviceGetSupportedGraphicsClocks>(args(device, memoryClockMHz, count, clocksMHz), [&](const "
      "Device& gpu) { return list<Protocol::a>(gpu, conditions(), within(field<&Gpu::clocks, &Clocks::supported>, "
      "by_key<NVML_ERROR_NOT_SUPPORTED, NVML_ERROR_NOT_FOUND>(field<&Clocks::MemoryClock::memory_mhz>, "
      "memoryClockMHz), field<&Clocks::MemoryClock::graphics_mhz>), Every{}, NVML_SUCCESS, count, row_value(clocksMHz, "
      "itself()));");
  const std::string processes =
      "{list: processes.running, having: {kinds: 1}, read: {infos.pid: pid}, count: infoCount, protocol: A0}";
  expect_part("nvmlDeviceGetComputeRunningProcesses_v2", processes,
              "return call<Fn::nvmlDeviceGetComputeRunningProcesses_v2>(args(device, infoCount, infos), [&](const "
              "Device& gpu) { return list<Protocol::a_or_null>(gpu, conditions(), whole(field<&Gpu::processes, "
              "&Processes::running>), WithBits{field<&Processes::Process::kinds>, 1}, NVML_SUCCESS, infoCount, "
              "row_member<&nvmlProcessInfo_v2_t::pid, &Processes::Process::pid>(infos));");
  expect_part("nvmlDeviceGetComputeRunningProcesses_v2", processes,
              "return call<Fn::nvmlDeviceGetComputeRunningProcesses_v2>(args(device, infoCount, infos), [&](const "
              "Device& gpu) { return list<Protocol::a_or_null>(gpu, conditions(), whole(field<&Gpu::processes, "
              "&Processes::running>), WithBits{field<&Processes::Process::kinds>, 1}, NVML_SUCCESS, infoCount, "
              "row_member<&nvmlProcessInfo_v2_t::pid, &Processes::Process::pid>(infos));");
}

// Regular names in a template, irregular ones in a table; both become rows of one table.
TEST(Readings, AChoiceIsATable) {
  const std::string row =
      "{.keys = {NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC}, .at = {offsetof(Gpu, "
      "ecc.corrected_volatile)}}";
  expect_part("nvmlDeviceGetTotalEccErrors",
              "{read: {derive: total_errors, from: [\"ecc.{errorType}_{counterType}\"]}, enabled: ecc.mode, choices: "
              "{errorType: {NVML_MEMORY_ERROR_TYPE_CORRECTED: corrected}, counterType: {NVML_VOLATILE_ECC: volatile}}}",
              row);
  expect_part(
      "nvmlDeviceGetClock",
      "{by: [clockId, clockType], read: {NVML_CLOCK_ID_CURRENT: {NVML_CLOCK_SM: clocks.sm_mhz, NVML_CLOCK_MEM: ~}}}",
      "{.keys = {NVML_CLOCK_ID_CURRENT, NVML_CLOCK_MEM}, .at = {kNoField}}");
  expect_part("nvmlDeviceGetTemperatureV",
              "{read: {NVML_TEMPERATURE_GPU: {temperature.temperature: thermal.gpu_c}}, by: temperature.sensorType}",
              "return call<Fn::nvmlDeviceGetTemperatureV>(args(device, temperature), [&](const Device& gpu) { const "
              "auto chosen = choose(nvmlDeviceGetTemperatureV_choices, NVML_ERROR_INVALID_ARGUMENT, "
              "temperature->sensorType); return answer(gpu.slot, known(chosen.code), "
              "member<&nvmlTemperature_t::temperature>(temperature, At<Fact<std::uint32_t>>{chosen.at[0]}));");
}

TEST(Readings, PartsStandInTheOrderOfThePrologue) {
  expect_part("nvmlDeviceGetMemoryAffinity",
              "{read: {nodeSet: {mask: topology.memory_affinity, words: nodeSetSize}}, permission: root, supported: "
              "topology.gpu_numa_id, in: {scope: [AFFINITY_SCOPE_NODE]}}",
              "return read<Fn::nvmlDeviceGetMemoryAffinity>(args(device, nodeSetSize, nodeSet, scope), "
              "supported<&Gpu::topology, &Topology::gpu_numa_id>(), one_of(scope, AFFINITY_SCOPE_NODE), mask(nodeSet, "
              "nodeSetSize, field<&Gpu::topology, &Topology::memory_affinity>), root_only());");
  expect_part("nvmlSystemGetNvlinkBwMode", "{read: system.nvlink_bandwidth_mode, permission: root}",
              "return read_node<Fn::nvmlSystemGetNvlinkBwMode>(args(nvlinkBwMode), scalar<&Node::system, "
              "&System::nvlink_bandwidth_mode>(nvlinkBwMode), root_only());");
}

TEST(Readings, AValueMayBeMadeOfAField) {
  const auto made = [](const std::string& source, const std::string& part) {
    expect_part("nvmlDeviceGetPowerUsage", "{read: " + source + "}", "scalar(power, " + part);
  };
  made("{field: power.draw_mw, or: 5}", "or_else<5>(field<&Gpu::power, &Power::draw_mw>))");
  made("{field: power.draw_mw, or: power.limit_mw}", "or_field(");
  made("{field: power.draw_mw, times: 1000}", "times<1000>(field<&Gpu::power, &Power::draw_mw>))");
  made("{value: BUS_TYPE_PCIE}", "constant<BUS_TYPE_PCIE>)");
  made("{not_empty: thermal.fans}", "not_empty(");
  made("{derive: active_remaps, from: [ecc.remapped_correctable, ecc.remapped_uncorrectable]}",
       "derived<active_remaps>(");
}

TEST(Readings, SameAsMayFixParameters) {
  const TemporaryFolder folder;
  folder.write("a.yaml",
               "functions:\n  nvmlDeviceGetFanSpeed_v2: {item: thermal.fans, at: fan, read: speed_percent}\n"
               "  nvmlDeviceGetFanSpeed: {same_as: nvmlDeviceGetFanSpeed_v2, with: {fan: 0}}\n");
  const auto verdicts = load_verdicts(folder.path(), {"nvmlDeviceGetFanSpeed", "nvmlDeviceGetFanSpeed_v2"},
                                      known_facts().registry, known_fields());
  ASSERT_TRUE(verdicts) << verdicts.error().text();
  const auto text = export_text(known_facts(), known_fields(), *verdicts, "nvmlDeviceGetFanSpeed");
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_NE(text->find("  constexpr unsigned int fan = 0;\n"), std::string::npos) << *text;
}

TEST(Readings, AreRefusedWithTheirPlace) {
  struct Wrong {
    const char* function;
    const char* verdict;
    const char* said;
  };
  for (const Wrong& wrong : {
           Wrong{"nvmlDeviceGetNumFans", "{length: thermal.fan}", "3:34: 'thermal.fan' is not a field"},
           Wrong{"nvmlDeviceGetFanSpeed", "{item: thermal.fans, read: speed_percent}",
                 "3:3: nvmlDeviceGetFanSpeed needs `at`, an index, or `key`, {field: parameter}, for its item"},
           Wrong{"nvmlDeviceGetFanSpeed", "{item: thermal.fans, at: 0}", "3:3: nvmlDeviceGetFanSpeed has no `read`"},
           Wrong{"nvmlDeviceGetFanSpeed", "{item: thermal.gpu_c, at: 0, read: x}", "'gpu_c' is not a list"},
           Wrong{"nvmlDeviceGetFanSpeed", "{item: thermal.fans, at: 0, read: speed}",
                 "'speed' is not a field of 'fan' in model/state/thermal.yaml"},
           Wrong{"nvmlDeviceGetFanSpeed", "{item: thermal.fans, at: fan, read: rpm}",
                 "'fan' is not a parameter of nvmlDeviceGetFanSpeed"},
           Wrong{"nvmlDeviceGetFanSpeed_v2", "{item: thermal.fans, key: rpm, read: rpm}",
                 "{field: parameter} was expected"},
           Wrong{"nvmlDeviceGetSupportedMemoryClocks", "{list: clocks.supported, read: {clocksMHz: memory_mhz}}",
                 "needs `count` and `protocol` for its list"},
           Wrong{"nvmlDeviceGetSupportedMemoryClocks",
                 "{list: clocks.supported, read: {clocksMHz: memory_mhz}, count: count, protocol: Z}",
                 "'Z' is no protocol; one of A, A0, B, C, F, G"},
           Wrong{"nvmlDeviceGetPowerUsage", "{read: {field: power.draw_mw, plus: 1}}",
                 "'plus' is not part of an output"},
           Wrong{"nvmlDeviceGetPowerUsage", "{read: {derive: total_errors}}", "`derive` needs `from`"},
           Wrong{"nvmlDeviceGetPowerUsage", "{read: power.draw_mw, permission: anybody}", "`permission` is root"},
           Wrong{"nvmlDeviceGetPowerUsage", "{read: power.draw_mw, in: {device: 1}}", "a list of the values"},
           Wrong{"nvmlDeviceGetClockInfo", "{by: type, choices: {type: {A: b}}, read: clocks.sm_mhz}",
                 "`by` has its table in `read`, `choices` has one of its own"},
           Wrong{"nvmlDeviceGetClockInfo", "{read: clocks.sm_mhz, by: type}",
                 "the values of 'type' with what is read for each were expected"},
           Wrong{"nvmlDeviceGetClockInfo", "{read: {A: clocks.sm_mhz, B: clocks.event_reasons}, by: type}",
                 "its choices differ in more than in their fields"},
           Wrong{"nvmlDeviceGetPowerUsage", "{call: }", "`call` needs a reason"},
           Wrong{"nvmlDeviceGetPowerUsage", "{call: because, by: power}",
                 "a choice belongs to `read`, `item`, `list` or `change`"},
       }) {
    const std::string said = body_of_row(wrong.function, wrong.verdict);
    EXPECT_NE(said.find(wrong.said), std::string::npos)
        << wrong.verdict << "\nsaid " << said << "\ninstead of " << wrong.said;
  }
}

}  // namespace
}  // namespace nvmlab::codegen::test
