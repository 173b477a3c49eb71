// SPDX-License-Identifier: Apache-2.0
//
// The archive that `make package` makes: its size, what is in it, and that it runs in a root folder that holds the C
// library and nothing else, as in the smallest container.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/clients.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

namespace fs = std::filesystem;

Outcome run_words(std::vector<std::string> words, std::map<std::string, std::optional<std::string>> environment = {}) {
  Command command;
  command.arguments = std::move(words);
  command.environment = std::move(environment);
  return run(command);
}

// Made once for all tests here.
class Package : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    const Outcome made = run_words({(source_folder() / "scripts/package").string(), (folder_->path() / "out").string()},
                                   {{"BUILD", binary_folder().string()}});
    ASSERT_TRUE(made.ok()) << made.story();
    for (const auto& entry : fs::directory_iterator(folder_->path() / "out"))
      archive_ = entry.path();
    fs::create_directories(root());
    ASSERT_TRUE(run_words({"tar", "-C", root().string(), "--strip-components=1", "-xzf", archive_.string()}).ok());
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static fs::path root() { return folder_->path() / "root"; }
  // The loader and the libraries of the C library that a program asks for, at their own places.
  static void copy_libraries_of(const fs::path& program) {
    const Outcome listed = run_words({"ldd", program.string()});
    ASSERT_TRUE(listed.ok()) << listed.story();
    for (std::size_t at = listed.out.find(" /"); at != std::string::npos; at = listed.out.find(" /", at)) {
      const std::size_t end = listed.out.find(' ', ++at);
      copy(listed.out.substr(at, end - at));
      at = end;
    }
    copy("/lib64/ld-linux-x86-64.so.2");
  }
  static void copy(const fs::path& file) {
    const fs::path to = root() / file.relative_path();
    fs::create_directories(to.parent_path());
    fs::copy_file(file, to, fs::copy_options::overwrite_existing);
  }
  static Outcome in_root(std::vector<std::string> words) {
    words.insert(words.begin(), {"chroot", root().string()});
    return run_words(std::move(words), {{"LD_LIBRARY_PATH", std::nullopt}, {"NVMLAB_PROFILE", std::nullopt}});
  }

  static inline TempFolder* folder_ = nullptr;
  static inline fs::path archive_;
};

TEST_F(Package, IsSmallAndComplete) {
  EXPECT_LT(fs::file_size(archive_), std::uintmax_t{40} << 20);
  const std::string name = archive_.filename().string();
  EXPECT_TRUE(name.starts_with("nvmlab-") && name.ends_with(".tar.gz")) << name;
  for (const char* file :
       {"bin/nvmlab", "bin/nvmlab-record", "bin/nvml-conformance", "include/nvmlab/nvml.hpp",
        "include/nvmlab-control/control/machine.hpp", "share/man/man1/nvmlab.1",
        "share/bash-completion/completions/nvmlab", "README.md", "LICENSE", "share/doc/guide/command-line.md"})
    EXPECT_TRUE(fs::exists(root() / file)) << file;
  const Outcome parts = run_words({"find", root().string(), "-name", "libnvidia-ml.so.1", "-o", "-name", "libcuda.so.1",
                                   "-o", "-name", "nvmlabConfig.cmake", "-o", "-name", "nvmlab.pc"});
  for (const char* part : {"/nvmlab/libnvidia-ml.so.1\n", "/drivers/535/libnvidia-ml.so.1\n", "/nvmlab/libcuda.so.1\n",
                           "/drivers/535/libcuda.so.1\n", "/nvmlabConfig.cmake\n", "/nvmlab.pc\n"})
    EXPECT_NE(parts.out.find(part), std::string::npos) << part;
}

TEST_F(Package, HasItsRuntimeWithIt) {
  for (const char* program : {"bin/nvmlab", "bin/nvml-conformance"}) {
    const Outcome libraries = run_words({"ldd", (root() / program).string()});
    EXPECT_EQ(libraries.out.find("libstdc++"), std::string::npos) << libraries.out;
    EXPECT_EQ(libraries.out.find("libgcc_s"), std::string::npos) << libraries.out;
    const Outcome sections = run_words({"readelf", "-S", (root() / program).string()});
    EXPECT_EQ(sections.out.find(".debug_info"), std::string::npos) << program << " is not stripped";
  }
}

TEST_F(Package, RunsInARootFolderWithTheCLibraryAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may change the root folder";
  copy_libraries_of(root() / "bin/nvmlab");
  const Outcome smi = in_root({"/bin/nvmlab", "smi", "--profile", "dgx-h100"});
  EXPECT_TRUE(smi.ok()) << smi.story();
  EXPECT_NE(smi.out.find("NVIDIA H100 80GB HBM3"), std::string::npos) << smi.story();
  const Outcome old = in_root({"/bin/nvmlab", "devices", "--profile", "dgx-a100", "--driver", "470"});
  EXPECT_TRUE(old.ok()) << old.story();

  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-550");
  copy_libraries_of(client.program);
  fs::copy_file(fs::canonical(client.program), root() / "bin/nvidia-smi");
  const Outcome real = in_root({"/bin/nvmlab", "run", "--profile", "dgx-h100", "--", "/bin/nvidia-smi", "-L"});
  EXPECT_TRUE(real.ok()) << real.story();
  EXPECT_NE(real.out.find("GPU 7: NVIDIA H100 80GB HBM3 (UUID: GPU-"), std::string::npos) << real.story();
}

}  // namespace
}  // namespace nvmlab::test
