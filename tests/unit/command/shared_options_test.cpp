// SPDX-License-Identifier: Apache-2.0
#include "command/cli/shared_options.hpp"

#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <expected>

namespace nvmlab::tool {
namespace {

std::expected<compiler::CompileOptions, std::string> compile_options(std::vector<std::string> words) {
  compiler::CompileOptions options;
  CLI::App app;
  CommandLine line(app);
  add_compile_options(line, options);
  std::ranges::reverse(words);
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return std::unexpected(error.what());
  }
  return options;
}

TEST(CompileOptions, NumbersAndVersions) {
  EXPECT_FALSE(compile_options({})->gpus);
  EXPECT_EQ(compile_options({"--gpus", "0"})->gpus, 0u);
  EXPECT_EQ(compile_options({"--gpus", "4096"})->gpus, 4096u);
  EXPECT_EQ(compile_options({"--driver", "535"})->driver, "535");
  for (const char* gpus : {"", "-1", "4097", "8x", "0x8", " 8", "1e3", "99999999999999999999"}) {
    const auto options = compile_options({"--gpus", gpus});
    ASSERT_FALSE(options) << gpus;
    EXPECT_NE(options.error().find("a whole number from 0 to 4096 was expected"), std::string::npos);
  }
  for (const char* driver : {"", "new", "5", "535.", "535.1.2.3"}) {
    EXPECT_FALSE(compile_options({"--driver", driver})) << driver;
  }
}

}  // namespace
}  // namespace nvmlab::tool
