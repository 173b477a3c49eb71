// SPDX-License-Identifier: Apache-2.0
// Opening libraries: what is found, what is not, several at once, and those that lack functions.
#include <gtest/gtest.h>

#include <fstream>

#include "nvmlab/loader/function_names.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/support/files.hpp"

namespace nvml {
namespace {

using nvmlab::binding_test::code;
using nvmlab::binding_test::gpus;
using nvmlab::binding_test::libraries_of_drivers;
using nvmlab::binding_test::open_simulated;
using nvmlab::binding_test::simulated_library;
using nvmlab::test::TempFolder;

TEST(Open, FindsEveryFunctionAndInitialises) {
  const Library library = open_simulated();
  EXPECT_EQ(library.path(), simulated_library().string());
  EXPECT_EQ(gpus(library).value(), 8U);
  EXPECT_NE(library.functions().nvmlDeviceGetPowerUsage, nullptr);
}

TEST(Open, MissingLibraryNamesThePlaceAndTheReason) {
  const auto library = Library::open({.path = "/nowhere/libnvidia-ml.so.1"});
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().code(), code(abi::NVML_ERROR_LIBRARY_NOT_FOUND));
  EXPECT_EQ(library.error().origin(), Origin::loader);
  EXPECT_EQ(library.error().function(), "");
  EXPECT_EQ(library.error().detail(),
            "/nowhere/libnvidia-ml.so.1: cannot open shared object file: No such file or directory");
}

TEST(Open, WhatIsNoLibraryIsNotFoundEither) {
  const TempFolder folder;
  const auto file = (folder.path() / "libnvidia-ml.so.1").string();
  std::ofstream{file} << "not an ELF file";
  const auto library = Library::open({.path = file});
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().code(), code(abi::NVML_ERROR_LIBRARY_NOT_FOUND));
  EXPECT_EQ(library.error().detail(), file + ": file too short");
}

TEST(Open, ALibraryThatIsNotNvmlIsAnErrorOfItsOwn) {
  const auto library = Library::open({.path = "libm.so.6"});
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().code(), code(abi::NVML_ERROR_FUNCTION_NOT_FOUND));
  EXPECT_EQ(library.error().origin(), Origin::symbol);
  EXPECT_EQ(library.error().function(), "nvmlInit_v2");
  EXPECT_TRUE(library.error().detail().ends_with("libm.so.6: not an NVML library")) << library.error().detail();
}

TEST(Open, AFailedInitIsTheDriversAnswer) {
  setenv("NVMLAB_INIT_ERROR", "9", 1);
  const auto library = Library::open({.path = simulated_library().string()});
  unsetenv("NVMLAB_INIT_ERROR");
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().code(), code(abi::NVML_ERROR_DRIVER_NOT_LOADED));
  EXPECT_EQ(library.error().origin(), Origin::driver);
  EXPECT_EQ(library.error().function(), "nvmlInit_v2");
}

TEST(Open, FlagsGoThroughInitWithFlags) {
  const auto library = Library::open({.path = simulated_library().string(), .init_flags = InitFlag::no_gpus});
  // by nvmlInitWithFlags; an old library has nvmlInit alone
  ASSERT_TRUE(library.has_value()) << library.error().message();
  EXPECT_EQ(gpus(*library).value(), 8U);
}

TEST(Open, EveryDriversLibraryOpensWithWhatItExports) {
  const auto files = libraries_of_drivers();
  if (files.empty()) GTEST_SKIP() << "no library of a driver is built";
  for (const auto& file : files) {
    const auto library = Library::open({.path = file.string()});
    ASSERT_TRUE(library.has_value()) << library.error().message();
    for (std::size_t at = 0; at < detail::kFunctionCount; ++at) {
      const char* const name = detail::function_names[at];
      EXPECT_EQ(detail::entry(library->functions(), at), library->library()->symbol(name)) << file << ' ' << name;
    }
    EXPECT_EQ(gpus(*library).value(), 8U) << file;
  }
}

TEST(Open, TheOldestDriverLacksWhatCameLater) {
  const auto files = libraries_of_drivers();
  if (files.empty() || files.front().parent_path().filename() != "340") GTEST_SKIP() << "library of 340 is not built";
  const auto library = Library::open({.path = files.front().string()});
  ASSERT_TRUE(library.has_value()) << library.error().message();
  EXPECT_TRUE(library->has<&Functions::nvmlDeviceGetPowerUsage>());
  EXPECT_FALSE(library->has<&Functions::nvmlDeviceGetMemoryInfo_v2>());
  const auto memory = detail::call<&Functions::nvmlDeviceGetMemoryInfo_v2>(*library->library(), nullptr, nullptr);
  ASSERT_FALSE(memory.has_value());
  EXPECT_EQ(memory.error(),
            (Error{code(abi::NVML_ERROR_FUNCTION_NOT_FOUND), Origin::symbol, "nvmlDeviceGetMemoryInfo_v2"}));
}

TEST(Open, SeveralAtOnceAreSeveral) {
  const TempFolder folder;
  const auto copy = folder.path() / "libnvidia-ml.so.1";
  std::filesystem::copy_file(simulated_library(), copy);

  const Library first = open_simulated();
  setenv("NVMLAB_GPUS", "2", 1);
  const auto second = Library::open({.path = copy.string()});
  unsetenv("NVMLAB_GPUS");
  ASSERT_TRUE(second.has_value()) << second.error().message();
  EXPECT_NE(first.functions().nvmlDeviceGetCount_v2, second->functions().nvmlDeviceGetCount_v2);
  EXPECT_NE(first, *second);
  EXPECT_EQ(gpus(first).value(), 8U);
  EXPECT_EQ(gpus(*second).value(), 2U);
  EXPECT_EQ(second->path(), copy.string());
}

TEST(Open, OneFileOpenedTwiceIsInitialisedTwice) {
  const Library first = open_simulated();
  {
    const Library second = open_simulated();
    EXPECT_NE(first, second);
  }
  EXPECT_EQ(gpus(first).value(), 8U);
}

bool mapped(const std::string& path) {
  std::ifstream maps{"/proc/self/maps"};
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(path)) return true;
  }
  return false;
}

TEST(Open, TheLastOwnerCloses) {
  const TempFolder folder;
  const auto copy = folder.path() / "libnvidia-ml.so.1";
  std::filesystem::copy_file(simulated_library(), copy);
  auto library = Library::open({.path = copy.string()});
  ASSERT_TRUE(library.has_value()) << library.error().message();
  {
    const Library other = *library;
    library = unexpected(Error{code(abi::NVML_ERROR_UNKNOWN), Origin::binding, ""});
    EXPECT_TRUE(mapped(copy.string()));
    EXPECT_EQ(gpus(other).value(), 8U);
  }
  EXPECT_FALSE(mapped(copy.string()));
}

TEST(Open, KeptLoadedItIsShutDownButNotClosed) {
  const TempFolder folder;
  const auto copy = folder.path() / "libnvidia-ml.so.1";
  std::filesystem::copy_file(simulated_library(), copy);
  abi::nvmlDeviceGetCount_v2_fn* count_gpus = nullptr;
  {
    const auto library = Library::open({.path = copy.string(), .keep_loaded = true});
    ASSERT_TRUE(library.has_value()) << library.error().message();
    count_gpus = library->functions().nvmlDeviceGetCount_v2;
  }
  EXPECT_TRUE(mapped(copy.string()));
  unsigned count = 0;
  EXPECT_EQ(count_gpus(&count), abi::NVML_ERROR_UNINITIALIZED);
}

}  // namespace
}  // namespace nvml
