// SPDX-License-Identifier: Apache-2.0
//
// The scripts that fetch clients, as far as they can be tested without a network: how they read apt's sources, what
// they say when something cannot be had, and that what is there is not fetched again. The machines are made up in a
// temporary folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

// Nothing listens on port 9 of this machine (and if something did, it would be no archive).
constexpr std::string_view nowhere = "http://127.0.0.1:9/";

class Scripts : public testing::Test {
 protected:
  Outcome script(const std::string& name, const std::vector<std::string>& arguments) const {
    Command command;
    command.arguments = {(source_folder() / "scripts" / name).string()};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = {{"NVMLAB_APT_ETC", (folder_.path() / "etc").string()},
                           {"NVMLAB_OS_RELEASE", (folder_.path() / "os-release").string()},
                           {"NVMLAB_APT_DIR", (folder_.path() / "apt").string()},
                           {"NVMLAB_CLIENTS_DIR", (folder_.path() / "clients").string()},
                           {"NVMLAB_SUITES_DIR", (folder_.path() / "suites").string()},
                           {"http_proxy", std::nullopt}};
    return run(command);
  }
  void machine(const std::string& os_release, const std::string& file, const std::string& sources) const {
    write_file(folder_.path() / "os-release", os_release);
    write_file(folder_.path() / "etc" / file, sources);
  }
  std::string destination() const { return (folder_.path() / "dest").string(); }

  TempFolder folder_;
};

bool have_apt() { return std::filesystem::exists("/usr/bin/apt-get") && std::filesystem::exists("/usr/bin/dpkg-deb"); }

