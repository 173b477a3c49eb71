// SPDX-License-Identifier: Apache-2.0
//
// The examples of docs/guide/profiles.md are files that work.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "compiler/compile.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

TEST(ProfileGuide, ItsExamplesCompile) {
  std::ifstream file(std::string(std::getenv("NVMLAB_SOURCE_DIR")) + "/docs/guide/profiles.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string fence = "```yaml\n";
  test::Scratch scratch;
  int examples = 0;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    const std::string example = text.substr(at, text.find("```", at) - at);
    const std::size_t name = example.find(": ") + 2;  // "machine: NAME" or "profile: NAME" stands first
    auto made = compile(scratch.file(example.substr(name, example.find('\n') - name) + ".yaml", example));
    EXPECT_TRUE(made) << example << describe(made.error());
    ++examples;
  }
  EXPECT_EQ(examples, 2);
}

}  // namespace
}  // namespace nvmlab::compiler
