// SPDX-License-Identifier: Apache-2.0
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Machines : public Cli {
 protected:
  std::string store(const std::string& name) const { return file("machines/" + name + ".store"); }
};

TEST_F(Machines, UpListAndDown) {
  EXPECT_EQ(good({"up", "ci", "--profile", "dgx-h100"}), "ci is up: 8 x NVIDIA H100 80GB HBM3, driver 580.105.08\n");
  EXPECT_THAT(good({"up", "--profile", "t4", "--gpus", "3", "--driver", "550"}),
              HasSubstr("default is up: 3 x Tesla T4, driver 550."));
  EXPECT_THAT(good({"ls"}), MatchesRegex("NAME     PROFILE   GPUS  SINCE                PATH\n"
                                         "ci       dgx-h100     8  20..-..-.. ..:..:..  .*/machines/ci.store\n"
                                         "default  t4           3  20..-..-.. ..:..:..  .*/machines/default.store\n"));
  EXPECT_EQ(good({"down", "ci"}), "ci is down\n");
  EXPECT_EQ(good({"down"}), "default is down\n");
  EXPECT_EQ(json::parse(good({"ls", "--json"})), json::array());
  const Outcome nothing = nvmlab({"ls"});
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_EQ(nothing.out, "");
  EXPECT_THAT(nothing.err, HasSubstr("no machine is up"));
}

TEST_F(Machines, TheListAsJson) {
  good({"up", "b"});
  good({"up", "a", "--gpus", "0"});
  const json list = json::parse(good({"ls", "--json"}));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["name"], "a");
  EXPECT_EQ(list[0]["gpus"], 0);
  EXPECT_EQ(list[1]["profile"], "dgx-a100");
  EXPECT_EQ(list[1]["path"], store("b"));
  EXPECT_THAT(list[1]["since"].get<std::string>(), MatchesRegex("20..-..-..T..:..:..Z"));
}

