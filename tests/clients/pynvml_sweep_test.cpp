// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's Python binding of several years calls each function that it has: none crashes or hangs, none is missing, and
// every refusal is of a kind that a healthy node gives for a reason. pynvml_sweep.py makes the calls; its table of
// functions and results stays beside the test programs, as pynvml-VERSION-MACHINE.tsv.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>

#include <fmt/format.h>

#include "tests/clients/smi.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

// A result that is no fault: of which functions, and why.
struct Explained {
  const char* result;
  const char* functions;  // a regular expression
  const char* why;
};

constexpr Explained kExplained[] = {
    {"ok", ".*", "answered"},
    {"NotSupported", ".*", "the board has no such thing, as its capture or its kind says"},
    {"NoPermission",
     ".*(Set|Reset|Clear|Modify|Remove|Discover|Create|Destroy|Freeze|Activate|Update|Register|ReadWrite).*",
     "the test does not run as root"},
    {"Deprecated", "nvmlDevice(Get|Set|Reset)(Display|Power|.*Clock).*",
     "drivers since 580 refuse the application clocks, the power state and the display mode of old"},
    {"Timeout", "nvmlEventSetWait.*", "nothing happens within a millisecond"},
    {"Timeout", "nvmlSystemEventSetWait", "nothing happens within a millisecond"},
    {"NotFound", "nvmlDeviceGetAccountingStats.*|nvmlVgpuInstanceGetAccountingStats",
     "this process uses no GPU, so it has no account"},
    {"NotFound", "nvmlDeviceGet.*Process(es)?Utilization.*|nvmlDeviceGetSamples", "nothing ran, so there is no sample"},
    {"NotFound", "nvmlVgpu.*|nvmlGpuInstance.*|nvmlComputeInstance.*|nvmlDeviceGetGpuInstanceById|.*MigDevice.*",
     "the node has no such object"},
    {"NotFound", "nvmlGetExcludedDeviceInfoByIndex|nvmlSystemGetCPER_v1", "the node has none"},
    {"InvalidArgument", "nvml(Unit|Vgpu|GpuInstance|ComputeInstance).*|.*MigDevice.*|nvmlGetVgpuCompatibility",
     "a handle or number of an object that the node has none of"},
    {"InvalidArgument", "nvmlGetExcludedDeviceInfoByIndex", "no GPU is excluded"},
    {"InvalidArgument", "nvmlDevice.*(Vgpu|GpuInstance|ComputeInstance).*",
     "no vGPU type and no instance has that number, and arrays are null"},
    {"InvalidArgument", "nvmlDeviceGetEncoderCapacity|nvmlDeviceGetP2PStatus|nvmlDeviceGetHandleByUUIDV",
     "one of the enumerators means 'unknown'"},
    {"InvalidArgument", "nvmlDeviceGetMinMaxClockOfPState|nvmlDevice[GS]etClockOffsets",
     "the board is never in most of the performance states"},
    {"InvalidArgument",
     "nvmlDeviceSet.*|nvmlDevice.*Profile.*|nvmlSystemSet.*|nvmlDevice.*NvLink.*|nvmlSystem.*Event.*",
     "zero, or one of the enumerators, is no setting, profile, counter or set of this board"},
    {"InvalidArgument",
     "nvmlDevice(Get|Clear)FieldValues|nvmlDeviceGetThermalSettings|nvmlDeviceGetMemoryAffinity.*|"
     "nvmlDeviceGetCpuAffinityWithinScope|nvmlDeviceRegisterEvents|nvmlDevice.*PRM.*",
     "one of the values is out of what the board knows"},
    {"NotFound", "nvmlEventSetGet.*Context.*", "no event has been waited for"},
    {"InvalidArgument", "nvmlEventSetRegisterGpuOperationalEvents_v1", "the configuration names no event"},
    {"InvalidArgument", "nvmlDevice[GS]etMemoryLimits_v1", "the kind of limit is left at zero, which is none"},
    {"Unknown", "nvmlDeviceGetMinMaxClockOfPState", "NVML's answer for a performance state that the board never takes"},
    {"Unknown", "nvmlDeviceSetCpuAffinity", "the CPUs next to the simulated GPU are not among those of this machine"},
    {"InvalidArgument", "nvmlGpm.*", "no sample was taken before"},
    {"InsufficientSize", ".*(Vgpu|Process|Instance).*", "the list is asked for its size with room for none"},
    {"InUse|InsufficientResources|NotReady|InvalidState", "nvmlDevice.*|nvmlSystem.*", "what is in use is not changed"},
    {"FunctionNotFound", "nvmlDeviceCcu[GS]etStreamState", "drivers after 525 have them no more"},
};

const Explained* explanation(const std::string& function, const std::string& result) {
  for (const auto& each : kExplained) {
    if (std::regex_match(result, std::regex{each.result}) && std::regex_match(function, std::regex{each.functions}))
      return &each;
  }
  return nullptr;
}

using Case = std::tuple<std::string_view, Machine>;

class PynvmlSweep : public testing::TestWithParam<Case> {};

TEST_P(PynvmlSweep, EveryFunctionAnswers) {
  const auto [release, machine] = GetParam();
  NVMLAB_REQUIRE_CLIENT(client, std::string{release});
  Command command;
  command.arguments = {"python3", (source_folder() / "tests" / "clients" / "pynvml_sweep.py").string(),
                       (source_folder() / "model" / "facts" / "nvml.json").string()};
  Node node = node_of(machine);
  node.driver = "999.0";  // has every function that is still there
  command.environment = node_environment(node);
  command.environment["PYTHONPATH"] = client.program.parent_path().string();
  command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
  const auto outcome = run(command);
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_EQ(outcome.err, "");
  const auto table = binary_folder() / "tests" / fmt::format("pynvml-{}-{}.tsv", client.version, machine.profile);
  EXPECT_TRUE(write_file(table, outcome.out));

  std::set<std::string> functions;
  std::map<std::string, int> results;
  for (const auto& line : lines(outcome.out)) {
    const auto function = line.substr(0, line.find('\t'));
    const auto rest = line.substr(function.size() + 1);
    const auto result = rest.substr(0, rest.find('\t'));
    functions.insert(function);
    ++results[result];
    EXPECT_NE(explanation(function, result), nullptr) << line;
  }
  std::string summary;
  for (const auto& [result, count] : results)
    summary += fmt::format(" {} {}", count, result);
  fmt::print("nvidia-ml-py {} on {}: {} functions:{}; {}\n", client.version, machine.profile, functions.size(), summary,
             table.string());
  EXPECT_GT(functions.size(), release == "pynvml-11" ? 290U : 380U);
  EXPECT_GT(results["ok"], 110);
}

std::string sweep_name(const testing::TestParamInfo<Case>& each) {
  return case_name({{std::get<0>(each.param), std::get<1>(each.param)}, each.index});
}

INSTANTIATE_TEST_SUITE_P(All, PynvmlSweep,
                         testing::Combine(testing::Values(std::string_view{"pynvml-11"}, std::string_view{"pynvml-12"},
                                                          std::string_view{"pynvml-13"}),
                                          testing::ValuesIn(machines)),
                         sweep_name);

}  // namespace
}  // namespace nvmlab::test
