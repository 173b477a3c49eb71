// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class GetSet : public Cli {
 protected:
  void SetUp() override {
    good({"up", "h", "--profile", "dgx-h100"});
    environment_["NVMLAB_MACHINE"] = "h";
  }
  std::string value(const std::string& gpu, const std::string& path) const {
    std::string text = good({"get", "--gpu", gpu, path});
    EXPECT_TRUE(text.ends_with('\n'));
    text.pop_back();
    return text;
  }
};

TEST_F(GetSet, OneValueIsBare) {
  EXPECT_EQ(good({"get", "--gpu", "0", "power.limit_mw"}), "700000\n");
  EXPECT_EQ(good({"get", "system.driver_version"}), "580.105.08\n");
  EXPECT_EQ(good({"get", "-g", "7", "nvlink.links[17].active"}), "active\n");
}

TEST_F(GetSet, GpusThatAgreeShareALine) {
  EXPECT_EQ(good({"get", "power.limit_mw"}),
            "FIELD           GPU  VALUE\n"
            "power.limit_mw  all  700000 mW\n");
  good({"set", "--gpu", "1-2,5", "power.limit_mw=300000"});
  EXPECT_EQ(good({"get", "power.limit_mw"}),
            "FIELD           GPU        VALUE\n"
            "power.limit_mw  0,3-4,6-7  700000 mW\n"
            "                1-2,5      300000 mW\n");
}

TEST_F(GetSet, ATopicAndEverything) {
  const std::string power = good({"get", "--gpu", "0", "power"});
  EXPECT_THAT(power, HasSubstr("power.default_limit_mw"));
  EXPECT_THAT(power, Not(HasSubstr("power.module_limit_mw"))) << "not supported, so left out";
  EXPECT_THAT(good({"get", "--all", "--gpu", "0", "power"}), HasSubstr("power.module_limit_mw"));
  const std::string all = good({"get"});
  for (const char* part :
       {"clocks.graphics_mhz", "identity.uuid", "nvlink.links[17]", "system.driver_version", "topology."}) {
    EXPECT_THAT(all, HasSubstr(part));
  }
}

TEST_F(GetSet, WhatNoMachineHasIsRefused) {
  EXPECT_THAT(bad(1, {"set", "system.driver_version=abc"}), HasSubstr("no driver version"));
  EXPECT_NE(nvmlab({"set", "thermal.gpu_c=99999"}).exit_code, 0);
  EXPECT_EQ(value("0", "system.driver_version"), "580.105.08");
}

