// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

namespace fs = std::filesystem;

class Run : public Cli {
 protected:
  // A profile of the user's own: an H100 under another name.
  std::string own_profile(const std::string& limit = "500000") const {
    const std::string path = file("my-gpu.yaml");
    EXPECT_TRUE(write_file(path,
                           "profile: my-gpu\ninherits: h100-sxm5-80gb\nsources:\n  mine: {kind: assumed, why: a test}\n"
                           "source: mine\nidentity: {name: My Own GPU}\npower: {limit_mw: " +
                               limit + "}\n"));
    return path;
  }
};

TEST_F(Run, TheDefaultNodeIsADgxA100) {
  EXPECT_THAT(good({"run", "--", probe()}),
              StartsWith("gpus=8 driver=570.148.08 name=NVIDIA A100-SXM4-40GB limit=400000"));
}

TEST_F(Run, OptionsDescribeTheNode) {
  EXPECT_THAT(good({"run", "--profile", "dgx-h100", "--", probe()}), HasSubstr("name=NVIDIA H100 80GB HBM3"));
  EXPECT_THAT(good({"run", "--gpus", "64", probe(), "63"}), StartsWith("gpus=64 driver=570.148.08 name=NVIDIA A100"));
  EXPECT_THAT(good({"run", "--gpus=0", probe()}), StartsWith("gpus=0 "));
  EXPECT_THAT(good({"run", "-p", "t4", "-n", "2", "-d", "550.163.01", "--", probe(), "1"}),
              StartsWith("gpus=2 driver=550.163.01 name=Tesla T4"));
}

// Programs find the library that exports what the machine's driver does, and look in vain for what came later.
TEST_F(Run, ProgramsFindTheLibraryOfTheDriver) {
  const std::string lib = (binary_folder() / "lib").string();
  const Words path = {"printenv", "LD_LIBRARY_PATH"};
  const auto folder = [&](Words words) {
    words.insert(words.end(), path.begin(), path.end());
    const std::string out = good(words);
    return out.substr(0, out.find_first_of(":\n"));
  };
  EXPECT_EQ(folder({"run"}), lib + "/drivers/570");
  EXPECT_EQ(folder({"run", "--profile", "dgx-h100"}), lib + "/drivers/580");
  EXPECT_EQ(folder({"run", "--profile", "v100s-server"}), lib + "/drivers/460.73.01");
  EXPECT_EQ(folder({"run", "--profile", own_profile()}), lib + "/drivers/580");
  EXPECT_EQ(folder({"run", "--driver", "535"}), lib + "/drivers/535");
  EXPECT_EQ(folder({"run", "--driver", "535.86.05", "--profile", "t4"}), lib + "/drivers/535.43");
  EXPECT_EQ(folder({"run", "--driver", "999.1"}), lib) << "newer than every driver that is known";
  good({"up", "own", "--driver", "470"});
  EXPECT_EQ(folder({"run", "--machine", "own"}), lib + "/drivers/470");
  good({"up", "all"});
  EXPECT_EQ(folder({"run", "--machine", "all"}), lib + "/drivers/570");
  good({"compile", "t4", "-d", "550", "-o", file("t4.machine")});
  EXPECT_EQ(folder({"run", "--profile", file("t4.machine")}), lib + "/drivers/550");
  environment_["NVMLAB_DRIVER"] = "580.65.06";
  EXPECT_EQ(folder({"run"}), lib + "/drivers/580.65");
  EXPECT_EQ(folder({"run", "--profile", file("t4.machine")}), lib + "/drivers/580.65") << "the variable wins";
  environment_.erase("NVMLAB_DRIVER");
  ASSERT_TRUE(write_file(file("mock.yaml"), "system: {driver_version: \"550.163.01\", num_devices: 1}\n"));
  environment_["MOCK_NVML_CONFIG"] = file("mock.yaml");
  EXPECT_EQ(folder({"run"}), lib + "/drivers/550");
  ASSERT_TRUE(write_file(file("mock.yaml"), "system: 5\n"));
  EXPECT_THAT(bad(1, {"run", "true"}), HasSubstr("mock.yaml:1:9"));
}

