// SPDX-License-Identifier: Apache-2.0
//
// The driver loads from C (linked and opened, glibc and musl), Go, Python and Rust: a small program in each language
// (tests/abi/programs/) is built by this test and prints how many GPUs there are and the name of the first.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/abi/driver.hpp"

namespace {

using namespace nvmlab::abi_test;
namespace fs = std::filesystem;

class Languages : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder()); }

  static std::string source(const std::string& file) {
    return fmt::format("{}/tests/abi/programs/{}", std::getenv("NVMLAB_SOURCE_DIR"), file);
  }
  static std::string folder() { return fmt::format("{}/tests/abi-programs", std::getenv("NVMLAB_BINARY_DIR")); }
  static std::string built(const std::string& program) { return folder() + "/" + program; }
  static bool have(const std::string& tool) { return run("command -v " + tool).exit_code == 0; }

  static void build(const std::string& command) {
    const auto outcome = run(command);
    ASSERT_EQ(outcome.exit_code, 0) << command << "\n" << outcome.output;
  }

  // The program finds the library as a user's does, by the loader's search.
  static void expect_right_answer(const std::string& command) {
    for (const char* binding : {"", "LD_BIND_NOW=1 "}) {
      const auto line = fmt::format("{}LD_LIBRARY_PATH='{}' {}", binding, driver_folder(), command);
      const auto outcome = run(line);
      EXPECT_EQ(outcome.exit_code, 0) << line;
      EXPECT_EQ(outcome.output, fmt::format("{} {}\n", kDefaultGpus, kDefaultName)) << line;
    }
  }
};

TEST_F(Languages, CLinked) { expect_right_answer(NVMLAB_LINKED_CLIENT); }

TEST_F(Languages, COpened) {
  build(fmt::format("cc -std=c11 -D_GNU_SOURCE -O1 '{}' -ldl -o '{}'", source("loading_client.c"), built("opened")));
  expect_right_answer(fmt::format("'{}' '{}'", built("opened"), driver_path()));
}

TEST_F(Languages, COnMusl) {
  NVMLAB_NEED(have("musl-gcc"), "musl-gcc");
  build(fmt::format("musl-gcc -std=c11 -D_GNU_SOURCE -O1 '{}' -o '{}'", source("loading_client.c"), built("on_musl")));
  expect_right_answer(fmt::format("'{}' '{}'", built("on_musl"), driver_path()));
}

TEST_F(Languages, Go) {
  NVMLAB_NEED(have("go"), "Go");
  build(
      fmt::format("cd '{0}' && GO111MODULE=off GOPROXY=off GOTOOLCHAIN=local GOFLAGS= CGO_ENABLED=1 "
                  "GOCACHE='{0}/go-cache' GOPATH='{0}/go' go build -o '{1}' '{2}'",
                  folder(), built("from_go"), source("client.go")));
  expect_right_answer("'" + built("from_go") + "'");
}

TEST_F(Languages, Python) {
  NVMLAB_NEED(have("python3"), "Python 3");
  expect_right_answer(fmt::format("python3 '{}'", source("client.py")));
}

TEST_F(Languages, Rust) {
  NVMLAB_NEED(have("rustc"), "Rust (rustc)");
  build(fmt::format("rustc --edition 2021 -O '{}' -o '{}'", source("client.rs"), built("from_rust")));
  expect_right_answer("'" + built("from_rust") + "'");
}

}  // namespace