TEST_F(Scripts, AMachineWithoutAnArchiveIsToldSo) {
  if (!have_apt()) GTEST_SKIP() << "no apt on this machine";
  machine("ID=debian\nVERSION_CODENAME=bookworm\n", "sources.list",
          "deb http://example.invalid/vendor stable contrib\n");
  const auto outcome = script("fetch-deb", {"hello", destination()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.story();
  EXPECT_NE(outcome.err.find("hello cannot be had: no archive of this distribution"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

struct Sources {
  const char* what;
  const char* os_release;
  const char* file;
  std::string text;
  const char* asked;  // what the private apt must have asked for
};

// The archive is found in every form that apt knows, beside a vendor's and a disabled one.
TEST_F(Scripts, FindsTheArchiveInEveryForm) {
  if (!have_apt()) GTEST_SKIP() << "no apt on this machine";
  const std::string url{nowhere};
  const Sources forms[] = {
      {"one line", "ID=debian\nVERSION_CODENAME=bookworm\n", "sources.list",
       "# deb http://wrong.invalid bookworm main\ndeb http://vendor.invalid bookworm stable\n"
       "deb [arch=amd64 signed-by=/k.gpg] " +
           url + "debian bookworm main # ours\n",
       "signed-by=/k.gpg] http://127.0.0.1:9/debian trixie non-free"},
      {"deb822", "ID=debian\nVERSION_CODENAME=bookworm\n", "sources.list.d/debian.sources",
       "Types: deb\nEnabled: no\nURIs: http://wrong.invalid\nSuites: bookworm\nComponents: main\n\n"
       "Types: deb deb-src\n# a remark\nURIs: " +
           url + "debian\nSuites: bookworm\n bookworm-updates\nComponents: main\nSigned-By: /k.gpg\n",
       "signed-by=/k.gpg] http://127.0.0.1:9/debian trixie non-free"},
      {"Ubuntu", "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n", "sources.list.d/ubuntu.sources",
       "Types: deb\nURIs: " + url + "ubuntu/\nSuites: noble noble-updates\nComponents: main universe\n",
       "] http://127.0.0.1:9/ubuntu/ trixie non-free"},
  };
  for (const auto& form : forms) {
    const TempFolder fresh;
    std::filesystem::remove_all(folder_.path() / "etc");
    std::filesystem::remove_all(folder_.path() / "apt");
    machine(form.os_release, form.file, form.text);
    const auto outcome = script("fetch-deb", {"--suite", "trixie", "--component", "non-free", "hello", destination()});
    EXPECT_EQ(outcome.exit_code, 2) << form.what << "\n" << outcome.story();
    EXPECT_NE(
        outcome.err.find("hello cannot be had: the package lists of trixie did not come from http://127.0.0.1:9/"),
        std::string::npos)
        << form.what << "\n"
        << outcome.err;
    std::string lists;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "apt" / "sources")) {
      lists += read_file(entry.path()).value_or("");
    }
    EXPECT_NE(lists.find(form.asked), std::string::npos) << form.what << "\n" << lists;
  }
}

TEST_F(Scripts, WhatIsThereIsNotFetchedAgain) {
  write_file(folder_.path() / "dest" / ".fetched-hello", "1:2.10-3\n");
  const auto any = script("fetch-deb", {"hello", destination()});
  EXPECT_EQ(any.exit_code, 0) << any.story();
  EXPECT_EQ(any.out, "1:2.10-3\n");
  EXPECT_EQ(script("fetch-deb", {"hello=2.10", destination()}).out, "1:2.10-3\n");
  EXPECT_EQ(script("fetch-deb", {"hello=1:2.", destination()}).out, "1:2.10-3\n");
  EXPECT_EQ(script("fetch-deb", {"hello=2.11", destination()}).exit_code, 2);
}

TEST_F(Scripts, WrongUseIsExplained) {
  for (const auto& arguments : {std::vector<std::string>{},
                                {"hello"},
                                {"--suite"},
                                {"--nonsense", "a", "b"},
                                {"hello;rm", "dest"},
                                {"--component", "-o", "hello", "dest"}}) {
    const auto outcome = script("fetch-deb", arguments);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
    EXPECT_NE(outcome.err.find("--help"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(script("fetch-clients", {"nvidia-smi-1"}).exit_code, 1);
}

TEST_F(Scripts, HelpSaysHowToUseThem) {
  for (const auto* name : {"fetch-deb", "fetch-clients", "client-suites", "cuda-samples"}) {
    const auto outcome = script(name, {"--help"});
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    EXPECT_NE(outcome.out.find("scripts/" + std::string{name} + " ["), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("set -euo"), std::string::npos) << outcome.out;
  }
}

TEST_F(Scripts, AClientThatCannotBeHadIsOneSentence) {
  if (!have_apt()) GTEST_SKIP() << "no apt on this machine";
  machine("ID=debian\nVERSION_CODENAME=bookworm\n", "sources.list",
          "deb " + std::string{nowhere} + "debian bookworm main\n");
  for (const std::string name : {"nvidia-smi-550", "libnvidia-ml-550"}) {
    const auto outcome = script("fetch-clients", {name});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.story();
    EXPECT_TRUE(outcome.err.starts_with("fetch-clients: " + name + " cannot be had here: ")) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "clients" / name));
  }
}

TEST_F(Scripts, AFetchedClientSaysWhoseItIs) {
  const auto client = folder_.path() / "clients" / "nvidia-smi-550";
  write_file(client / "version", "550.1\n");
  write_file(client / "usr/share/doc/nvidia-smi/copyright", "a licence\n");
  write_file(client / "nvidia-smi", "#!/bin/sh\n");
  std::filesystem::permissions(client / "nvidia-smi", std::filesystem::perms::owner_all);
  const auto outcome = script("fetch-clients", {"nvidia-smi-550"});
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_NE(outcome.out.find("nvidia-smi 550.1, a program of NVIDIA Corporation"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("usr/share/doc/nvidia-smi/copyright"), std::string::npos) << outcome.out;
}

// A library is found by its path alone: no program of the system's comes upon it.
TEST_F(Scripts, AFetchedLibrarySaysWhoseItIs) {
  const auto client = folder_.path() / "clients" / "libnvidia-ml-550";
  write_file(client / "version", "550.1\n");
  write_file(client / "usr/share/doc/libnvidia-ml1/copyright", "a licence\n");
  write_file(client / "libnvidia-ml.so.1", "");
  const auto outcome = script("fetch-clients", {"libnvidia-ml-550"});
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_NE(outcome.out.find("libnvidia-ml 550.1, a library of NVIDIA Corporation"), std::string::npos) << outcome.out;
}

// The rows of a table without what stands between the first and the last column.
std::vector<std::string> ends_of_rows(const std::string& page) {
  std::vector<std::string> ends;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| ")) ends.push_back(line.substr(0, line.find(" | ")) + line.substr(line.rfind(" | ")));
  return ends;
}

// The page's figures of the port are those of the port as it is; nvtop's own are of a release that does not change.
TEST_F(Scripts, ThePortIsCountedAsItIs) {
  const std::string original = (folder_.path() / "extract.c").string();
  const std::string page = (folder_.path() / "page.md").string();
  write_file(original, "int main(void) {\n  if (dlsym(0, \"nvmlDeviceGetHandleByIndex\")) return 1;\n}\n");
  const auto counted = script("port-figures", {original, page});
  EXPECT_TRUE(counted.ok()) << counted.story();
  const std::string now = read_file(page).value_or("");
  EXPECT_NE(now.find("| functions that are looked up by name | 1 | 0 |"), std::string::npos) << now;
  EXPECT_EQ(ends_of_rows(read_file(source_folder() / "docs/reference/ports.md").value_or("")), ends_of_rows(now))
      << "run scripts/port-figures";
  EXPECT_FALSE(script("port-figures", {page}).ok()) << "which is no source of nvtop's";
}

TEST_F(Scripts, SamplesNeedTheirFolderAndACompiler) {
  const auto folderless = script("cuda-samples", {folder_.path().string()});
  EXPECT_EQ(folderless.exit_code, 1) << folderless.story();
  EXPECT_NE(folderless.err.find("has no folder Samples"), std::string::npos) << folderless.err;
  std::filesystem::create_directories(folder_.path() / "Samples");
  const auto compiler = script("cuda-samples", {folder_.path().string()});
  EXPECT_EQ(compiler.exit_code, 1) << compiler.story();
  EXPECT_NE(compiler.err.find("scripts/fetch-clients nvidia-cuda-nvcc"), std::string::npos) << compiler.err;
}

// nvcc is asked for PTX where a program wants a cubin, and for what it is asked otherwise.
TEST_F(Scripts, NvccIsAskedForPtx) {
  const auto told = folder_.path() / "told";
  write_file(told, "#!/bin/sh\necho \"$@\"\n");
  std::filesystem::permissions(told, std::filesystem::perms::owner_all);
  const auto nvcc = (source_folder() / "tests/clients/suites/bin/nvcc").string();
  const auto asked = [&](const std::string& arguments) {
    Command command;
    command.arguments = {"/bin/sh", "-c", "'" + nvcc + "' " + arguments};
    command.environment = {{"NVCC_OF_NVIDIA", told.string()}};
    return run(command).out;
  };
  EXPECT_EQ(asked("--cubin -arch sm_90 a/kernel.cu"), "--ptx -arch sm_90 a/kernel.cu -o kernel.cubin\n");
  EXPECT_EQ(asked("-cubin -o there kernel.cu"), "--ptx -o there kernel.cu\n");
  EXPECT_EQ(asked("--preprocess -arch sm_90 'a kernel.cu'"), "--preprocess -arch sm_90 a kernel.cu\n");
}

}  // namespace
}  // namespace nvmlab::test