TEST_F(Run, VariablesDescribeItToo) {
  environment_["NVMLAB_PROFILE"] = "dgx-h100";
  environment_["NVMLAB_GPUS"] = "3";
  EXPECT_THAT(good({"run", probe()}), AllOf(StartsWith("gpus=3 "), HasSubstr("H100")));
  EXPECT_THAT(good({"run", "--profile", "t4", "--gpus", "1", probe()}), AllOf(StartsWith("gpus=1 "), HasSubstr("T4")))
      << "options take precedence";
  environment_["NVMLAB_PROFILE"] = "dgx-h10";
  EXPECT_THAT(bad(1, {"run", probe()}), HasSubstr("did you mean 'dgx-h100'?"));
}

TEST_F(Run, WithoutADriverInitFailsEachTime) {
  const Outcome outcome = nvmlab({"run", "--no-driver", "--gpus", "2", "--", probe()});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.story();
  EXPECT_EQ(outcome.err, "node-probe: nvmlInit_v2 answers 9\n");
  EXPECT_THAT(good({"run", "--gpus", "2", probe()}), StartsWith("gpus=2 "));
}

TEST_F(Run, InitFailsWithAnyCodeThatIsAskedFor) {
  for (const char* code : {"LIB_RM_VERSION_MISMATCH", "NVML_ERROR_LIB_RM_VERSION_MISMATCH", "18"}) {
    const Outcome outcome = nvmlab({"run", "--init-error", code, "--", probe()});
    EXPECT_EQ(outcome.exit_code, 4) << outcome.story();
    EXPECT_EQ(outcome.err, "node-probe: nvmlInit_v2 answers 18\n");
  }
  EXPECT_THAT(bad(2, {"run", "--init-error", "LIB_RM_VERSION", probe()}), HasSubstr("LIB_RM_VERSION_MISMATCH"));
  for (const char* wrong : {"0", "1000", "SUCCESS", "NVML_SUCCESS"})
    EXPECT_THAT(bad(2, {"run", "--init-error", wrong, probe()}), HasSubstr("a code of failure was expected"));
  EXPECT_THAT(bad(2, {"run", "--no-driver", "--init-error", "18", probe()}), HasSubstr("cannot be used together"));
}

TEST_F(Run, AYamlProfileIsCompiledForTheDriver) {
  const std::string profile = own_profile();
  EXPECT_EQ(good({"run", "--profile", profile, "--", probe()}),
            "gpus=1 driver=580.105.08 name=My Own GPU limit=500000\n");
  EXPECT_THAT(good({"run", "--profile", profile, "--gpus", "5", "--driver", "550", "--", probe(), "4"}),
              StartsWith("gpus=5 driver=550.163.01 name=My Own GPU"));
  // One compiled file serves both calls, readable for its user alone.
  const fs::path compiled = fs::path(file("machines")) / "compiled";
  ASSERT_EQ(std::distance(fs::directory_iterator(compiled), {}), 1);
  EXPECT_EQ(fs::status(*fs::directory_iterator(compiled)).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(compiled).permissions(), fs::perms::owner_all);
}

TEST_F(Run, ChildrenInOtherFoldersFindItToo) {
  own_profile();
  const Outcome outcome =
      shell("cd '" + file("") + "' && \"$nvmlab\" run --profile ./my-gpu.yaml -- sh -c 'cd / && \"$probe\"'");
  EXPECT_THAT(outcome.out, HasSubstr("name=My Own GPU")) << outcome.story();
  environment_["NVMLAB_RUNTIME_DIR"] = "machines";  // relative, and the command goes elsewhere
  const Outcome relative =
      shell("cd '" + file("") + "' && \"$nvmlab\" up && \"$nvmlab\" run -m default -- sh -c 'cd / && \"$probe\"'");
  EXPECT_THAT(relative.out, HasSubstr("gpus=8")) << relative.story();
}