TEST_F(GetSet, AsJson) {
  const json all = json::parse(
      good({"get", "--json", "--gpu", "2,4", "power.limit_mw", "system.driver_version", "nvlink.links[0].active"}));
  EXPECT_EQ(all["machine"], "h");
  EXPECT_EQ(all["node"]["system.driver_version"], "580.105.08");
  ASSERT_EQ(all["gpus"].size(), 2u);
  EXPECT_EQ(all["gpus"][1]["index"], 4);
  EXPECT_EQ(all["gpus"][1]["values"]["power.limit_mw"], 700'000);
  EXPECT_EQ(all["gpus"][1]["values"]["nvlink.links[0].active"], "active");
  const std::string uuid = all["gpus"][1]["uuid"];
  EXPECT_EQ(json::parse(good({"get", "--json", "--gpu", uuid, "power.limit_mw"}))["gpus"][0]["index"], 4);
  EXPECT_GT(json::parse(good({"get", "--json"}))["gpus"][0]["values"].size(), 100u);
}

TEST_F(GetSet, EveryFieldCanBeSetToWhatItHas) {
  // What get prints as JSON, turned back into YAML's flow form (of which JSON is a part), changes nothing.
  const std::string before = good({"get", "--json", "--gpu", "3"});
  std::vector<std::string> words{"set", "--gpu", "3"};
  const json gpu = json::parse(before)["gpus"][0];
  for (const auto& [path, value] : gpu["values"].items()) {
    if (path == "modes.virtualization") continue;  // its NVML setter is only for hosts of vGPUs, and set has its rule
    const bool is_text = value.is_string() && value.get<std::string>().find_first_of("{\"") == std::string::npos;
    words.push_back(path + "=" + (is_text ? value.get<std::string>() : value.dump()));
  }
  EXPECT_GT(words.size(), 100u);
  EXPECT_EQ(good(words), "");
  EXPECT_EQ(good({"get", "--json", "--gpu", "3"}), before);
}

TEST_F(GetSet, WordsTextsListsAndRefusals) {
  good({"set", "--gpu", "0", "ecc.mode=disabled", "identity.name=A GPU: \"mine\" = {yes}", "memory.used_bytes=1 GiB",
        "power.draw_mw=answer:GPU_IS_LOST", "power.energy_mj=null", "power.min_limit_mw=0x10",
        "processes.running=[{pid: 42, kinds: 1, name: a b}, {pid: 43}]", "nvlink.links[3].active=inactive"});
  EXPECT_EQ(value("0", "ecc.mode"), "disabled");
  EXPECT_EQ(value("0", "identity.name"), "A GPU: \"mine\" = {yes}");
  EXPECT_EQ(value("0", "memory.used_bytes"), "1073741824");
  EXPECT_EQ(value("0", "power.draw_mw"), "answers GPU_IS_LOST");
  EXPECT_EQ(value("0", "power.energy_mj"), "not supported");
  EXPECT_EQ(value("0", "power.min_limit_mw"), "16");
  EXPECT_EQ(value("0", "processes.running[1].pid"), "43");
  EXPECT_EQ(value("0", "nvlink.links[3].active"), "inactive");
  EXPECT_EQ(value("1", "ecc.mode"), "enabled") << "the other GPUs are as they were";
  EXPECT_EQ(value("1", "nvlink.links[3].active"), "active");
}

TEST_F(GetSet, WithoutGpuItIsAllOfThem) {
  good({"set", "thermal.gpu_c=77", "system.hostname=node-7"});
  EXPECT_THAT(good({"get", "thermal.gpu_c"}), HasSubstr("thermal.gpu_c  all  77 C"));
  EXPECT_EQ(good({"get", "system.hostname"}), "node-7\n");
}

TEST_F(GetSet, AllOrNothing) {
  const std::string before = good({"get", "--json"});
  const Outcome outcome =
      nvmlab({"set", "power.draw_mw=1", "thermal.gpu_c=hot", "clocks.performance_state=16", "system.hostname=x"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("'hot' is not a whole number"), HasSubstr("clocks.performance_state takes 0 to 15"),
                    HasSubstr("nvmlab: nothing was changed\n")));
  EXPECT_EQ(nvmlab({"set", "power.draw_mw=1", "powr.x=1"}).exit_code, 1);
  EXPECT_EQ(nvmlab({"set", "power.draw_mw=1", "nvlink.links[1].nothing=1"}).exit_code, 1);
  EXPECT_EQ(good({"get", "--json"}), before);
}

TEST_F(GetSet, WhatIsWrongIsSaid) {
  EXPECT_EQ(bad(1, {"get", "powr"}), "there is no topic 'powr'; did you mean 'power'?");
  EXPECT_EQ(bad(1, {"get", "power.limit_mv"}), "power has no field 'limit_mv'; did you mean 'limit_mw'?");
  EXPECT_EQ(bad(1, {"set", "power.limit_mv=1"}), "power has no field 'limit_mv'; did you mean 'limit_mw'?");
  EXPECT_EQ(bad(1, {"set", "power.limit_mw"}),
            "'power.limit_mw': an assignment such as power.draw_mw=300000 was expected");
  EXPECT_THAT(bad(2, {"set"}), HasSubstr("'set' needs PATH=VALUE"));
  EXPECT_EQ(bad(1, {"get", "--gpu", "8", "power"}), "no GPU 8; this machine has GPUs 0 to 7");
  EXPECT_EQ(bad(1, {"set", "--gpu", "8", "power.draw_mw=1"}), "no GPU 8; this machine has GPUs 0 to 7");
  EXPECT_THAT(bad(1, {"get", "nvlink.links[18].active"}), HasSubstr("at most 18 items"));
  EXPECT_THAT(bad(1, {"get", "--gpu", "0", "processes.running[0].pid"}), HasSubstr("has 0 items"));
  EXPECT_EQ(bad(1, {"get", "--machine", "nope"}),
            "no machine 'nope' is up; `nvmlab up nope --profile PROFILE` brings it up; up: h");
  EXPECT_THAT(nvmlab({"set", "power.draw_mw=answer:NOPE"}).err, HasSubstr("'NOPE' is no return code of NVML"));
  EXPECT_THAT(nvmlab({"set", "power.draw_mw=5000000000"}).err, HasSubstr("out of range"));
  EXPECT_THAT(nvmlab({"set", "identity.name=" + std::string(200, 'x')}).err, HasSubstr("identity.name"));
}

TEST_F(GetSet, AFileOfFieldsAsProfilesHaveThem) {
  write_file(file("hot.yaml"),
             "# a GPU that is too hot\nthermal: {gpu_c: 91}\nclocks:\n  event_reasons: [hw_slowdown, sw_power_cap]\n"
             "power.draw_mw: 650 W\n"
             "processes:\n  running: [{pid: 42, name: train, kinds: compute}]\nsystem: {hostname: node-7}\n");
  good({"set", "--gpu", "1", "-f", file("hot.yaml")});
  EXPECT_EQ(good({"get", "--gpu", "1", "thermal.gpu_c"}), "91\n");
  EXPECT_EQ(good({"get", "--gpu", "1", "power.draw_mw"}), "650000\n");
  EXPECT_EQ(good({"get", "--gpu", "1", "processes.running[0].name"}), "train\n");
  EXPECT_EQ(good({"get", "system.hostname"}), "node-7\n");
  EXPECT_NE(good({"get", "--gpu", "0", "thermal.gpu_c"}), "91\n");
}

TEST_F(GetSet, AFileFromStandardInput) {
  const Outcome good = shell(
      "echo 'power: {draw_mw: {answer: GPU_IS_LOST}}' | $nvmlab set --gpu 0 -f - && $nvmlab get "
      "--gpu 0 power.draw_mw");
  EXPECT_THAT(good.out, HasSubstr("GPU_IS_LOST")) << good.story();
  EXPECT_THAT(shell("echo 'power: {drw_mw: 1}' | $nvmlab set -f -").err, StartsWith("nvmlab: standard input:1:9: "));
}

TEST_F(GetSet, AFileOfLines) {
  write_file(file("hot.txt"), "# hot\n\n  thermal.gpu_c=91\r\npower.draw_mw=650 W\nprocesses.running=[{pid: 42}]\n");
  good({"set", "--gpu", "1", "-f", file("hot.txt"), "memory.used_bytes=1GiB"});
  EXPECT_EQ(good({"get", "--gpu", "1", "thermal.gpu_c"}), "91\n");
  EXPECT_EQ(good({"get", "--gpu", "1", "power.draw_mw"}), "650000\n");
}

TEST_F(GetSet, AFileIsTakenWholeOrNotAtAll) {
  const std::string before = good({"get", "--json"});
  const auto complaint = [this](const std::string& text) {
    write_file(file("x"), text);
    const Outcome outcome = nvmlab({"set", "--gpu", "0", "-f", file("x")});
    EXPECT_EQ(outcome.exit_code, 1) << text;
    return outcome.err;
  };
  const std::string at = "nvmlab: " + file("x");
  EXPECT_EQ(complaint("thermal: {gpu_c: 91}\npower:\n  drw_mw: 1\n"),
            at + ":3:3: power has no field 'drw_mw'; did you mean 'draw_mw'?\n");
  EXPECT_EQ(complaint("thermal.gpu_c=91\npower.draw_mw\n"),
            at + ":2: 'power.draw_mw': an assignment such as power.draw_mw=300000 was expected\n");
  EXPECT_THAT(
      complaint("thermal: {gpu_c: 91}\npower: {draw_mw: hot}\n"),
      AllOf(HasSubstr(at + ":2:18: "), HasSubstr("'hot' is not a whole number"), HasSubstr("nothing was changed")));
  EXPECT_THAT(complaint("thermal.gpu_c=91\npower.draw_mw=hot\n"), HasSubstr(at + ":2: "));
  EXPECT_THAT(complaint("profile: x\n"), HasSubstr(at + ":1:1: there is no topic 'profile'"));
  EXPECT_THAT(complaint("system: {driver_version: 1.2.3.4}\n"), HasSubstr(at + ":1:26: system.driver_version"));
  EXPECT_THAT(complaint("- thermal\n"), HasSubstr("topics with fields were expected"));
  EXPECT_THAT(complaint("thermal: {gpu_c: 91\n"), HasSubstr(at + ":"));
  EXPECT_THAT(complaint("# nothing\n"), HasSubstr(at));
  EXPECT_THAT(nvmlab({"set", "-f", file("nowhere")}).err, HasSubstr("No such file"));
  EXPECT_THAT(nvmlab({"set", "-f", file("")}).err, HasSubstr("irectory"));
  EXPECT_EQ(good({"get", "--json"}), before);
}

TEST_F(GetSet, GpusByUuidAndAddress) {
  const std::string uuid = good({"get", "--gpu", "2", "identity.uuid"});
  good({"set", "--gpu", uuid.substr(0, 20), "thermal.gpu_c=71"});
  good({"set", "--gpu", "64:00.0", "thermal.gpu_c=72"});
  EXPECT_EQ(good({"get", "--gpu", "2", "thermal.gpu_c"}), "71\n");
  EXPECT_EQ(good({"get", "--gpu", "00000000:64:00.0", "thermal.gpu_c"}), "72\n");
}

TEST_F(GetSet, WhatFollowsFromAFieldMovesWithIt) {
  const int margin = std::stoi(value("0", "thermal.tlimit_c"));
  const int now = std::stoi(value("0", "thermal.gpu_c"));
  good({"set", "--gpu", "0", "thermal.gpu_c=91"});
  EXPECT_EQ(std::stoi(value("0", "thermal.tlimit_c")), margin - (91 - now));
  good({"set", "--gpu", "0", "power.limit_mw=300000"});
  EXPECT_EQ(value("0", "power.enforced_limit_mw"), "300000");
  good({"set", "--gpu", "0", "ecc.corrected_volatile.dram=5", "ecc.corrected_volatile.sram=2"});
  EXPECT_EQ(value("0", "ecc.corrected_volatile.total"), "7");
  good({"set", "--gpu", "0", "clocks.locked_graphics_min_mhz=1005", "clocks.locked_graphics_max_mhz=1005"});
  EXPECT_EQ(value("0", "clocks.graphics_mhz"), "1005");
}

TEST_F(GetSet, AFieldThatFollowsFromOthersSaysFromWhich) {
  const auto said = [&](const std::string& assignment) {
    const Outcome outcome = nvmlab({"set", "--gpu", "0", assignment});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
    return outcome.err;
  };
  EXPECT_THAT(said("power.enforced_limit_mw=1"),
              HasSubstr("power.enforced_limit_mw follows from power.limit_mw: set that, or pin "
                        "power.enforced_limit_mw with --force"));
  EXPECT_THAT(said("ecc.corrected_volatile.total=5"), HasSubstr("set one of them"));
}

TEST_F(GetSet, APinStaysUntilItIsReleased) {
  good({"set", "--force", "--gpu", "0", "power.enforced_limit_mw=150000", "thermal.gpu_c=answer:GPU_IS_LOST"});
  good({"set", "--gpu", "0", "power.limit_mw=300000", "thermal.gpu_c=40"});
  EXPECT_EQ(value("0", "power.enforced_limit_mw"), "150000");
  EXPECT_EQ(good({"get", "--gpu", "0-1", "power.enforced_limit_mw"}),
            "FIELD                    GPU  VALUE\n"
            "power.enforced_limit_mw    0  150000 mW (pinned)\n"
            "                           1  700000 mW\n");
  EXPECT_EQ(json::parse(good({"get", "--json", "--gpu", "0", "power.enforced_limit_mw"}))["gpus"][0]["pinned"],
            json::array({"power.enforced_limit_mw"}));
  EXPECT_THAT(bad(1, {"release", "--gpu", "0", "power.limit_mw"}), HasSubstr("power.limit_mw is not pinned"));
  good({"release", "--gpu", "0", "power.enforced_limit_mw"});
  EXPECT_EQ(value("0", "power.enforced_limit_mw"), "300000");
  good({"release"});
  EXPECT_EQ(value("0", "thermal.gpu_c"), "40") << "what was set beneath it";
  EXPECT_THAT(nvmlab({"set", "--force", "identity.name=x"}).err,
              HasSubstr("identity.name is a text; only numbers can be pinned"));
}

TEST_F(GetSet, AMachineWithoutGpus) {
  good({"up", "none", "--gpus", "0"});
  environment_["NVMLAB_MACHINE"] = "none";
  EXPECT_EQ(good({"get", "system.driver_version"}), "570.148.08\n");
  good({"set", "system.hostname=x"});
  EXPECT_EQ(bad(1, {"set", "power.draw_mw=1"}), "machine 'none' has no GPU");
  EXPECT_EQ(bad(1, {"get", "power"}), "machine 'none' has no GPU");
}

TEST_F(GetSet, ManyAtOnceLoseNoChange) {
  const std::vector<std::string> fields = {
      "power.draw_mw", "thermal.gpu_c",     "thermal.memory_c",        "clocks.graphics_mhz",
      "clocks.sm_mhz", "memory.used_bytes", "utilization.gpu_percent", "utilization.memory_percent"};
  constexpr int kRounds = 12;
  std::vector<std::thread> threads;
  std::vector<int> wrong(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 1; round <= kRounds; ++round) {
        const std::string number = std::to_string(static_cast<int>(i) * 10 + round);
        const Outcome done = nvmlab({"set", "--gpu", "0", fields[i] + "=" + number});
        if (!done.ok() || nvmlab({"get", "--gpu", "0", fields[i]}).out != number + "\n") ++wrong[i];
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(wrong[i], 0) << fields[i];
    EXPECT_EQ(value("0", fields[i]), std::to_string(static_cast<int>(i) * 10 + kRounds)) << fields[i];
  }
}

TEST_F(GetSet, AKilledSetHarmsNothing) {
  const Outcome outcome = shell(
      "for i in $(seq 60); do \"$nvmlab\" set power.draw_mw=$i thermal.gpu_c=$i & child=$!; "
      "for ((k = RANDOM / 8; k > 0; k--)); do :; done; kill -KILL $child 2>/dev/null; wait $child 2>/dev/null; done; "
      "\"$nvmlab\" set power.draw_mw=99 thermal.gpu_c=99");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.story();
  EXPECT_EQ(value("7", "power.draw_mw"), "99");
  EXPECT_EQ(value("7", "thermal.gpu_c"), "99");
}

TEST_F(GetSet, AProfileCanBeReadWithNothingUp) {
  EXPECT_EQ(good({"get", "--profile", "t4", "power.limit_mw"}), "70000\n");
  EXPECT_EQ(good({"get", "-p", "dgx-h100", "--gpu", "7", "identity.minor_number"}), "7\n");
  EXPECT_THAT(good({"get", "-p", "t4", "--json", "power.limit_mw"}), HasSubstr("\"profile\": \"t4\""));
  EXPECT_EQ(bad(2, {"get", "--profile", "t4", "--machine", "m"}), "--machine and --profile cannot be used together");
}

TEST_F(GetSet, QuantitiesTakeTheirUnits) {
  good(
      {"set", "power.limit_mw=300 W", "clocks.graphics_mhz=1.41 GHz", "thermal.gpu_c=77 C", "memory.used_bytes=2 GiB"});
  EXPECT_EQ(good({"get", "-g", "0", "power.limit_mw"}), "300000\n");
  EXPECT_EQ(good({"get", "-g", "0", "clocks.graphics_mhz"}), "1410\n");
  EXPECT_EQ(good({"get", "-g", "0", "thermal.gpu_c"}), "77\n");
  EXPECT_EQ(good({"get", "-g", "0", "memory.used_bytes"}), "2147483648\n");
}

TEST_F(GetSet, BitsHaveNames) {
  good({"set", "--gpu", "0", "clocks.event_reasons=sw_power_cap"});
  EXPECT_EQ(good({"get", "--gpu", "0", "clocks.event_reasons"}), "sw_power_cap\n");
  good({"set", "--gpu", "0", "clocks.event_reasons=[hw_slowdown, hw_thermal_slowdown]"});
  EXPECT_EQ(good({"get", "--gpu", "0", "clocks.event_reasons"}), "[hw_slowdown, hw_thermal_slowdown]\n");
  EXPECT_THAT(good({"get", "--gpu", "0", "--json", "clocks.event_reasons"}), HasSubstr("\"clocks.event_reasons\": 72"));
  good({"set", "--gpu", "0", "clocks.event_reasons=4"});
  EXPECT_EQ(good({"get", "--gpu", "0", "clocks.event_reasons"}), "sw_power_cap\n");
}

// An empty variable of a shell must not switch support off.
TEST_F(GetSet, AnEmptyValueIsRefused) {
  EXPECT_EQ(bad(1, {"set", "power.limit_mw="}),
            "'power.limit_mw=': the value is missing; null means that NVML does not support it");
  EXPECT_THAT(bad(1, {"set", "power.limit_mw=  "}), HasSubstr("the value is missing"));
  EXPECT_EQ(value("0", "power.limit_mw"), "700000");
  good({"set", "identity.serial=\"\""});
  EXPECT_EQ(value("0", "identity.serial"), "");
}

}  // namespace
}  // namespace nvmlab::test
