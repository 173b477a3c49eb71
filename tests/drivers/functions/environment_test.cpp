// SPDX-License-Identifier: Apache-2.0
//
// What the environment asks for and what comes of it, variable by variable: docs/guide/environment.md is the same for
// users. A setting that makes no sense gives one line on standard error that names the variable, the value and the way
// out, and an init that fails with a documented code.
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "tests/drivers/functions/support/look.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr const char* kA100 = "NVIDIA A100-SXM4-40GB";
constexpr const char* kH100 = "NVIDIA H100 80GB HBM3";

TEST(Environment, NothingSetIsADgxA100) {
  expect_node(look({}), 8, kA100);
  EXPECT_EQ(look({}).version, "570.148.08");
}

TEST(Environment, AnEmptyVariableIsOneThatIsNotSet) {
  expect_node(look({{"NVMLAB_PROFILE", ""},
                    {"NVMLAB_GPUS", ""},
                    {"NVMLAB_DRIVER", ""},
                    {"NVMLAB_MACHINE", ""},
                    {"NVMLAB_INIT_ERROR", ""},
                    {"NVMLAB_LOG", ""},
                    {"MOCK_NVML_CONFIG", ""},
                    {"MOCK_NVML_DEBUG", ""},
                    {"MOCK_NVML_NUM_DEVICES", ""},
                    {"MOCK_NVML_DRIVER_VERSION", ""}}),
              8, kA100);
}

TEST(Environment, ProfileByName) {
  expect_node(look({{"NVMLAB_PROFILE", "dgx-h100"}}), 8, kH100);
  expect_node(look({{"NVMLAB_PROFILE", "dgx-a100"}}), 8, kA100);
  expect_node(look({{"NVMLAB_PROFILE", "t4"}}), 1, "Tesla T4");
  expect_failure(look({{"NVMLAB_PROFILE", "dgx-h1000"}}), kUnknown, {"NVMLAB_PROFILE=dgx-h1000", "nvmlab profiles"});
  expect_failure(look({{"NVMLAB_PROFILE", "../machines/dgx-h100"}}), kUnknown, {"NVMLAB_PROFILE=../machines/dgx-h100"});
}

TEST(Environment, ProfileByMachineFile) {
  const auto file = library_folder() / "nvmlab" / "machines" / "dgx-h100.machine";
  expect_node(look({{"NVMLAB_PROFILE", file.string()}}), 8, kH100);
  const TemporaryFolder folder;
  expect_failure(look({{"NVMLAB_PROFILE", (folder.path() / "gone.machine").string()}}), kUnknown,
                 {"NVMLAB_PROFILE=", "gone.machine", "nvmlab compile"});
  std::string bytes = read_file(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] + 1);
  expect_failure(look({{"NVMLAB_PROFILE", folder.write("damaged.machine", bytes).string()}}), kUnknown,
                 {"NVMLAB_PROFILE=", "damaged.machine"});
  expect_failure(look({{"NVMLAB_PROFILE", folder.write("short.machine", bytes.substr(0, 100)).string()}}), kUnknown,
                 {"short.machine"});
  expect_failure(look({{"NVMLAB_PROFILE", folder.write("empty.machine", "").string()}}), kUnknown, {"empty.machine"});
  expect_failure(look({{"NVMLAB_PROFILE", folder.path().string() + "/.machine"}}), kUnknown, {"NVMLAB_PROFILE="});
}

TEST(Environment, ProfileByYaml) {
  const TemporaryFolder folder;
  const auto good = folder.write(
      "mine.yaml", "machine: mine\ninherits: dgx-h100\nsources:\n  ours: {kind: assumed, why: a test}\nsource: ours\n");
  expect_node(look({{"NVMLAB_PROFILE", good.string()}}), 8, kH100);
  expect_node(look({{"NVMLAB_PROFILE", good.string()}, {"NVMLAB_GPUS", "3"}, {"NVMLAB_DRIVER", "535"}}), 3, kH100);
  EXPECT_EQ(look({{"NVMLAB_PROFILE", good.string()}, {"NVMLAB_DRIVER", "535"}}).version, "535.261.03");
  expect_failure(look({{"NVMLAB_PROFILE", (folder.path() / "gone.yml").string()}}), kUnknown,
                 {"NVMLAB_PROFILE=", "gone.yml"});
  const auto bad = folder.write("bad.yaml",
                                "machine: bad\ninherits: dgx-h100\nsources:\n  ours: {kind: assumed, why: a "
                                "test}\nsource: ours\nsystem: {hostnam: x}\n");
  const Node node = look({{"NVMLAB_PROFILE", bad.string()}});
  expect_failure(node, kUnknown, {"NVMLAB_PROFILE=", "bad.yaml:6:10", "hostnam", "hostname"});
}