TEST_F(Run, AMachineFileIsUsedAsItIs) {
  good({"compile", "dgx-h100", "-o", file("h.machine"), "--gpus", "2"});
  EXPECT_THAT(good({"run", "--profile", file("h.machine"), "--", probe()}),
              AllOf(StartsWith("gpus=2 "), HasSubstr("H100")));
}

TEST_F(Run, UnusedCompiledFilesGoAndUsedOnesStay) {
  const std::string profile = own_profile();
  good({"run", "--profile", profile, "--", "true"});
  const fs::path compiled = fs::path(file("machines")) / "compiled";
  const fs::path used = *fs::directory_iterator(compiled);
  const fs::path stale = compiled / "old-0123456789abcdef.machine";
  ASSERT_TRUE(write_file(stale, "x"));
  const auto month_ago = fs::file_time_type::clock::now() - std::chrono::hours(24 * 30);
  fs::last_write_time(stale, month_ago);
  fs::last_write_time(used, month_ago);
  good({"run", "--profile", profile, "--", "true"});
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(used));
}

TEST_F(Run, WhatIsWrongWithAProfileIsSaidBeforeAnythingRuns) {
  const std::string profile = own_profile("never");
  const Outcome outcome = nvmlab({"run", "--profile", profile, "--", "touch", file("ran")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("my-gpu.yaml:7:19: 'never' is not a whole number"));
  EXPECT_FALSE(fs::exists(file("ran")));
  EXPECT_THAT(bad(1, {"run", "--profile", file("nothing.yaml"), "--", "touch", file("ran")}),
              HasSubstr("nothing.yaml"));
  EXPECT_THAT(bad(1, {"run", "--profile", "hopper", "--", "touch", file("ran")}), HasSubstr("family"));
  EXPECT_FALSE(fs::exists(file("ran")));
}

TEST_F(Run, ACommandLineThatMakesNoSense) {
  EXPECT_THAT(bad(2, {"run", "--gpus", "many", "--", "true"}), HasSubstr("a whole number from 0 to 4096 was expected"));
  EXPECT_THAT(bad(2, {"run", "--gpus", "4097", "--", "true"}), HasSubstr("a whole number from 0 to 4096 was expected"));
  EXPECT_THAT(bad(2, {"run", "--driver", "new", "--", "true"}), HasSubstr("there is no such driver"));
  EXPECT_THAT(bad(2, {"run", "--log", "loud", "--", "true"}), HasSubstr("off, error, info or trace was expected"));
  EXPECT_THAT(bad(2, {"run", "--machine", "m", "--gpus", "2", "--", "true"}), HasSubstr("cannot be used together"));
  EXPECT_THAT(bad(2, {"run"}), HasSubstr("'run' needs COMMAND"));
}

TEST_F(Run, ExitCodesAndSignalsAreTheCommands) {
  EXPECT_EQ(nvmlab({"run", "--", "true"}).exit_code, 0);
  for (const int code : {1, 2, 7, 126, 255}) {
    EXPECT_EQ(nvmlab({"run", "--", "sh", "-c", "exit " + std::to_string(code)}).exit_code, code);
  }
  EXPECT_EQ(nvmlab({"run", "--", "sh", "-c", "kill -KILL $$"}).signal, 9);
  EXPECT_EQ(nvmlab({"run", "--", "sh", "-c", "kill -TERM $$"}).signal, 15);
  const Outcome sent = shell("\"$nvmlab\" run -- tail -f /dev/null & becomes $! tail; kill -TERM $!; wait $!; echo $?");
  EXPECT_EQ(sent.out, "143\n") << sent.story();
  const Outcome caught = shell("export ready=" + file("ready") + "; mkfifo $ready; \"$nvmlab\" run -- bash -c " +
                               "'tail -f /dev/null & trap \"kill $!; echo caught; exit 5\" USR1; : > $ready; wait' & " +
                               ": < $ready; kill -USR1 $!; wait $!; echo $?");
  EXPECT_EQ(caught.out, "caught\n5\n") << caught.story();
}

TEST_F(Run, TheProcessIsTheCommand) {
  const Outcome outcome = shell("\"$nvmlab\" run -- sh -c 'echo $$' & child=$!; wait $child; echo $child");
  const std::size_t line = outcome.out.find('\n');
  EXPECT_EQ(outcome.out.substr(0, line + 1), outcome.out.substr(line + 1)) << outcome.story();
}

TEST_F(Run, NotFoundAndNotExecutable) {
  EXPECT_EQ(bad(127, {"run", "--", "no-such-command"}), "no-such-command: command not found");
  EXPECT_THAT(bad(127, {"run", "--", file("nothing")}), HasSubstr("command not found"));
  ASSERT_TRUE(write_file(file("plain"), "text"));
  EXPECT_THAT(bad(126, {"run", "--", file("plain")}), HasSubstr("cannot be executed: Permission denied"));
  EXPECT_THAT(bad(126, {"run", "--", "/"}), HasSubstr("cannot be executed"));
  ASSERT_TRUE(write_file(file("script"), "#!/no/such/interpreter\n"));
  fs::permissions(file("script"), fs::perms::owner_all);
  EXPECT_THAT(bad(127, {"run", "--", file("script")}), HasSubstr("the interpreter that it names was not found"));
}

// After the demo, with a PATH that has no nvidia-smi.
TEST_F(Run, AFetchedClientIsFoundWhereThePathHasNone) {
  environment_["NVMLAB_CLIENTS_DIR"] = file("clients");
  environment_["PATH"] = "/nowhere";
  EXPECT_THAT(
      bad(127, {"run", "--", "nvidia-smi"}),
      AllOf(HasSubstr("nvidia-smi: command not found"), HasSubstr("scripts/fetch-clients"), HasSubstr("`nvmlab smi`")));
  for (const std::string branch : {"470", "535", "550", "580"}) {
    const std::string program = file("clients/nvidia-smi-" + branch + "/nvidia-smi");
    fs::create_directories(fs::path(program).parent_path());
    ASSERT_TRUE(write_file(program, "#!/bin/sh\necho client " + branch + " $1\n"));
    fs::permissions(program, fs::perms::owner_all);
  }
  const auto which = [&](Words words) {
    words.insert(words.end(), {"--", "nvidia-smi", "-L"});
    const Outcome outcome = nvmlab(std::move(words));
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    EXPECT_THAT(outcome.err, HasSubstr("nvidia-smi is not in the PATH; this is " + file("clients/nvidia-smi-")));
    return outcome.out;
  };
  EXPECT_EQ(which({"run"}), "client 550 -L\n") << "the DGX A100 has driver 570";
  EXPECT_EQ(which({"run", "--driver", "535"}), "client 535 -L\n");
  EXPECT_EQ(which({"run", "--driver", "390"}), "client 470 -L\n") << "none is as old";
  good({"up", "m", "--profile", "dgx-h100"});
  EXPECT_EQ(which({"run", "--machine", "m"}), "client 580 -L\n");
}

TEST_F(Run, WordsReachTheCommandAsTheyAre) {
  EXPECT_EQ(good({"run", "--", "printf", "[%s]", "a b", "", "$HOME", "*", "\"'\\", "--gpus", "-h", "ü\n"}),
            "[a b][][$HOME][*][\"'\\][--gpus][-h][ü\n]");
  const Outcome input = shell("echo hello | \"$nvmlab\" run -- cat");
  EXPECT_EQ(input.out, "hello\n");
}

TEST_F(Run, TheEnvironmentOfTheCommand) {
  environment_["LD_LIBRARY_PATH"] = "/some/where:/else";
  environment_["MARK"] = "kept";
  const std::string out =
      good({"run", "--log", "error", "--", "sh", "-c", "echo $LD_LIBRARY_PATH; echo $MARK; echo $NVMLAB_LOG"});
  const std::string library = (binary_folder() / "lib/drivers/570").string();
  EXPECT_EQ(out, library + ":/some/where:/else\nkept\nerror\n");
  // Within itself it adds nothing twice.
  EXPECT_EQ(good({"run", "--", program(), "run", "--", "sh", "-c", "echo $LD_LIBRARY_PATH"}),
            library + ":/some/where:/else\n");
}

TEST_F(Run, TheRoleIsAVariableOfTheCommand) {
  EXPECT_EQ(good({"run", "--role", "user", "--", "sh", "-c", "echo $NVMLAB_ROLE"}), "user\n");
  EXPECT_EQ(good({"run", "--role=root", "--", "sh", "-c", "echo $NVMLAB_ROLE"}), "root\n");
  EXPECT_EQ(good({"run", "--", "sh", "-c", "echo ${NVMLAB_ROLE-none}"}), "none\n");
  EXPECT_THAT(bad(2, {"run", "--role", "admin", "--", "true"}), HasSubstr("--role 'admin': root, user, mig-config,"));
  EXPECT_EQ(good({"run", "--role", "mig-config,mig-monitor", "--", "sh", "-c", "echo $NVMLAB_ROLE"}),
            "mig-config,mig-monitor\n");
}

TEST_F(Run, NoDescriptorIsLeftOpen) {
  good({"up", "m"});
  EXPECT_EQ(good({"run", "--machine", "m", "--", "sh", "-c", "echo /proc/self/fd/*"}),
            good({"run", "--", "sh", "-c", "echo /proc/self/fd/*"}));
  const Outcome plain = shell("sh -c 'echo /proc/self/fd/*' < /dev/null");
  EXPECT_EQ(good({"run", "--", "sh", "-c", "echo /proc/self/fd/*"}), plain.out);
}

TEST_F(Run, OnAMachineThatIsUp) {
  good({"up", "ci", "--profile", "dgx-h100"});
  EXPECT_THAT(good({"run", "--machine", "ci", "--", probe(), "2"}), HasSubstr("limit=700000"));
  good({"set", "--machine", "ci", "--gpu", "2", "power.limit_mw=300000"});
  EXPECT_THAT(good({"run", "--machine", "ci", "--", probe(), "2"}), HasSubstr("limit=300000"));
  EXPECT_THAT(good({"run", "--machine", "ci", "--", probe(), "1"}), HasSubstr("limit=700000"));
  environment_["NVMLAB_MACHINE"] = "ci";
  EXPECT_THAT(good({"run", "--", probe(), "2"}), HasSubstr("limit=300000"));
  EXPECT_THAT(good({"run", "--profile", "t4", "--", probe()}), HasSubstr("Tesla T4"))
      << "options that describe a node take precedence";
  environment_["NVMLAB_MACHINE"] = "gone";
  EXPECT_EQ(bad(1, {"run", "--", probe()}),
            "no machine 'gone' is up; `nvmlab up gone --profile PROFILE` brings it up; up: ci");
}

TEST_F(Run, SaysWhereItLookedForTheDriver) {
  fs::create_directories(file("elsewhere/bin"));
  fs::copy_file(program(), file("elsewhere/bin/nvmlab"));
  const Outcome outcome = shell(file("elsewhere/bin/nvmlab") + " run -- true");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("libnvidia-ml.so.1 is not installed beside"), HasSubstr(file("elsewhere/lib"))));
  // A driver without machines beside it is somebody else's.
  fs::create_directories(file("elsewhere/lib"));
  ASSERT_TRUE(write_file(file("elsewhere/lib/libnvidia-ml.so.1"), "a real one"));
  EXPECT_EQ(shell(file("elsewhere/bin/nvmlab") + " run -- true").exit_code, 1);
}

// Whoever reads a client's standard error may go away; a line of the library's does not kill the client then.
TEST_F(Run, ABrokenStandardErrorKillsNobody) {
  const std::string pipe = file("reader-is-gone");
  ASSERT_EQ(shell("mkfifo " + pipe).exit_code, 0);
  const auto outcome =
      shell("{ { : < " + pipe + "; \"$nvmlab\" run --log trace -- \"$probe\" > /dev/null; echo code $? >&3; } 2>&1 | " +
            "{ exec < /dev/null; : > " + pipe + "; }; } 3>&1");
  EXPECT_EQ(outcome.out, "code 0\n") << outcome.story();
}

}  // namespace
}  // namespace nvmlab::test
