// SPDX-License-Identifier: Apache-2.0
#include "command/machine/listing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/command/sample_machine.hpp"

namespace nvmlab::tool {
namespace {

std::vector<FieldLine> lines(const control::MachineView& view, const std::vector<std::string>& paths,
                             bool unsupported = false) {
  const auto listing = resolve(paths, view);
  EXPECT_TRUE(listing);
  if (!listing) return {};
  const auto lines = lines_of(*listing, view, {.unsupported = unsupported, .provenance = nullptr});
  EXPECT_TRUE(lines) << lines.error().front();
  return lines ? *lines : std::vector<FieldLine>();
}

std::size_t count(const std::vector<FieldLine>& lines, std::string_view path) {
  return static_cast<std::size_t>(std::ranges::count(lines, path, &FieldLine::path));
}

TEST(Listing, GpusThatAgreeShareALine) {
  const control::MachineView view = sample_view();
  const auto found = lines(view, {"power.draw_mw"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].value, "70000 mW");
  EXPECT_EQ(found[0].gpus, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(found[1].value, "99000 mW");
  EXPECT_EQ(found[1].gpus, (std::vector<std::uint32_t>{1}));
}

TEST(Listing, ATopicLeavesOutWhatIsNotSupported) {
  const control::MachineView view = sample_view();
  const auto found = lines(view, {"power"});
  EXPECT_EQ(count(found, "power.limit_mw"), 1u);
  EXPECT_EQ(count(found, "power.module_limit_mw"), 0u);
  EXPECT_EQ(count(found, "power.energy_mj"), 1u) << "a refusal that is not NOT_SUPPORTED says something";
  EXPECT_EQ(count(lines(view, {"power"}, true), "power.module_limit_mw"), 1u);
  const auto named = lines(view, {"power.module_limit_mw"});
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].value, "not supported");
}

TEST(Listing, RecordsAndListsOfRecordsFallApart) {
  const control::MachineView view = sample_view();
  EXPECT_EQ(count(lines(view, {"ecc"}), "ecc.corrected_volatile.total"), 3u);
  const auto links = lines(view, {"nvlink"});
  EXPECT_EQ(count(links, "nvlink.links[0]"), 1u);
  EXPECT_EQ(count(links, "nvlink.links[1]"), 1u);
  EXPECT_EQ(count(links, "nvlink.links[2]"), 0u) << "no GPU has a third link";
  EXPECT_EQ(links.front().gpus, (std::vector<std::uint32_t>{1, 2})) << "GPU 0 has no link";
}

TEST(Listing, WithoutAPathItIsEverything) {
  const control::MachineView view = sample_view();
  const auto found = lines(view, {}, true);
  for (const Topic& topic : topics()) {
    EXPECT_TRUE(std::ranges::any_of(found, [&](const FieldLine& line) {
      return line.path.starts_with(topic.table.name);
    })) << topic.table.name;
  }
  EXPECT_EQ(count(lines(view, {}), "system.driver_version"), 1u);
}

TEST(Listing, WithoutGpusOnlyTheNodeIsLeft) {
  control::MachineView view = sample_view();
  view.gpus.clear();
  view.indices.clear();
  const auto found = lines(view, {}, true);
  EXPECT_FALSE(found.empty());
  for (const FieldLine& line : found) {
    for (const Topic& topic : topics()) {
      if (line.path.starts_with(fmt::format("{}.", topic.table.name))) {
        EXPECT_TRUE(topic.of_node) << line.path;
      }
    }
  }
}

TEST(Listing, WrongNamesAreAllReported) {
  const control::MachineView view = sample_view();
  const auto listing = resolve({"powr.draw_mw", "power.draw_mw", "power.limit_mv"}, view);
  ASSERT_FALSE(listing);
  ASSERT_EQ(listing.error().size(), 2u);
  EXPECT_NE(listing.error()[0].find("did you mean 'power'?"), std::string::npos);
  EXPECT_NE(listing.error()[1].find("did you mean 'limit_mw'?"), std::string::npos);
}

TEST(Listing, AnItemThatAGpuLacksIsAComplaintOnlyWhenNamed) {
  const control::MachineView view = sample_view();
  const auto listing = resolve({"nvlink.links[1].version"}, view);
  ASSERT_TRUE(listing);
  const auto found = lines_of(*listing, view, {});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().front().find("GPU 1: nvlink.links[1].version"), std::string::npos) << found.error().front();
}

TEST(Listing, TheTableNamesAFieldOnceAndCutsWhatNobodyAskedFor) {
  control::MachineView view = sample_view();
  EXPECT_EQ(listing_table(lines(view, {"power.draw_mw", "system.driver_version"}), view, false),
            "FIELD                  GPU  VALUE\n"
            "power.draw_mw          0,2  70000 mW\n"
            "                       1    99000 mW\n"
            "system.driver_version       550.163.01\n");
  for (Gpu& gpu : view.gpus)
    gpu.topology.cpu_affinity.count = 16;
  for (Gpu& gpu : view.gpus)
    std::ranges::fill(gpu.topology.cpu_affinity.items, ~std::uint64_t{0});
  EXPECT_NE(listing_table(lines(view, {"topology"}), view, false).find(" ...\n"), std::string::npos);
  EXPECT_EQ(listing_table(lines(view, {"topology.cpu_affinity"}), view, false).find(" ...\n"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab::tool
