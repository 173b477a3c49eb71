// SPDX-License-Identifier: Apache-2.0
// What the library says, and where to: NVMLAB_LOG, and variables that nothing reads.
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

TEST(Environment, LogLevels) {
  const auto index = [] {
    unsigned value = 0;
    Driver::get().call("nvmlDeviceGetIndex", 0, &value);
  };
  EXPECT_EQ(look({{"NVMLAB_LOG", "error"}}, index).err, "");
  EXPECT_EQ(look({{"NVMLAB_LOG", "off"}, {"NVMLAB_GPUS", "abc"}}, index).err, "");
  EXPECT_FALSE(look({{"NVMLAB_LOG", "info"}}, index).says("trace:"));
  const Node traced = look({{"NVMLAB_LOG", "trace"}}, index);
  for (const char* line : {"trace: nvmlInit_v2() -> 0\n",
                           "trace: nvmlDeviceGetName(device=GPU 7, name=\"NVIDIA A100-SXM4-40GB\", length=128) -> 0\n",
                           "trace: nvmlDeviceGetIndex(device=NULL, index=...) -> 2 (Invalid Argument)\n"}) {
    EXPECT_TRUE(traced.says(line)) << line << " is missing in\n" << traced.err;
  }
  const Node wrong = look({{"NVMLAB_LOG", "loud"}});
  EXPECT_EQ(wrong.init, kSuccess) << "a log level is no reason to fail";
  EXPECT_EQ(wrong.lines(), 1) << wrong.err;
  EXPECT_TRUE(wrong.says("NVMLAB_LOG=loud") && wrong.says("off, error, info or trace")) << wrong.err;
}

TEST(Environment, LogFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "log";
  EXPECT_EQ(look({{"NVMLAB_LOG", "trace:" + file}}).err, "");
  EXPECT_NE(read_file(file).find("trace: nvmlInit_v2() -> 0\n"), std::string::npos);
  struct stat facts {};
  ASSERT_EQ(::stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  const Node lost = look({{"NVMLAB_LOG", "error:/no/such/folder/log"}});
  EXPECT_EQ(lost.init, kSuccess);
  EXPECT_EQ(lost.lines(), 1) << lost.err;
  EXPECT_TRUE(lost.says("NVMLAB_LOG=error:/no/such/folder/log")) << lost.err;
  const Node longer = look({{"NVMLAB_LOG", "info:/" + std::string(600, 'x')}});
  EXPECT_EQ(longer.init, kSuccess);
  EXPECT_TRUE(longer.says("NVMLAB_LOG=")) << longer.err;
}

TEST(Environment, AFileOfAnEarlierInitIsLetGo) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "log";
  const Node node = look({{"NVMLAB_LOG", "trace:" + file}}, [] {
    Driver::get().shutdown();
    const Environment plain{{"NVMLAB_LOG", "trace"}};
    Driver::get().init();
  });
  EXPECT_TRUE(node.says("trace: nvmlInit_v2() -> 0")) << node.err;
}

// Long values are cut, and the line still ends.
TEST(Environment, MessagesAreOneWholeLineHoweverLongTheValueIs) {
  for (const char* name :
       {"NVMLAB_PROFILE", "NVMLAB_GPUS", "NVMLAB_DRIVER", "NVMLAB_MACHINE", "NVMLAB_LOG", "MOCK_NVML_CONFIG"}) {
    const Node node = look({{name, std::string(5000, 'q')}});
    EXPECT_EQ(node.lines(), 1) << name << ": " << node.err.size();
    EXPECT_TRUE(node.err.ends_with("\n")) << name;
    EXPECT_LE(node.err.size(), 1100U) << name;
  }
}

// What is named may be a FIFO, whose other end nobody opens.
TEST(Hosts, AFifoIsNotWaitedFor) {
  const TemporaryFolder folder;
  const std::string machine = folder.path() / "fifo.machine";
  const std::string log = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(machine.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
  const Node no_machine = look({{"NVMLAB_PROFILE", machine}});
  EXPECT_EQ(no_machine.init, kUnknown);
  EXPECT_TRUE(no_machine.says("cannot be read as a machine file")) << no_machine.err;
  const std::string yaml = folder.path() / "fifo.yaml";
  ASSERT_EQ(::mkfifo(yaml.c_str(), 0600), 0);
  const Node no_yaml = look({{"NVMLAB_PROFILE", yaml}});
  EXPECT_EQ(no_yaml.init, kUnknown);
  EXPECT_TRUE(no_yaml.says("a FIFO, not a file")) << no_yaml.err;
  const Node no_log = look({{"NVMLAB_LOG", "trace:" + log}});
  EXPECT_EQ(no_log.init, kSuccess);
  EXPECT_TRUE(no_log.says("cannot be written to")) << no_log.err;
}

// A program that opened the library by a relative path and went elsewhere: what lies beside the library is found there,
// and nothing beside where the program is now is opened.
TEST(Hosts, ALibraryOpenedByARelativePathFindsItsCompiler) {
  const TemporaryFolder folder;
  const std::filesystem::path lib = folder.path() / "lib";
  std::filesystem::create_directory(lib);
  std::filesystem::copy_file(library_folder() / "libnvidia-ml.so.1", lib / "libnvidia-ml.so.1");
  std::filesystem::create_symlink(library_folder() / "libnvmlab-compiler.so", lib / "libnvmlab-compiler.so");
  const std::string profile = folder.path() / "own.yaml";
  std::ofstream(profile) << "profile: own\ninherits: t4\nsources: {s: {kind: assumed, why: a test}}\nsource: s\n";
  const Environment environment{{"NVMLAB_PROFILE", profile}};
  EXPECT_EQ(in_child([&] {
              std::filesystem::current_path(folder.path());
              void* library = ::dlopen("lib/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
              if (library == nullptr) return std::string(::dlerror());
              std::filesystem::current_path("/");
              const int code = reinterpret_cast<int (*)()>(::dlsym(library, "nvmlInit_v2"))();
              return code == kSuccess ? std::string() : "init answered " + std::to_string(code);
            }),
            "");
}

// Mounted or copied alone into a container, the one file is every shipped machine.
TEST(Hosts, ALibraryThatStandsAloneIsEveryShippedMachine) {
  const TemporaryFolder folder;
  const std::filesystem::path alone = folder.path() / "libnvidia-ml.so.1";
  std::filesystem::copy_file(library_folder() / "libnvidia-ml.so.1", alone);
  const auto init_as = [&](const char* profile) {
    const Environment environment{{"NVMLAB_PROFILE", profile},
                                  {"NVMLAB_LOG", "trace:" + (folder.path() / "log").string()}};
    return in_child([&] {
      void* library = ::dlopen(alone.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) return std::string(::dlerror());
      return std::to_string(reinterpret_cast<int (*)()>(::dlsym(library, "nvmlInit_v2"))());
    });
  };
  for (const char* profile : {"dgx-a100", "dgx-h100", "mixed", "v100s-server", "t4"})
    EXPECT_EQ(init_as(profile), "0") << profile;
  EXPECT_EQ(init_as("dgx-h10"), std::to_string(kUnknown));
  std::ifstream log(folder.path() / "log");
  const std::string said{std::istreambuf_iterator<char>(log), {}};
  EXPECT_NE(said.find("NVMLAB_PROFILE=dgx-h10: no shipped profile has this name"), std::string::npos) << said;
}

}  // namespace
}  // namespace nvmlab::driver_test