TEST(Environment, GpusFromNoneToFourThousand) {
  for (const unsigned gpus : {0U, 1U, 16U, 64U, 1024U, 4096U}) {
    expect_node(look({{"NVMLAB_GPUS", std::to_string(gpus)}}), gpus, gpus == 0 ? "" : kA100);
  }
  for (const char* wrong : {"4097", "-1", "abc", "8x", " 8", "99999999999999999999", "0x10", "1.5"}) {
    expect_failure(look({{"NVMLAB_GPUS", wrong}}), kUnknown,
                   {(std::string("NVMLAB_GPUS=") + wrong).c_str(), "0 to 4096"});
  }
}

// The driver refuses, which is nothing that anybody set wrongly: no line is written.
TEST(Environment, InitErrors) {
  for (const int code : {9, 18, 28, 999}) {
    const Node node = look({{"NVMLAB_INIT_ERROR", std::to_string(code)}, {"NVMLAB_GPUS", "2"}});
    EXPECT_EQ(node.init, code);
    EXPECT_EQ(node.gpus, 0xFFFFU) << "nothing is initialised";
    EXPECT_EQ(node.err, "");
  }
  for (const char* wrong : {"0", "1000", "-1", "DRIVER_NOT_LOADED", "9x"}) {
    expect_failure(look({{"NVMLAB_INIT_ERROR", wrong}}), kUnknown,
                   {(std::string("NVMLAB_INIT_ERROR=") + wrong).c_str(), "1 to 999"});
  }
}

