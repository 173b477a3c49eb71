// SPDX-License-Identifier: Apache-2.0
// A folder laid out like the root of a node with the driver: device nodes, and the library of a machine's driver.
#pragma once

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {

class DriverRoot {
 public:
  // False where device nodes cannot be made.
  [[nodiscard]] bool make(const std::string& profile, const compiler::Machine& machine) const {
    namespace fs = std::filesystem;
    fs::create_directories(path() / "dev");
    fs::create_directories(libraries());
    for (const auto& entry : fs::directory_iterator(library_folder_of(profile))) {
      const std::string name = entry.path().filename();
      if (name.starts_with("libnvidia-ml.so")) fs::copy(entry, libraries() / name, fs::copy_options::copy_symlinks);
    }
    // The toolkit finds a driver's version by the name of this file, whatever lies in it.
    write_file(libraries() / fmt::format("libcuda.so.{}", machine.node().system.driver_version.data), "");
    bool made = make_node("nvidiactl", kControl);
    for (const Gpu& gpu : machine.gpus) {
      const std::uint32_t minor = gpu.identity.minor_number.value;
      made = made && make_node(fmt::format("nvidia{}", minor), minor);
    }
    return made;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path libraries() const { return path() / "usr/lib64"; }

 private:
  static constexpr unsigned kMajor = 195;  // of NVIDIA's device nodes
  static constexpr unsigned kControl = 255;

  [[nodiscard]] bool make_node(const std::string& name, unsigned minor) const {
    return ::mknod((path() / "dev" / name).c_str(), S_IFCHR | 0666, ::makedev(kMajor, minor)) == 0;
  }
  // The library of the machine's driver, by the way of `nvmlab run`.
  static std::filesystem::path library_folder_of(const std::string& profile) {
    const Outcome outcome = nvmlab({"run", "--profile", profile, "--", "printenv", "LD_LIBRARY_PATH"});
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return outcome.out.substr(0, outcome.out.find_first_of(":\n"));
  }

  TempFolder folder_;
};

}  // namespace nvmlab::test
