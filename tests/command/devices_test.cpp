// SPDX-License-Identifier: Apache-2.0
// `nvmlab devices` and `nvmlab smi` below `nvmlab run`, held against what `nvmlab get` reads of the same machine.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class Devices : public Cli {
 protected:
  void SetUp() override { good({"up", "m", "--profile", "dgx-h100", "--gpus", "2"}); }
  std::string asked(const Words& words) const {
    Words all{"run", "--machine", "m", "--", program()};
    all.insert(all.end(), words.begin(), words.end());
    return good(all);
  }
  json smi() const { return json::parse(asked({"smi", "--json"})); }
};

TEST_F(Devices, AreListed) {
  good({"set", "--machine", "m", "--gpu", "1", "identity.uuid=GPU-11111111-2222-3333-4444-555555555555"});
  const std::string table = asked({"devices"});
  EXPECT_THAT(table, MatchesRegex("GPU  UUID +BUS ID +NAME\n"
                                  "  0  GPU-[-0-9a-f]+  00000000:53:00.0  NVIDIA H100 80GB HBM3\n"
                                  "  1  GPU-11111111-2222-3333-4444-555555555555  00000000:64:00.0  NVIDIA H100.*\n"));
  const json list = json::parse(asked({"devices", "--json"}));
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1]["uuid"], "GPU-11111111-2222-3333-4444-555555555555");
  EXPECT_EQ(list[1]["index"], 1);
}

TEST_F(Devices, SmiShowsWhatTheMachineHas) {
  good({"set", "--machine", "m", "--gpu", "1", "thermal.gpu_c=77", "power.draw_mw=345600", "utilization.gpu_percent=93",
        "processes.running=[{pid: 4242, kinds: 1, used_bytes: 3 GiB, name: trainer}]"});
  const json all = smi();
  EXPECT_EQ(all["driver_version"].get<std::string>() + "\n", good({"get", "--machine", "m", "system.driver_version"}));
  ASSERT_EQ(all["gpus"].size(), 2U);
  const json& gpu = all["gpus"][1];
  EXPECT_EQ(gpu["temperature_c"], 77);
  EXPECT_EQ(gpu["power_w"], 345.6);
  EXPECT_EQ(gpu["gpu_percent"], 93);
  EXPECT_EQ(gpu["memory_total_mib"], 81559);
  EXPECT_EQ(gpu["performance_state"], "P0");
  EXPECT_EQ(gpu["fan_percent"], nullptr) << "an SXM board has no fan";
  EXPECT_EQ(gpu["compute_mode"], "default");
  EXPECT_FALSE(gpu.contains("errors"));
  ASSERT_EQ(all["processes"].size(), 1U);
  EXPECT_EQ(all["processes"][0]["pid"], 4242);
  EXPECT_EQ(all["processes"][0]["memory_mib"], 3072);

  const std::string table = asked({"smi"});
  EXPECT_THAT(table, HasSubstr(" 77C "));
  EXPECT_THAT(table, HasSubstr(" 346/700W "));
  EXPECT_THAT(table, HasSubstr("4242"));
}

TEST_F(Devices, WhatIsRefusedIsADash) {
  good({"set", "--machine", "m", "--gpu", "0", "power.draw_mw=answer:UNKNOWN", "thermal.gpu_c=null"});
  const json gpu = smi()["gpus"][0];
  EXPECT_EQ(gpu["power_w"], nullptr);
  EXPECT_EQ(gpu["temperature_c"], nullptr);
  EXPECT_EQ(gpu["power_limit_w"], 700.0) << "the rest is there";
  EXPECT_EQ(gpu["errors"], json({{"power_w", "UNKNOWN"}})) << "what is not supported is no error";
  const std::string table = asked({"smi"});
  EXPECT_THAT(table, HasSubstr(" ERR!/700W "));
  EXPECT_THAT(table, HasSubstr("\nGPU 0: power_w: UNKNOWN\n"));
}

// A GPU that fell off the bus answers every call alike.
TEST_F(Devices, ALostGpuIsSaidToBeLost) {
  Words set{"set", "--machine", "m", "--gpu", "1"};
  for (const char* field : {"identity.name", "identity.uuid", "thermal.gpu_c", "power.draw_mw", "pci.bus"})
    set.push_back(std::string(field) + "=answer:GPU_IS_LOST");
  good(set);
  EXPECT_THAT(asked({"smi"}), HasSubstr("GPU is lost\n"));
  EXPECT_EQ(smi()["gpus"][1]["errors"]["name"], "GPU_IS_LOST");
}

TEST_F(Devices, SimulatedOnesByAnOptionOfTheirOwn) {
  for (const std::string command : {"smi", "devices"}) {
    EXPECT_EQ(good({command, "--machine", "m"}), asked({command})) << command;
    EXPECT_THAT(good({command, "--profile", "t4", "--gpus", "3", "--driver", "535"}), HasSubstr("Tesla T4")) << command;
    EXPECT_EQ(json::parse(good({command, "--profile", "t4", "--json"})).empty(), false) << command;
    EXPECT_EQ(bad(2, {command, "--profile", "t4", "--library", "x"}),
              "--library and a simulated node cannot be used together");
    EXPECT_THAT(bad(1, {command, "--profile", "t5"}), HasSubstr("there is no profile 't5'")) << command;
  }
}

TEST_F(Devices, OneThatIsLostIsShown) {
  const std::string library = (binary_folder() / "tests" / "liblost-gpu.so").string();
  const json list = json::parse(asked({"devices", "--json", "--library", library}));
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["name"], "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(list[1]["index"], 1);
  EXPECT_EQ(list[1]["uuid"], "-");
  EXPECT_EQ(list[1]["name"], "nvmlDeviceGetHandleByIndex_v2: GPU is lost (the driver's answer)");
  const json all = json::parse(asked({"smi", "--json", "--library", library}));
  ASSERT_EQ(all["gpus"].size(), 2U);
  EXPECT_EQ(all["gpus"][1]["error"], list[1]["name"]);
}

TEST_F(Devices, EveryDriverOfTheTableCanBeAsked) {
  for (const char* driver : {"340", "418", "470", "535", "550", "580"}) {
    const json all =
        json::parse(good({"run", "--profile", "dgx-a100", "--driver", driver, "--", program(), "smi", "--json"}));
    ASSERT_EQ(all["gpus"].size(), 8U) << driver;
    EXPECT_EQ(all["gpus"][0]["memory_total_mib"], 40960) << driver;
    EXPECT_TRUE(all["driver_version"].get<std::string>().starts_with(driver)) << all["driver_version"];
  }
}

TEST_F(Devices, WithoutADriverSayWhatWasTried) {
  environment_["NVMLAB_LIBRARY"] = file("no-such-library.so");
  const Outcome outcome = nvmlab({"devices"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("no-such-library.so: cannot open shared object file"));
  const Outcome named = nvmlab({"smi", "--library", file("another.so")});
  EXPECT_EQ(named.exit_code, 1);
  EXPECT_THAT(named.err, HasSubstr("another.so"));
  environment_.erase("NVMLAB_LIBRARY");
  EXPECT_THAT(nvmlab({"smi"}).err, StartsWith("nvmlab: there is no NVIDIA driver here; --profile dgx-h100 asks "))
      << "what to do comes before the places that were looked at";
  EXPECT_THAT(nvmlab({"run", "--no-driver", "--", program(), "smi"}).err, HasSubstr("nvmlInit_v2: Driver Not Loaded"));
}

}  // namespace
}  // namespace nvmlab::test
