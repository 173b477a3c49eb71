// SPDX-License-Identifier: Apache-2.0
// Where a library is looked for, and which of several places wins. What the dynamic linker reads at the start of a
// program is tested with programs (tests/binding/link).
#include "nvmlab/loader/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "nvmlab/loader/open.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/support/files.hpp"

namespace nvml {
namespace {

using nvmlab::binding_test::code;
using nvmlab::binding_test::simulated_library;
using nvmlab::test::TempFolder;

struct Variable {
  explicit Variable(const std::string& value) { setenv("NVMLAB_LIBRARY", value.c_str(), 1); }
  ~Variable() { unsetenv("NVMLAB_LIBRARY"); }
};

using Places = std::vector<std::string>;

TEST(Search, AnExplicitPathIsTheOnlyPlace) {
  EXPECT_EQ(detail::search_order({.path = "/some/lib.so"}), Places{"/some/lib.so"});
  const Variable variable{"/other/lib.so"};
  EXPECT_EQ(detail::search_order({.path = "/some/lib.so"}), Places{"/some/lib.so"});
}

TEST(Search, TheEnvironmentVariableIsTheOnlyPlaceThen) {
  const Variable variable{"/other/lib.so"};
  EXPECT_EQ(detail::search_order({}), Places{"/other/lib.so"});
}

TEST(Search, AnEmptyVariableIsNone) {
  const Variable variable{""};
  EXPECT_EQ(detail::search_order({}), detail::usual_places());
}

TEST(Search, TheSonameComesFirstAndTheDevelopersNameLast) {
  const Places places = detail::usual_places();
  ASSERT_GE(places.size(), 8U);
  EXPECT_EQ(places.front(), "libnvidia-ml.so.1");
  EXPECT_EQ(places.back(), "libnvidia-ml.so");
  const auto at = [&](const char* place) { return std::ranges::find(places, place) - places.begin(); };
  const auto end = static_cast<std::ptrdiff_t>(places.size());
  EXPECT_LT(at("/usr/lib/wsl/lib/libnvidia-ml.so.1"), end);
  EXPECT_LT(at("/run/opengl-driver/lib/libnvidia-ml.so.1"), end);
  EXPECT_LT(at("/usr/local/nvidia/lib64/libnvidia-ml.so.1"), end);
  EXPECT_LT(at("/usr/lib64/libnvidia-ml.so.1"), at("/run/nvidia/driver/usr/lib64/libnvidia-ml.so.1"));
  EXPECT_LT(at("/run/nvidia/driver/usr/lib64/libnvidia-ml.so.1"), end);
  Places sorted = places;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
}

TEST(Search, TheFirstPlaceThatOpensWins) {
  const TempFolder folder;
  const std::string good = (folder.path() / "libnvidia-ml.so.1").string();
  std::filesystem::copy_file(simulated_library(), good);
  const auto found = detail::open_first({"/nowhere/1", good, "/nowhere/2"}, {});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ((*found)->path, good);
}

TEST(Search, ThePlacesTriedAreTheDetail) {
  const auto found = detail::open_first({"/nowhere/1", "/nowhere/2"}, {});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error(), (Error{code(abi::NVML_ERROR_LIBRARY_NOT_FOUND), Origin::loader, ""}));
  const std::string reason = ": cannot open shared object file: No such file or directory";
  EXPECT_EQ(found.error().detail(), "/nowhere/1" + reason + "\n/nowhere/2" + reason);
  EXPECT_EQ(found.error().message(), "NVML Shared Library Not Found (no library was opened)\n" +
                                         std::string{found.error().detail()} + "\n" + found.error().advice());
}

TEST(Search, ALibraryWhoseInitFailsEndsTheSearch) {
  setenv("NVMLAB_INIT_ERROR", "9", 1);
  const auto found = detail::open_first({simulated_library().string(), "/nowhere"}, {});
  unsetenv("NVMLAB_INIT_ERROR");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code(), code(abi::NVML_ERROR_DRIVER_NOT_LOADED));
  EXPECT_EQ(found.error().detail(), simulated_library().string());
}

TEST(Search, TheVariableOpens) {
  const Variable variable{simulated_library().string()};
  const auto library = Library::open();
  ASSERT_TRUE(library.has_value()) << library.error().message();
  EXPECT_EQ(library->path(), simulated_library().string());
}

TEST(Search, TheVariableFailsWithItsOwnPlaceAlone) {
  const Variable variable{"/nowhere/else"};
  const auto library = Library::open();
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.error().detail(), "/nowhere/else: cannot open shared object file: No such file or directory");
}

}  // namespace
}  // namespace nvml