TEST_F(Machines, FolderAndFileArePrivate) {
  good({"up"});
  EXPECT_EQ(fs::status(file("machines")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(store("default")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Machines, WhatIsWrongIsSaid) {
  good({"up", "ci"});
  EXPECT_EQ(bad(1, {"up", "ci"}), "a machine 'ci' is up already (" + store("ci") + "); `nvmlab down ci` takes it down");
  EXPECT_EQ(bad(1, {"down", "cj"}), "no machine 'cj' is up; `nvmlab up cj --profile PROFILE` brings it up; up: ci");
  EXPECT_EQ(bad(1, {"down"}), "no machine 'default' is up; `nvmlab up --profile PROFILE` brings it up; up: ci");
  for (const char* name : {"", ".", "..", ".x", "two words", "ü", "a\nb"}) {
    EXPECT_THAT(nvmlab({"up", name}).err, HasSubstr("cannot be the name of a machine")) << name;
    EXPECT_EQ(nvmlab({"up", name}).exit_code, 2) << name;
  }
  EXPECT_THAT(bad(1, {"up", "x", "--profile", "dgx-b300"}), HasSubstr("there is no profile 'dgx-b300'"));
  EXPECT_THAT(bad(2, {"up", "x", "--gpus", "5000"}), HasSubstr("0 to 4096"));
  EXPECT_THAT(bad(1, {"up", "/no/such/folder/x"}), HasSubstr("its folder does not exist"));
  environment_["NVMLAB_RUNTIME_DIR"] = std::string(600, 'x');
  EXPECT_THAT(bad(1, {"ls"}), HasSubstr("NVMLAB_RUNTIME_DIR"));
}

TEST_F(Machines, AMachineCanLieAnywhere) {
  good({"up", file("here.store"), "--profile", "t4"});
  EXPECT_THAT(good({"run", "--machine", file("here.store"), "--", probe()}), HasSubstr("Tesla T4"));
  EXPECT_EQ(good({"get", "--machine", file("here.store"), "identity.name"}), "Tesla T4\n");
  good({"down", file("here.store")});
  EXPECT_FALSE(fs::exists(file("here.store")));
}

TEST_F(Machines, OnlyOneOfManyBringsItUp) {
  std::vector<std::thread> threads;
  std::vector<Outcome> outcomes(8);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    threads.emplace_back([&, i] { outcomes[i] = nvmlab({"up", "race"}); });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(std::ranges::count_if(outcomes, &Outcome::ok), 1);
  for (const Outcome& outcome : outcomes) {
    if (!outcome.ok()) {
      EXPECT_THAT(outcome.err, HasSubstr("is up already"));
    }
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(file("machines")), {}), 1) << "nobody leaves a draft behind";
}

TEST_F(Machines, ADamagedOneIsNamedAndCanBeTakenDown) {
  good({"up", "whole"});
  good({"up", "broken"});
  const auto bytes = read_file(store("broken"));
  ASSERT_TRUE(bytes);
  ASSERT_TRUE(write_file(store("broken"), bytes->substr(0, bytes->size() / 2)));
  const Outcome list = nvmlab({"ls"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr("whole"));
  EXPECT_THAT(list.err, HasSubstr("broken.store: truncated"));
  EXPECT_THAT(json::parse(nvmlab({"ls", "--json"}).out)[0]["problem"].get<std::string>(), HasSubstr("truncated"));
  EXPECT_THAT(bad(1, {"get", "--machine", "broken"}), AllOf(HasSubstr("truncated"), HasSubstr("nvmlab down broken")));
  EXPECT_THAT(bad(1, {"run", "--machine", "broken", "--", "true"}), HasSubstr("truncated"));
  good({"down", "broken"});
}

// What a client that printed into it leaves of a store: its name is free again when somebody says so.
TEST_F(Machines, ARuinedMachineGivesItsNameBack) {
  good({"up", "ci"});
  std::ofstream(store("ci"), std::ios::in | std::ios::out) << "GPU 0: NVIDIA A100";
  EXPECT_THAT(bad(1, {"down", "ci"}), HasSubstr("nvmlab down --force ci"));
  EXPECT_THAT(bad(1, {"get", "--machine", "ci"}), HasSubstr("nvmlab down --force ci"));
  good({"down", "--force", "ci"});
  good({"up", "ci"});
}

TEST_F(Machines, WhatIsNoMachineIsLeftAlone) {
  ASSERT_TRUE(write_file(file("thesis"), "years of work"));
  fs::permissions(file("thesis"), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THAT(bad(1, {"down", file("thesis")}), HasSubstr("not a store of nvmlab, so it is left alone"));
  EXPECT_THAT(bad(1, {"down", "--force", file("thesis")}), HasSubstr("left alone"));
  EXPECT_EQ(read_file(file("thesis")), "years of work");
  good({"up", "real"});
  fs::create_symlink(store("real"), store("link"));
  EXPECT_THAT(bad(1, {"down", "link"}), HasSubstr("refused"));
  EXPECT_THAT(bad(1, {"get", "--machine", "link"}), HasSubstr("refused"));
  fs::permissions(store("real"), fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(bad(1, {"get", "--machine", "real"}), HasSubstr("can be written by others"));
}

TEST_F(Machines, AFolderOfEverybodyIsRefused) {
  fs::create_directory(file("machines"));
  fs::permissions(file("machines"), fs::perms::all);
  EXPECT_THAT(bad(1, {"up"}), HasSubstr("set NVMLAB_RUNTIME_DIR to a folder of your own"));
}

TEST_F(Machines, AFileSystemWithoutRoomIsAnErrorAndNothingIsLeft) {
  const std::string folder = file("machines");
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  if (::mount("nvmlab-test", folder.c_str(), "tmpfs", 0, "size=600k,mode=700") != 0)
    GTEST_SKIP() << "needs the right to mount";
  const std::string said = bad(1, {"up", "ci", "--profile", "dgx-h100", "--gpus", "64"});
  const bool empty = std::filesystem::is_empty(folder);
  ::umount(folder.c_str());
  EXPECT_THAT(said, HasSubstr("space"));
  EXPECT_TRUE(empty);
}

TEST_F(Machines, DraftsOfTheDeadAreSweptAway) {
  good({"up", "a"});
  ASSERT_TRUE(write_file(file("machines/b.store.123456"), "half of a machine"));
  ASSERT_TRUE(write_file(file("machines/c.store.123456"), "being written"));
  fs::last_write_time(file("machines/b.store.123456"), fs::file_time_type::clock::now() - std::chrono::hours(2));
  good({"up", "d"});
  EXPECT_FALSE(fs::exists(file("machines/b.store.123456")));
  EXPECT_TRUE(fs::exists(file("machines/c.store.123456")));
  EXPECT_EQ(json::parse(good({"ls", "--json"})).size(), 2u);
}

// A limit on the size of files is a sentence, not a signal.
TEST_F(Machines, AFileThatMayNotGrowIsAnError) {
  const Outcome outcome = shell("ulimit -f 64; \"$nvmlab\" up m; echo code $?; ls \"$NVMLAB_RUNTIME_DIR\"");
  EXPECT_THAT(outcome.out, HasSubstr("code 1")) << outcome.story();
  EXPECT_THAT(outcome.out, Not(HasSubstr("store")));
}

TEST_F(Machines, TakenDownWhileAProgramRuns) {
  good({"up", "m"});
  const Outcome outcome =
      shell("\"$nvmlab\" run -m m -- bash -c '\"$nvmlab\" down m >/dev/null; \"$probe\"'; echo code $?");
  EXPECT_THAT(outcome.out, HasSubstr("code 4")) << outcome.story();
  EXPECT_THAT(outcome.err, HasSubstr("nvmlInit_v2 answers 9")) << "DRIVER_NOT_LOADED; " << outcome.story();
}

// What another user may do with a machine depends on what its owner said. As nobody, through setpriv, where the test is
// root and the build can be read by all.
class OtherUsers : public Machines {
 protected:
  void SetUp() override {
    Machines::SetUp();
    if (::geteuid() != 0) GTEST_SKIP() << "only root may become another user";
    if (as_nobody("$nvmlab run -- $probe").exit_code != 0) GTEST_SKIP() << "setpriv, or a build that others may read";
    folder_ = shell("d=$(mktemp -d /dev/shm/nvmlab-test-XXXXXX) && chmod 755 $d && printf %s $d").out;
    ASSERT_NE(folder_, "");
    machine_ = folder_ + "/node.store";
  }
  void TearDown() override {
    if (!folder_.empty()) shell("rm -rf " + folder_);
  }
  Outcome as_nobody(const std::string& command) const { return shell("NVMLAB_RUNTIME_DIR= " + kNobody + command); }

  const std::string kNobody = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
  std::string folder_;
  std::string machine_;
};

TEST_F(OtherUsers, AreShutOutUnlessTheOwnerLetsThemIn) {
  good({"up", machine_});
  const auto refused = as_nobody("$nvmlab get --machine " + machine_ + " --gpu 0 power.limit_mw");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("Permission denied"));
  good({"down", machine_});
}

TEST_F(OtherUsers, ReadWhatTheyMayRead) {
  good({"up", machine_, "--mode", "644"});
  EXPECT_EQ(as_nobody("$nvmlab get --machine " + machine_ + " --gpu 0 power.limit_mw").out, "400000\n");
  EXPECT_EQ(as_nobody("$nvmlab run --machine " + machine_ + " -- $probe").exit_code, 0);
  const auto set = as_nobody("$nvmlab set --machine " + machine_ + " --gpu 0 thermal.gpu_c=80");
  EXPECT_EQ(set.exit_code, 1);
  EXPECT_THAT(set.err, HasSubstr("may not write"));
  EXPECT_EQ(as_nobody("$nvmlab down " + machine_).exit_code, 1);
  EXPECT_EQ(good({"get", "--machine", machine_, "--gpu", "0", "power.limit_mw"}), "400000\n") << "it is up still";
  good({"down", machine_});
}

TEST_F(OtherUsers, OfTheGroupWriteToo) {
  good({"up", machine_, "--group", "65534"});
  const auto set = as_nobody("$nvmlab set --machine " + machine_ + " --gpu 0 thermal.gpu_c=80");
  EXPECT_EQ(set.exit_code, 0) << set.story();
  EXPECT_EQ(good({"get", "--machine", machine_, "--gpu", "0", "thermal.gpu_c"}), "80\n");
  good({"down", machine_});
}

TEST_F(Machines, AreSharedByAPathAndNeverWithEverybody) {
  EXPECT_THAT(bad(2, {"up", "/nowhere/m.store", "--mode", "666"}), HasSubstr("others never write"));
  EXPECT_THAT(bad(2, {"up", "/nowhere/m.store", "--group", "no such group"}), HasSubstr("there is no group"));
}

// `up` is the node that `run` would be: by the same variables.
TEST_F(Machines, TheEnvironmentDescribesThem) {
  environment_["NVMLAB_PROFILE"] = "dgx-h100";
  environment_["NVMLAB_GPUS"] = "3";
  environment_["NVMLAB_DRIVER"] = "535";
  EXPECT_EQ(good({"up", "a"}), "a is up: 3 x NVIDIA H100 80GB HBM3, driver 535.261.03\n");
  EXPECT_EQ(good({"up", "b", "--profile", "t4", "--gpus", "1", "--driver", "550"}),
            "b is up: 1 x Tesla T4, driver 550.163.01\n");
  environment_["NVMLAB_GPUS"] = "many";
  EXPECT_EQ(bad(1, {"up", "c"}), "NVMLAB_GPUS='many': a whole number from 0 to 4096 was expected");
}

TEST_F(Machines, AConfigurationOfTheGoMockDescribesThemAndWhatItSaysInVainIsSaid) {
  ASSERT_TRUE(write_file(file("mock.yaml"),
                         "version: \"1.0\"\nsystem: {driver_version: 550.163.01, num_devices: 2}\n"
                         "device_defaults:\n  name: A Mock\n  failure: {mode: lost, after_calls: 3}\n"
                         "  dynamic_metrics: {seed: 1, waves: 2}\n"));
  environment_["MOCK_NVML_CONFIG"] = file("mock.yaml");
  const Outcome up = nvmlab({"up", "m"});
  EXPECT_EQ(up.out, "m is up: 2 x A Mock, driver 550.163.01\n") << up.story();
  EXPECT_EQ(up.err, "nvmlab: MOCK_NVML_CONFIG=" + file("mock.yaml") +
                        ": not simulated: dynamic_metrics.waves (docs/guide/from-mock-nvml.md; NVMLAB_LOG=info "
                        "names the lines)\n");
  EXPECT_THAT(good({"status", "--machine", "m"}),
              HasSubstr("GPU 1: call nvmlDevice* --answer GPU_IS_LOST --skip 2 --times 1 --shared since"));
  environment_["NVMLAB_PROFILE"] = "t4";
  EXPECT_THAT(good({"up", "n"}), HasSubstr("Tesla T4")) << "our own variable goes first";
}

TEST_F(Machines, AMisspeltVariableIsNamed) {
  environment_["NVMLAB_PROFIL"] = "dgx-h100";
  const Outcome outcome = nvmlab({"up", "m"});
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_EQ(outcome.err, "nvmlab: NVMLAB_PROFIL: there is no such variable; did you mean NVMLAB_PROFILE?\n");
  const Outcome below = nvmlab({"run", "--", probe()});
  EXPECT_THAT(below.err, HasSubstr("] NVMLAB_PROFIL: there is no such variable; did you mean NVMLAB_PROFILE?\n"));
}

}  // namespace
}  // namespace nvmlab::test
