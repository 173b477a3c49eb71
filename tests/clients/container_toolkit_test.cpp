// SPDX-License-Identifier: Apache-2.0
//
// nvidia-ctk, which writes what container engines are to add for a GPU, on a driver root with our library in it. It
// takes the driver's version from the file at the end of the links, and refuses where NVML says another.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMajor = 195;  // of NVIDIA's device nodes
constexpr unsigned kControl = 255;

// The library of the machine's driver, by the way of `nvmlab run`.
fs::path library_folder_of(const std::string& profile) {
  const Outcome outcome = nvmlab({"run", "--profile", profile, "--", "printenv", "LD_LIBRARY_PATH"});
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  return outcome.out.substr(0, outcome.out.find_first_of(":\n"));
}

class ContainerToolkit : public testing::TestWithParam<std::string> {
 protected:
  // False where device nodes cannot be made.
  bool make_root(const compiler::Machine& machine) const {
    fs::create_directories(root() / "dev");
    fs::create_directories(root() / "usr/lib64");
    for (const auto& entry : fs::directory_iterator(library_folder_of(GetParam()))) {
      const std::string name = entry.path().filename();
      if (name.starts_with("libnvidia-ml.so"))
        fs::copy(entry, root() / "usr/lib64" / name, fs::copy_options::copy_symlinks);
    }
    const auto node = [&](const std::string& name, unsigned minor) {
      return ::mknod((root() / "dev" / name).c_str(), S_IFCHR | 0666, ::makedev(kMajor, minor)) == 0;
    };
    bool made = node("nvidiactl", kControl);
    for (const Gpu& gpu : machine.gpus) {
      const std::uint32_t minor = gpu.identity.minor_number.value;
      made = made && node(fmt::format("nvidia{}", minor), minor);
    }
    return made;
  }
  const fs::path& root() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

TEST_P(ContainerToolkit, DescribesEveryGpu) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-ctk");
  const auto machine = compiler::compile(GetParam());
  ASSERT_TRUE(machine);
  if (!make_root(*machine)) GTEST_SKIP() << "device nodes cannot be made here";
  Node node;
  node.profile = GetParam();
  Command command = on_node(client,
                            {"cdi", "generate", "--mode=nvml", "--format=json", "--nvidia-cdi-hook-path=/bin/true",
                             "--driver-root=" + root().string(), "--dev-root=" + root().string()},
                            node);
  command.environment["LD_LIBRARY_PATH"] = (root() / "usr/lib64").string();
  const Outcome outcome = run(command);
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  const auto told = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(told.is_object()) << outcome.story();
  std::set<std::string> names;
  for (const auto& device : told.at("devices"))
    names.insert(device.at("name").get<std::string>());
  for (std::uint32_t i = 0; i < machine->gpu_count(); ++i) {
    EXPECT_TRUE(names.contains(std::to_string(i))) << outcome.out;
    EXPECT_TRUE(names.contains(machine->gpu(i).identity.uuid.data)) << outcome.out;
  }
  const std::string version = machine->node().system.driver_version.data;
  EXPECT_NE(outcome.out.find("libnvidia-ml.so." + version), std::string::npos) << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(All, ContainerToolkit, testing::Values("dgx-h100", "g6-xlarge", "v100s-server"),
                         [](const auto& each) {
                           std::string name{each.param};
                           for (char& c : name)
                             c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace nvmlab::test
