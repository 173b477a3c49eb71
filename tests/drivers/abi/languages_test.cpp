// SPDX-License-Identifier: Apache-2.0
//
// The driver loads from C (linked and opened, glibc and musl), Go, Python and Rust: a small program in each language
// (tests/drivers/abi/programs/) is built by this test and prints how many GPUs there are and the name of the first.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/drivers/abi/driver.hpp"
#include "tests/support/clients.hpp"
#include "tests/support/process.hpp"

namespace {

using namespace nvmlab::abi_test;
namespace fs = std::filesystem;

// Ends the test where a tool is missing: a skip for a user, a failure with CI=true.
#define NEED(tool)                                                                               \
  if (!have(tool)) {                                                                             \
    if (nvmlab::test::in_ci()) FAIL() << (tool) << " is not here";                               \
    GTEST_SKIP() << (tool) << " is not here (`make test` installs it; with CI=true this fails)"; \
  }                                                                                              \
  static_assert(true)

class Languages : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder()); }

  static std::string source(const std::string& file) {
    return fmt::format("{}/tests/drivers/abi/programs/{}", std::getenv("NVMLAB_SOURCE_DIR"), file);
  }
  static std::string folder() { return fmt::format("{}/tests/abi-programs", std::getenv("NVMLAB_BINARY_DIR")); }
  static std::string built(const std::string& program) { return folder() + "/" + program; }
  static nvmlab::test::Outcome shell(const std::string& command) {
    return nvmlab::test::run({.arguments = {"sh", "-c", command}});
  }
  static bool have(const std::string& tool) { return shell("command -v " + tool).ok(); }

  static void build(const std::string& command) {
    const auto outcome = shell(command);
    ASSERT_TRUE(outcome.ok()) << command << "\n" << outcome.story();
  }

  // The program finds the library as a user's does, by the loader's search.
  static void expect_right_answer(const std::string& command) {
    for (const char* binding : {"", "LD_BIND_NOW=1 "}) {
      const auto line = fmt::format("{}LD_LIBRARY_PATH='{}' {}", binding, driver_folder(), command);
      const auto outcome = shell(line);
      EXPECT_TRUE(outcome.ok()) << line << "\n" << outcome.story();
      EXPECT_EQ(outcome.out, fmt::format("{} {}\n", kDefaultGpus, kDefaultName)) << line;
    }
  }
};

TEST_F(Languages, CLinked) { expect_right_answer(NVMLAB_LINKED_CLIENT); }

TEST_F(Languages, COpened) {
  build(fmt::format("cc -std=c11 -D_GNU_SOURCE -O1 '{}' -ldl -o '{}'", source("loading_client.c"), built("opened")));
  expect_right_answer(fmt::format("'{}' '{}'", built("opened"), driver_path()));
}

TEST_F(Languages, COnMusl) {
  NEED("musl-gcc");
  build(fmt::format("musl-gcc -std=c11 -D_GNU_SOURCE -O1 '{}' -o '{}'", source("loading_client.c"), built("on_musl")));
  expect_right_answer(fmt::format("'{}' '{}'", built("on_musl"), driver_path()));
}

TEST_F(Languages, Go) {
  NEED("go");
  build(
      fmt::format("cd '{0}' && GO111MODULE=off GOPROXY=off GOTOOLCHAIN=local GOFLAGS= CGO_ENABLED=1 "
                  "GOCACHE='{0}/go-cache' GOPATH='{0}/go' go build -o '{1}' '{2}'",
                  folder(), built("from_go"), source("client.go")));
  expect_right_answer("'" + built("from_go") + "'");
}

TEST_F(Languages, Python) {
  NEED("python3");
  expect_right_answer(fmt::format("python3 '{}'", source("client.py")));
}

TEST_F(Languages, Rust) {
  NEED("rustc");
  build(fmt::format("rustc --edition 2021 -O '{}' -o '{}'", source("client.rs"), built("from_rust")));
  expect_right_answer("'" + built("from_rust") + "'");
}

}  // namespace
