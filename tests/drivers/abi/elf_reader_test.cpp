// SPDX-License-Identifier: Apache-2.0
// The ELF reader against libraries whose answers are known: this process's own C library, and files that are none.
#include "tests/drivers/abi/elf_reader.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/temp_folder.hpp"

namespace {

using nvmlab::elf::read_library;

std::filesystem::path c_library() {
  Dl_info info{};
  EXPECT_NE(::dladdr(reinterpret_cast<void*>(&::getenv), &info), 0);
  return info.dli_fname;
}

TEST(ElfReader, ReadsTheCLibrary) {
  const auto library = read_library(c_library());
  ASSERT_TRUE(library) << library.error();
  EXPECT_EQ(library->soname, "libc.so.6");
  EXPECT_EQ(library->search_path, "");
  ASSERT_EQ(library->needed.size(), 1U) << "the loader itself";
  EXPECT_TRUE(library->needed[0].starts_with("ld-linux")) << library->needed[0];
  EXPECT_EQ(std::ranges::count(library->defined_versions, "GLIBC_2.17"), 1);

  const auto malloc = std::ranges::find(library->exports, "malloc", &nvmlab::elf::Symbol::name);
  ASSERT_NE(malloc, library->exports.end());
  EXPECT_TRUE(malloc->version.starts_with("GLIBC_2.")) << malloc->version;
  EXPECT_FALSE(malloc->weak);

  const auto tls = std::ranges::find(library->imports, "__tls_get_addr", &nvmlab::elf::Symbol::name);
  ASSERT_NE(tls, library->imports.end());
  EXPECT_TRUE(tls->library.starts_with("ld-linux")) << tls->library;

  ASSERT_NE(library->segment(PT_TLS), nullptr);
  ASSERT_NE(library->segment(PT_GNU_STACK), nullptr);
  EXPECT_EQ(library->segment(PT_GNU_STACK)->flags & PF_X, 0U);
  EXPECT_NE(library->flags & DF_STATIC_TLS, 0U);
}

TEST(ElfReader, EveryExportOfTheCLibraryIsFoundByTheLoaderToo) {
  const auto library = read_library(c_library());
  ASSERT_TRUE(library) << library.error();
  EXPECT_GT(library->exports.size(), 1000U);
  unsigned found = 0;
  for (const auto& symbol : library->exports) {
    if (::dlvsym(RTLD_DEFAULT, symbol.name.c_str(), symbol.version.c_str()) != nullptr) ++found;
  }
  // A few are data of no address, or the version names themselves.
  EXPECT_GT(found, library->exports.size() * 9 / 10);
}

TEST(ElfReader, RefusesWhatIsNone) {
  const auto text = read_library("/etc/os-release");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error(), "/etc/os-release: not an ELF file");
  const auto nothing = read_library("/nowhere/lib.so");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error(), "/nowhere/lib.so: cannot be read");
}

TEST(ElfReader, SurvivesATruncatedFile) {
  const nvmlab::TempFolder folder("nvmlab-cut");
  const auto cut = folder.path() / "cut.so";
  for (const std::uintmax_t size : {20U, 64U, 300U, 5000U, 100000U}) {
    std::filesystem::copy_file(c_library(), cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, size);
    const auto library = read_library(cut);
    EXPECT_TRUE(!library || library->soname != "libc.so.6") << size;
  }
}

}  // namespace
