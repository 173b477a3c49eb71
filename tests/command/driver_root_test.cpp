// SPDX-License-Identifier: Apache-2.0
// nvmlab driver-root: the files of a machine's GPUs and driver in a folder, and the same folder after a change.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

namespace fs = std::filesystem;

class DriverRootCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "h", "--profile", "dgx-h100", "--gpus", "2", "--mig", "0:3g.40gb,1g.10gb"});
    environment_["NVMLAB_MACHINE"] = "h";
  }
  // What is said on standard error where device nodes cannot be made is no failure.
  std::string lay_out() const {
    const Outcome outcome = nvmlab({"driver-root", root()});
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return outcome.out;
  }
  std::string root() const { return file("root"); }
  std::string text(const std::string& path) const { return read_file(root() + "/" + path).value_or("not there"); }
  bool there(const std::string& path) const { return fs::exists(fs::symlink_status(root() + "/" + path)); }
  unsigned mode(const std::string& path) const {
    struct stat found {};
    return ::stat((root() + "/" + path).c_str(), &found) == 0 ? found.st_mode & 07777u : 0;
  }
  std::string location(int gpu) const {
    std::string bus = good({"get", "--gpu", std::to_string(gpu), "pci.bus"});
    char written[32];
    std::snprintf(written, sizeof written, "0000:%02x:00.0", static_cast<unsigned>(std::stoul(bus)));
    return written;
  }
};

TEST_F(DriverRootCommand, HasTheCapabilitiesOfMig) {
  EXPECT_THAT(lay_out(), HasSubstr("files of driver 580."));
  const std::string capabilities = "proc/driver/nvidia/capabilities/";
  EXPECT_EQ(text(capabilities + "mig/config"), "DeviceFileMinor: 1\nDeviceFileMode: 256\nDeviceFileModify: 1\n");
  EXPECT_EQ(text(capabilities + "mig/monitor"), "DeviceFileMinor: 2\nDeviceFileMode: 292\nDeviceFileModify: 1\n");
  EXPECT_EQ(mode(capabilities + "mig/config"), 0400u);
  EXPECT_EQ(mode(capabilities + "mig/monitor"), 0444u);
  // The numbers of NVIDIA's MIG user guide: GPU instance 2 has 3 + 9 * 2, its compute instance the next one.
  EXPECT_THAT(text(capabilities + "gpu0/mig/gi2/access"), StartsWith("DeviceFileMinor: 21\n"));
  EXPECT_THAT(text(capabilities + "gpu0/mig/gi2/ci0/access"), StartsWith("DeviceFileMinor: 22\n"));
  EXPECT_FALSE(there(capabilities + "gpu1"));
  for (const char* minor : {"1", "2", "21", "22"})
    EXPECT_TRUE(there(std::string("dev/nvidia-caps/nvidia-cap") + minor)) << minor;
  const std::string minors = text("proc/driver/nvidia-caps/mig-minors");
  EXPECT_THAT(minors, StartsWith("config 1\nmonitor 2\ngpu0/gi0/access 3\ngpu0/gi0/ci0/access 4\n"));
  EXPECT_THAT(minors, HasSubstr("\ngpu1/gi0/access 138\n"));
  EXPECT_TRUE(minors.ends_with("gpu31/gi14/ci7/access 4322\n"));
}

TEST_F(DriverRootCommand, HasGpusAndDriver) {
  lay_out();
  const std::string device = "sys/bus/pci/devices/" + location(1) + "/";
  EXPECT_EQ(text(device + "vendor"), "0x10de\n");
  EXPECT_EQ(text(device + "device"), "0x2330\n");
  EXPECT_EQ(text(device + "class"), "0x030200\n");
  EXPECT_EQ(text(device + "config").substr(0, 4), "\xDE\x10\x30\x23");
  EXPECT_EQ(fs::read_symlink(root() + "/" + device + "driver").filename(), "nvidia");
  const std::string information = text("proc/driver/nvidia/gpus/" + location(1) + "/information");
  EXPECT_THAT(information, HasSubstr("Model: \t\t NVIDIA H100 80GB HBM3\n"));
  EXPECT_THAT(information, HasSubstr("Bus Location: \t " + location(1) + "\nDevice Minor: \t 1\n"));
  EXPECT_THAT(text("proc/modules"), HasSubstr("\nnvidia "));
  EXPECT_TRUE(there("dev/nvidiactl"));
  EXPECT_TRUE(there("dev/nvidia1"));
  EXPECT_TRUE(fs::exists(root() + "/usr/lib64/libnvidia-ml.so.1"));
}

TEST_F(DriverRootCommand, IsBroughtUpToDate) {
  lay_out();
  std::ofstream(root() + "/dev/mine") << "mine";
  good({"driver", "unload", "--force"});
  lay_out();
  EXPECT_FALSE(there("proc"));
  EXPECT_FALSE(there("dev/nvidia0"));
  EXPECT_EQ(text("dev/mine"), "mine");
  EXPECT_TRUE(there("sys/bus/pci/devices/" + location(0))) << "the board is still in its slot";
  EXPECT_FALSE(there("sys/bus/pci/devices/" + location(0) + "/driver"));
  good({"driver", "load"});
  lay_out();
  EXPECT_TRUE(there("dev/nvidia0"));
  EXPECT_FALSE(there("proc/driver/nvidia/capabilities/gpu0")) << "no instance outlives the driver";
}

TEST_F(DriverRootCommand, LeavesFoldersOfOthersAlone) {
  fs::create_directories(root());
  std::ofstream(root() + "/mine") << "mine";
  EXPECT_THAT(bad(1, {"driver-root", root()}), HasSubstr("is not empty and no driver root; name an empty folder"));
  EXPECT_FALSE(there("dev"));
  EXPECT_THAT(bad(2, {"driver-root", root(), "--machine", "h", "--profile", "v100s-server"}), HasSubstr("--profile"));
  EXPECT_TRUE(nvmlab({"driver-root", file("profile"), "--profile", "v100s-server"}).ok());
  EXPECT_TRUE(fs::exists(file("profile") + "/dev/nvidia0"));
}

}  // namespace
}  // namespace nvmlab::test
