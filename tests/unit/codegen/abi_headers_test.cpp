// SPDX-License-Identifier: Apache-2.0
// The committed binding/nvmlab/abi headers as a user's compiler sees them: alone, and after NVIDIA's own nvml.h in the
// same file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/io/process.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

struct Compiled {
  int exit_code = 0;
  std::string messages;
};

Compiled compile(std::string_view source, const std::vector<std::string>& options) {
  const test::TemporaryFolder folder;
  folder.write("probe.cpp", source);
  std::vector<std::string> command{test::environment("NVMLAB_TEST_CXX"),
                                   "-std=c++20",
                                   "-Wall",
                                   "-Wextra",
                                   "-Wpedantic",
                                   "-Wconversion",
                                   "-Wshadow",
                                   "-Werror",
                                   "-I" + (test::source_folder() / "binding").string(),
                                   (folder.path() / "probe.cpp").string()};
  command.insert(command.end(), options.begin(), options.end());
  auto done = run_program(command);
  EXPECT_TRUE(done) << done.error().text();
  return done ? Compiled{done->exit_code, done->err} : Compiled{-1, {}};
}

TEST(AbiHeaders, EachIncludesWhatItNeeds) {
  for (const char* header :
       {"constants", "enums", "field_ids", "functions", "historic", "struct_versions", "types", "layout"}) {
    const Compiled done = compile(fmt::format("#include \"nvmlab/abi/generated/{}.hpp\"\n", header), {"-fsyntax-only"});
    EXPECT_EQ(done.exit_code, 0) << done.messages;
  }
}

TEST(AbiHeaders, NeedNoStandardHeaderNoExceptionsNoRtti) {
  const Compiled done =
      compile("#include \"nvmlab/abi/abi.hpp\"\n",
              {"-fsyntax-only", "-nostdinc", "-nostdinc++", "-ffreestanding", "-fno-exceptions", "-fno-rtti"});
  EXPECT_EQ(done.exit_code, 0) << done.messages;
}

TEST(AbiHeaders, ATypeWithoutVersionWordHasNone) {
  const char* ask = "#include \"nvmlab/abi/abi.hpp\"\nunsigned int a = nvml::abi::version_of<nvml::abi::{}>;\n";
  EXPECT_EQ(compile(fmt::format(fmt::runtime(ask), "nvmlMemory_v2_t"), {"-fsyntax-only"}).exit_code, 0);
  EXPECT_NE(compile(fmt::format(fmt::runtime(ask), "nvmlMemory_t"), {"-fsyntax-only"}).exit_code, 0);
}

TEST(AbiHeaders, LiveBesideEveryHeaderOfNvidias) {
  const auto headers = test::cached_headers();
  if (headers.empty()) GTEST_SKIP() << "no header of NVIDIA's here; get some with `nvmlgen fetch RELEASE`";
  for (const test::CachedHeader& header : headers) {
    const std::string source = fmt::format(
        "#include \"{}\"\n#include \"nvmlab/abi/abi.hpp\"\n"
        "static_assert(sizeof(nvmlPciInfo_t) == sizeof(nvml::abi::nvmlPciInfo_t));\n",
        header.path.string());
    for (const char* define : {"-DUSUAL", "-DNVML_NO_UNVERSIONED_FUNC_DEFS"}) {
      const Compiled done = compile(source, {"-fsyntax-only", define});
      EXPECT_EQ(done.exit_code, 0) << header.version << " " << define << "\n" << done.messages;
    }
  }
}

}  // namespace
}  // namespace nvmlab::codegen
