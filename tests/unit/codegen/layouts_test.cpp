// SPDX-License-Identifier: Apache-2.0
// Layouts over time, on small headers and on the committed facts.
#include "codegen/model/layouts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

Release of(std::string_view types, const std::string& version) {
  return test::extracted(std::string(types) + "\nvoid nvmlInit(void);", version);
}

Record record(std::string_view body) {
  return of(fmt::format("typedef struct {{ {} }} nvmlS_t;", body), "1.0").records.front();
}

TEST(Layouts, DifferWhereAProgramWouldNotice) {
  EXPECT_TRUE(laid_out_differently(record("int a;"), record("int a, b;")));
  EXPECT_TRUE(laid_out_differently(record("int a, b;"), record("int b, a;"))) << "same size, fields swapped";
  EXPECT_TRUE(laid_out_differently(record("char a[4];"), record("int a;"))) << "same size, other alignment";
  EXPECT_TRUE(laid_out_differently(record("short a; short b;"), record("char a; char pad; short b;"))) << "a shrank";
  EXPECT_TRUE(laid_out_differently(record("struct { int x, y; } in;"), record("struct { int y, x; } in;")));
}

TEST(Layouts, DoNotDifferByNamesOrReserves) {
  EXPECT_FALSE(laid_out_differently(record("int a;"), record("int a;")));
  EXPECT_FALSE(laid_out_differently(record("int a;"), record("int other;")));
  EXPECT_FALSE(laid_out_differently(record("int a; int reserved[3];"), record("int a; int b; int last[2];")));
}

TEST(Layouts, NamesAreFollowedThroughAliases) {
  const Release release =
      of("typedef struct { int a; } nvmlS_v1_t; typedef nvmlS_v1_t nvmlS_t; typedef nvmlS_t nvmlT_t; typedef nvmlS_t* "
         "nvmlP_t;",
         "1.0");
  EXPECT_EQ(resolve_record(release, "nvmlT_t")->name, "nvmlS_v1_t");
  EXPECT_EQ(resolve_record(release, "nvmlP_t"), nullptr) << "a pointer is not its record";
  EXPECT_EQ(resolve_record(release, "int"), nullptr);
  Release ring;
  ring.typedefs = {{"a", {"b", false, 0}}, {"b", {"a", false, 0}}};
  EXPECT_EQ(resolve_record(ring, "a"), nullptr);
}

std::vector<std::string> summary(const std::vector<ReplacedLayout>& layouts) {
  std::vector<std::string> lines;
  for (const ReplacedLayout& layout : layouts) {
    lines.push_back(fmt::format("{} {}..{} {} until {}{}", layout.name, layout.first_release, layout.last_release,
                                layout.record.size, layout.replaced_in, layout.gone ? " gone" : ""));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Layouts, AMovedAliasIsANewLayout) {
  const auto layouts = replaced_layouts(
      {of("typedef struct { int a; } nvmlS_t;", "1.0"), of("typedef struct { int a; } nvmlS_t;", "1.1"),
       of("typedef struct { int a, b; } nvmlS_v2_t; typedef nvmlS_v2_t nvmlS_t;", "1.2")});
  EXPECT_EQ(summary(layouts), (Lines{"nvmlS_t 1.0..1.1 4 until 1.2"}));
  EXPECT_EQ(layout_at(layouts, "nvmlS_t", "1.1"), &layouts.front());
  EXPECT_EQ(layout_at(layouts, "nvmlS_t", "1.2"), nullptr);
  EXPECT_EQ(layout_at(layouts, "nvmlX_t", "1.0"), nullptr);
}

TEST(Layouts, GoneAndComeBackAreToldApart) {
  const auto gone = replaced_layouts({of("typedef struct { int a; } nvmlS_t;", "1.0"), of("", "1.1")});
  EXPECT_EQ(summary(gone), (Lines{"nvmlS_t 1.0..1.0 4 until 1.1 gone"}));
  const auto back = replaced_layouts({of("typedef struct { int a; } nvmlS_t;", "1.0"), of("", "1.1"),
                                      of("typedef struct { int a; } nvmlS_t;", "1.2")});
  EXPECT_EQ(summary(back), Lines{});
}

// facts/nvml-api.md, 3.1, with the releases at which the registry, which knows more of them, sees each change. What is
// not in that table is explained in docs/decisions/0003-facts-registry.md.
TEST(Layouts, CommittedFactsHoldTheKnownChanges) {
  const auto views = all_views(test::committed_registry());
  ASSERT_TRUE(views);
  EXPECT_EQ(summary(replaced_layouts(*views)), (Lines{
                                                   "nvmlBlacklistDeviceInfo_t 11.0..11.2.2 148 until 11.3.58 gone",
                                                   "nvmlComputeInstanceInfo_t 11.0..11.1 24 until 11.2.0",
                                                   "nvmlDeviceAttributes_t 11.0..11.0 24 until 11.1",
                                                   "nvmlGpmMetricsGet_t 11.8.86..12.8.90 3944 until 12.9.40",
                                                   "nvmlGpmMetricsGet_t 12.9.40..13.1.115 8424 until 13.2.51",
                                                   "nvmlGpmMetricsGet_t 13.2.51..13.3.29 13344 until 13.4.92",
                                                   "nvmlGpuFabricInfoV_t 12.4.127..12.9.40 36 until 13.0.39",
                                                   "nvmlGridLicensableFeature_t 11.0..11.3.58 268 until 11.4.120",
                                                   "nvmlGridLicensableFeatures_t 11.0..11.3.58 812 until 11.4.120",
                                                   "nvmlProcessInfo_t 11.0..11.0 16 until 11.1",
                                                   "nvmlProcessInfo_t 11.1..12.1.105 24 until 12.2.81",
                                                   "nvmlProcessInfo_t 12.2.81..12.2.128 32 until 12.2.140",
                                                   "nvmlVgpuLicenseInfo_t 11.5.50..11.5.50 20 until 11.6.55",
                                                   "nvmlVgpuPlacementList_t 12.4.127..12.6.77 24 until 12.8.55",
                                               }));
}

}  // namespace
}  // namespace nvmlab::codegen