// A driver that comes and goes within the life of a process.
TEST(Environment, AnInitErrorIsReadAnewEachTime) {
  const Driver& driver = Driver::get();
  ASSERT_EQ(driver.init(), kSuccess);
  const Environment refused{{"NVMLAB_INIT_ERROR", "9"}};
  EXPECT_EQ(driver.init(), kSuccess) << "who is initialised stays so";
  EXPECT_EQ(driver.shutdown(), kSuccess);
  EXPECT_EQ(driver.shutdown(), kSuccess);
  EXPECT_EQ(driver.init(), kDriverNotLoaded);
  EXPECT_EQ(driver.init(), kDriverNotLoaded);
  EXPECT_EQ(driver.count(), 0xFFFFU);
  EXPECT_EQ(driver.shutdown(), kSuccess);
  const Environment there{{"NVMLAB_INIT_ERROR", std::nullopt}};
  EXPECT_EQ(driver.init(), kSuccess);
  EXPECT_EQ(driver.count(), 8U);
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST(Environment, AThousandGpusAreAThousandDifferentOnes) {
  const Environment environment{{"NVMLAB_GPUS", "1024"}};
  const Driver& driver = Driver::get();
  ASSERT_EQ(driver.init(), kSuccess);
  std::vector<std::string> seen;
  for (unsigned i = 0; i < 1024; ++i) {
    const Word device = driver.device(i);
    std::array<char, 68> pci{};
    ASSERT_EQ(driver.call("nvmlDeviceGetPciInfo_v3", device, pci.data()), kSuccess);
    seen.push_back(driver.text("nvmlDeviceGetUUID", device));
    seen.push_back(driver.text("nvmlDeviceGetSerial", device));
    seen.emplace_back(pci.data() + 36);
    Word found = 0;
    EXPECT_EQ(driver.call("nvmlDeviceGetHandleByPciBusId_v2", pci.data() + 36, &found), kSuccess);
    EXPECT_EQ(found, device);
  }
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  EXPECT_EQ(driver.shutdown(), kSuccess);
}

TEST(Environment, DriverByBranchOrVersion) {
  EXPECT_EQ(look({{"NVMLAB_DRIVER", "535"}}).version, "535.261.03");
  EXPECT_EQ(look({{"NVMLAB_DRIVER", "550.163.01"}}).version, "550.163.01");
  EXPECT_EQ(look({{"NVMLAB_DRIVER", "340"}}).version, "340.108");
  for (const char* wrong : {"nonsense", "12", "5350", "535.", "1.2.3.4", "536"}) {
    expect_failure(look({{"NVMLAB_DRIVER", wrong}}), kUnknown,
                   {(std::string("NVMLAB_DRIVER=") + wrong).c_str(), "550.163.01"});
  }
  expect_failure(look({{"NVMLAB_DRIVER", "nonsense"},
                       {"NVMLAB_PROFILE", (source_folder() / "profiles/machines/dgx-h100.yaml").string()}}),
                 kUnknown, {"NVMLAB_DRIVER=nonsense"});
}

// What is misspelt, and what NVIDIA's Go mock reads and this library does not: said where nobody asked for more, and no
// failure.
TEST(Environment, WhatIsNotReadIsSaid) {
  const Node misspelt = look({{"NVMLAB_PROFIL", "dgx-h100"}, {"NVMLAB_CLIENTS_DIR", "/x"}, {"NVMLAB_GPU", "3"}});
  EXPECT_EQ(misspelt.init, kSuccess);
  EXPECT_EQ(misspelt.gpus, 8U);
  EXPECT_EQ(misspelt.lines(), 2) << misspelt.err;
  EXPECT_TRUE(misspelt.says("] NVMLAB_PROFIL: there is no such variable; did you mean NVMLAB_PROFILE?\n"));
  EXPECT_TRUE(misspelt.says("] NVMLAB_GPU: there is no such variable; did you mean NVMLAB_GPUS?\n"));
  EXPECT_EQ(look({{"NVMLAB_PROFIL", "dgx-h100"}, {"NVMLAB_LOG", "off"}}).err, "");
  for (const std::string name : {"MOCK_NVML_EPOCH", "MOCK_TOPOLOGY_CONFIG"}) {
    const Node unread = look({{name, "1700000000"}});
    EXPECT_EQ(unread.init, kSuccess);
    EXPECT_EQ(unread.lines(), 1) << unread.err;
    EXPECT_TRUE(unread.says(name + ": not read here; docs/guide/from-mock-nvml.md ")) << unread.err;
  }
  const Node overridden = look({{"MOCK_NVML_OVERRIDES", "/x.yaml"}});
  EXPECT_EQ(overridden.init, kSuccess);
  EXPECT_TRUE(overridden.says("MOCK_NVML_OVERRIDES: read with MOCK_NVML_CONFIG alone")) << overridden.err;
  expect_failure(look({{"MOCK_NVML_OVERRIDES_TTL", "soon"}}), kUnknown,
                 {"MOCK_NVML_OVERRIDES_TTL=soon: a span of time such as 500ms or 1s was expected"});
}

TEST(Environment, WhatAGoMockConfigurationSaysInVainIsSaid) {
  const TemporaryFolder folder;
  const auto file = folder.write("mock.yaml",
                                 "version: \"1.0\"\nsystem: {driver_version: 550.54.15, num_devices: 1}\n"
                                 "device_defaults:\n  name: X\n  failure: {mode: healthy}\n  features: {a: 1}\n"
                                 "  retired: {a: 1}\n  novelty: 1\n"
                                 "nvlink: {defaults: {duty_cycle: 0.5}}\n");
  const Node node = look({{"MOCK_NVML_CONFIG", file.string()}});
  EXPECT_EQ(node.init, kSuccess);
  EXPECT_EQ(node.lines(), 1) << node.err;
  EXPECT_TRUE(node.says(": not simulated: novelty, nvlink.defaults.duty_cycle, retired (docs/guide/from-mock-nvml.md;"))
      << node.err;
  // Each line of more has the prefix.
  const Node info = look({{"MOCK_NVML_CONFIG", file.string()}, {"NVMLAB_LOG", "info"}});
  EXPECT_TRUE(
      info.says("] info: MOCK_NVML_CONFIG=" + file.string() + ":7:3: 'retired' is unknown to nvmlab and left out\n"))
      << info.err;
  EXPECT_TRUE(info.says("] info: MOCK_NVML_CONFIG=" + file.string() + ":6:3: 'features' has no meaning for nvmlab\n"));
  std::size_t prefixes = 0;
  for (auto at = info.err.find("nvmlab["); at != info.err.npos; at = info.err.find("nvmlab[", at + 1))
    ++prefixes;
  EXPECT_EQ(prefixes, static_cast<std::size_t>(info.lines())) << info.err;
}

// As that mock does: what it does not simulate is not to be taken for a refusal of the board.
TEST(Environment, StrictEndsAtWhatIsNotSimulated) {
  const TemporaryFolder folder;
  const std::string log = folder.path() / "log";
  const Driver& driver = Driver::get();
  const auto asked_under = [&](std::optional<std::string> strict) {
    const Environment environment{{"MOCK_NVML_STRICT", std::move(strict)}, {"NVMLAB_LOG", "error:" + log}};
    return in_child([&] {
      driver.init();
      unsigned fans = 0;  // which this board lacks indeed
      const int lacking = driver.call("nvmlDeviceGetNumFans", driver.device(0), &fans);
      const int unsimulated = driver.call("nvmlDeviceSetDriverModel", driver.device(0), 0, 0);
      return std::to_string(lacking) + " " + std::to_string(unsimulated);
    });
  };
  EXPECT_EQ(asked_under(std::nullopt), "3 3");
  EXPECT_EQ(asked_under(""), "3 3") << "an empty variable is none";
  EXPECT_EQ(read_file(log), "");
  EXPECT_TRUE(asked_under("1").starts_with("signal 6"));
  EXPECT_NE(read_file(log).find("MOCK_NVML_STRICT: nvmlDeviceSetDriverModel() is not simulated"), std::string::npos)
      << read_file(log);
}

TEST(Environment, VariablesOfTheGoMock) {
  EXPECT_EQ(look({{"MOCK_NVML_DRIVER_VERSION", "550.163.01"}}).version, "550.163.01");
  EXPECT_EQ(look({{"MOCK_NVML_DRIVER_VERSION", "550.163.01"}, {"NVMLAB_DRIVER", "535"}}).version, "535.261.03")
      << "ours win";
  expect_node(look({{"MOCK_NVML_NUM_DEVICES", "3"}}), 3, kA100);
  expect_node(look({{"MOCK_NVML_NUM_DEVICES", "nonsense"}, {"NVMLAB_GPUS", "2"}}), 2, kA100);
  expect_failure(look({{"MOCK_NVML_NUM_DEVICES", "abc"}}), kUnknown, {"MOCK_NVML_NUM_DEVICES=abc", "0 to 4096"});
  expect_failure(look({{"MOCK_NVML_DRIVER_VERSION", "abc"}}), kUnknown, {"MOCK_NVML_DRIVER_VERSION=abc", "550.163.01"});
  const TemporaryFolder folder;
  const auto file = folder.write("mock.yaml",
                                 "version: \"1.0\"\nsystem:\n  driver_version: \"550.54.15\"\n  num_devices: "
                                 "2\ndevice_defaults:\n  name: \"NVIDIA Test GPU\"\n");
  const Node node = look({{"MOCK_NVML_CONFIG", file.string()}});
  EXPECT_EQ(node.init, kSuccess) << node.err;
  EXPECT_EQ(node.version, "550.54.15");
  EXPECT_EQ(node.name, "NVIDIA Test GPU");
  expect_failure(look({{"MOCK_NVML_CONFIG", (folder.path() / "gone.yaml").string()}}), kUnknown,
                 {"MOCK_NVML_CONFIG=", "gone.yaml"});
  const auto bad = folder.write("bad.yaml", "system: [1,\n");
  expect_failure(look({{"MOCK_NVML_CONFIG", bad.string()}}), kUnknown, {"MOCK_NVML_CONFIG=", "bad.yaml:"});
  const Node traced = look({{"MOCK_NVML_DEBUG", "1"}});
  EXPECT_TRUE(traced.says("trace: nvmlInit_v2() -> 0")) << traced.err;
}

TEST(Environment, MachineThatIsUp) {
  const SharedMachine machine("dgx-h100", "570");
  expect_node(look({}), 8, kH100);
  expect_node(look({{"NVMLAB_GPUS", "3"}, {"NVMLAB_PROFILE", "t4"}, {"NVMLAB_DRIVER", "535"}}), 8, kH100);
  expect_node(look({{"NVMLAB_MACHINE", machine.path().string()}, {"NVMLAB_RUNTIME_DIR", std::nullopt}}), 8, kH100);
}

TEST(Environment, MachineThatCannotBeUsed) {
  const SharedMachine machine("dgx-h100", "570");
  const auto store = machine.path();
  expect_failure(look({{"NVMLAB_MACHINE", "other"}}), kDriverNotLoaded,
                 {"NVMLAB_MACHINE=other", "other.store", "nvmlab up other"});
  expect_failure(look({{"NVMLAB_MACHINE", "no such name"}}), kUnknown, {"NVMLAB_MACHINE=no such name", "letters"});

  const TemporaryFolder folder;
  const auto copy = [&](const char* name, const std::function<void(std::string&)>& damage) {
    std::string bytes = read_file(store);
    damage(bytes);
    const auto path = folder.write(name, bytes);
    ::chmod(path.c_str(), 0600);
    return path.string();
  };
  const std::string magic = copy("magic.store", [](std::string& bytes) { bytes[0] = 'X'; });
  expect_failure(look({{"NVMLAB_MACHINE", magic}}), kUnknown, {"NVMLAB_MACHINE=", "magic.store"});
  const std::string shorter = copy("short.store", [](std::string& bytes) { bytes.resize(bytes.size() - 4096); });
  expect_failure(look({{"NVMLAB_MACHINE", shorter}}), kUnknown, {"NVMLAB_MACHINE=", "short.store", "nvmlab down"});
  const std::string layout =
      copy("layout.store", [](std::string& bytes) { bytes[16] = static_cast<char>(bytes[16] + 1); });
  expect_failure(look({{"NVMLAB_MACHINE", layout}}), kVersionMismatch,
                 {"NVMLAB_MACHINE=", "layout.store", "nvmlab down"});
  const std::string open = copy("open.store", [](std::string&) {});
  ::chmod(open.c_str(), 0666);
  expect_failure(look({{"NVMLAB_MACHINE", open}}), kNoPermission, {"NVMLAB_MACHINE=", "open.store"});
  const std::string link = folder.path() / "link.store";
  std::filesystem::create_symlink(store, link);
  expect_failure(look({{"NVMLAB_MACHINE", link}}), kNoPermission, {"NVMLAB_MACHINE=", "link.store"});
}

// Whoever runs the test: the role says who may change a limit.
TEST(Environment, Role) {
  const auto limit_as = [](std::optional<std::string> role) {
    int code = -1;
    const Environment environment({{"NVMLAB_ROLE", role}});
    const std::string said = in_child([&] {
      const Driver& driver = Driver::get();
      if (const int failed = driver.init(); failed != kSuccess) return std::to_string(failed);
      return std::to_string(driver.call("nvmlDeviceSetPowerManagementLimit", driver.device(0), 300'000));
    });
    if (!said.empty()) code = std::stoi(said);
    return code;
  };
  EXPECT_EQ(limit_as("root"), kSuccess);
  EXPECT_EQ(limit_as("user"), kNoPermission);
  EXPECT_EQ(limit_as("mig-config,mig-monitor"), kNoPermission) << "it is nothing of MIG's";
  EXPECT_EQ(limit_as(std::nullopt), ::geteuid() == 0 ? kSuccess : kNoPermission);
  EXPECT_EQ(limit_as(""), ::geteuid() == 0 ? kSuccess : kNoPermission);
  for (const char* wrong : {"admin", "0", "Root", "root ", "mig-config,"})
    expect_failure(
        look({{"NVMLAB_ROLE", wrong}}), kUnknown,
        {"NVMLAB_ROLE", wrong, "root, user, mig-config, mig-monitor or mig-config,mig-monitor was expected"});
}

}  // namespace
}  // namespace nvmlab::driver_test
