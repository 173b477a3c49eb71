// SPDX-License-Identifier: Apache-2.0
//
// What nvmlab-record asks of the machine that it is copied to: the C library alone, in any version since 2012.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tests/drivers/abi/elf_reader.hpp"
#include "tests/support/files.hpp"

namespace {

class Recorder : public testing::Test {
 protected:
  void SetUp() override {
    const auto read = nvmlab::elf::read_library(nvmlab::test::binary_folder() / "bin/nvmlab-record");
    ASSERT_TRUE(read) << read.error();
    program_ = *read;
  }
  nvmlab::elf::Library program_;
};

TEST_F(Recorder, NeedsTheCLibraryAlone) {
  EXPECT_EQ(program_.needed, std::vector<std::string>{"libc.so.6"});
  EXPECT_EQ(program_.search_path, "");
  EXPECT_FALSE(program_.text_relocations);
}

TEST_F(Recorder, NeedsNothingNewerThanGlibc217) {
  EXPECT_GT(program_.imports.size(), 20u);
  for (const auto& import : program_.imports) {
    EXPECT_EQ(import.library, "libc.so.6") << import.name;
    if (import.version == "GLIBC_PRIVATE") {  // how libraries were opened while dlopen was not in the C library
      EXPECT_TRUE(import.weak && import.name.starts_with("__libc_dl")) << import.name;
      continue;
    }
    int major = 0;
    int minor = 0;
    ASSERT_EQ(std::sscanf(import.version.c_str(), "GLIBC_%d.%d", &major, &minor), 2) << import.name;
    EXPECT_TRUE(major == 2 && minor <= 17) << import.name << " needs " << import.version;
    const bool dynamic = import.name.starts_with("dl");
    EXPECT_EQ(import.weak, dynamic) << import.name;
  }
}

TEST_F(Recorder, IsSmall) {
  EXPECT_LT(std::filesystem::file_size(nvmlab::test::binary_folder() / "bin/nvmlab-record"), 1u << 20);
}

}  // namespace
