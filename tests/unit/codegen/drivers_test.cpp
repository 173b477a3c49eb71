// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/drivers.hpp"

#include <gtest/gtest.h>

#include "codegen/io/files.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

Drivers sample() {
  Drivers drivers;
  EXPECT_TRUE(set_driver(drivers, "555.58.02", {"nvmlA", "nvmlB"}));
  EXPECT_TRUE(set_driver(drivers, "340.108", {"nvmlA"}));
  return drivers;
}

TEST(Drivers, KnowWhoExportsWhat) {
  const Drivers drivers = sample();
  EXPECT_EQ(drivers.versions, (std::vector<std::string>{"340.108", "555.58.02"}));
  EXPECT_TRUE(drivers.exports("nvmlA", "340.108"));
  EXPECT_FALSE(drivers.exports("nvmlB", "340.108"));
  EXPECT_FALSE(drivers.exports("nvmlC", "340.108"));
  EXPECT_EQ(drivers.symbols_of("555.58.02"), (std::vector<std::string>{"nvmlA", "nvmlB"}));
}

TEST(Drivers, ADriverIsReplacedNotAddedTo) {
  Drivers drivers = sample();
  ASSERT_TRUE(set_driver(drivers, "555.58.02", {"nvmlC"}));
  EXPECT_EQ(drivers.symbols_of("555.58.02"), (std::vector<std::string>{"nvmlC"}));
  EXPECT_FALSE(drivers.symbols.contains("nvmlB")) << "nobody exports it any more";
  EXPECT_FALSE(set_driver(drivers, "555.58.02", {}));
  EXPECT_FALSE(set_driver(drivers, "newest", {"nvmlA"}));
}

TEST(Drivers, AreReadBackExactly) {
  const std::string text = to_text(sample());
  EXPECT_EQ(parse_drivers(text, "d.json").value(), sample());
  EXPECT_EQ(to_text(parse_drivers(text, "d.json").value()), text);
}

TEST(Drivers, WrongFilesAreRefused) {
  EXPECT_TRUE(parse_drivers("{\n x", "d.json").error().text().starts_with("d.json:2:2: not valid JSON"));
  EXPECT_FALSE(parse_drivers("{}", "d.json"));
  EXPECT_FALSE(parse_drivers(R"({"format": 2, "drivers": [], "symbols": {}})", "d.json"));
  const auto unlisted = parse_drivers(R"({"format": 1, "drivers": [], "symbols": {"nvmlA": ["1.0"]}})", "d.json");
  ASSERT_FALSE(unlisted);
  EXPECT_NE(unlisted.error().message.find("driver '1.0' is not in the list"), std::string::npos);
  EXPECT_FALSE(parse_drivers(R"({"format": 1, "drivers": [3], "symbols": {}})", "d.json"));
}

// facts/nvml-api.md, 2.5: exports of ten distributed drivers, and how many of them the 13.3.29 header declares.
struct Measured {
  const char* driver;
  std::size_t exports;
  std::size_t of_the_413;
};

TEST(Drivers, CommittedFactsAgreeWithTheMeasuredTable) {
  const auto drivers = load_drivers(test::source_folder() / "model" / "facts" / "drivers.json");
  ASSERT_TRUE(drivers) << drivers.error().text();
  const Release header = view(test::committed_registry(), "13.3.29").value();
  constexpr Measured table[] = {
      {"340.108", 114, 113},    {"390.157", 185, 184},    {"418.226.00", 201, 198}, {"450.248.02", 242, 239},
      {"460.106.00", 246, 242}, {"470.256.02", 255, 251}, {"525.147.05", 312, 306}, {"535.261.03", 332, 329},
      {"550.163.01", 350, 347}, {"555.58.02", 354, 351},
  };
  ASSERT_EQ(drivers->versions.size(), std::size(table));
  for (const Measured& row : table) {
    const std::vector<std::string> symbols = drivers->symbols_of(row.driver);
    EXPECT_EQ(symbols.size(), row.exports) << row.driver;
    const auto declared =
        std::ranges::count_if(symbols, [&](const auto& s) { return find(header.functions, s) != nullptr; });
    EXPECT_EQ(static_cast<std::size_t>(declared), row.of_the_413) << row.driver;
    EXPECT_TRUE(drivers->exports("nvmlInternalGetExportTable", row.driver)) << row.driver;
  }
  EXPECT_EQ(to_text(*drivers), read_file(test::source_folder() / "model" / "facts" / "drivers.json").value());
}

}  // namespace
}  // namespace nvmlab::codegen
