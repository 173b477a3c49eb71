// SPDX-License-Identifier: Apache-2.0
// merge() and view(): what goes in comes out, whatever changed between releases.
#include "codegen/model/registry.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

using test::extracted;

std::string header(std::string_view body) {
  return std::string(body) + "\ntypedef unsigned int nvmlReturn_t;\nnvmlReturn_t nvmlInit(void);\n";
}

Registry merged(std::vector<Release> releases) {
  auto registry = merge(std::move(releases));
  EXPECT_TRUE(registry) << registry.error().text();
  return registry ? *registry : Registry{};
}

template <class T>
std::vector<std::pair<std::string, std::string>> spans_of(const Table<T>& table, std::string_view name) {
  std::vector<std::pair<std::string, std::string>> list;
  if (const auto* spans = history(table, name)) {
    for (const auto& span : *spans)
      list.emplace_back(span.since, span.until);
  }
  return list;
}

using Spans = std::vector<std::pair<std::string, std::string>>;

TEST(Registry, GivesEveryReleaseBack) {
  const std::vector<Release> releases{
      extracted(test::sample_header, "1.0"),
      extracted(header("typedef enum { NVML_A = 1, NVML_B = 1, NVML_C = 0 } nvmlE_t;"), "1.2"),
      extracted(
          header("typedef enum { NVML_B = 1, NVML_A = 1, NVML_D = 5 } nvmlE_t; typedef struct { int a; } nvmlS_t;"),
          "1.10"),
      extracted(header("typedef struct { int a, b; } nvmlS_t;"), "2.0"),
  };
  const Registry registry = merged({releases[2], releases[0], releases[3], releases[1]});
  EXPECT_EQ(registry.versions(), (std::vector<std::string>{"1.0", "1.2", "1.10", "2.0"}));
  for (const Release& release : releases)
    EXPECT_EQ(view(registry, release.version).value(), release) << release.version;
  EXPECT_EQ(view(registry).value().version, "2.0") << "the newest by default";
  EXPECT_EQ(view(registry, "1").value().version, "1.10") << "the newest that begins so";
}

TEST(Registry, KnowsWhenAThingCameChangedAndWent) {
  const Registry registry = merged({
      extracted(header("void nvmlOld(int a); typedef struct { int a; } nvmlS_t;"), "1.0"),
      extracted(header("void nvmlOld(int a); typedef struct { int a, b; } nvmlS_t;"), "1.1"),
      extracted(header("void nvmlNew(void); typedef struct { int a, b; } nvmlS_t;"), "1.2"),
  });
  EXPECT_EQ(spans_of(registry.functions, "nvmlOld"), (Spans{{"1.0", "1.1"}}));
  EXPECT_EQ(spans_of(registry.functions, "nvmlNew"), (Spans{{"1.2", ""}}));
  EXPECT_EQ(spans_of(registry.functions, "nvmlInit"), (Spans{{"1.0", ""}}));
  EXPECT_EQ(spans_of(registry.records, "nvmlS_t"), (Spans{{"1.0", "1.0"}, {"1.1", ""}}));
  EXPECT_EQ(spans_of(registry.functions, "nvmlNever"), Spans{});
  const auto& record = *history(registry.records, "nvmlS_t");
  EXPECT_EQ(at_release(record, "1.0")->size, 4U);
  EXPECT_EQ(at_release(record, "1.2")->size, 8U);
  EXPECT_EQ(newest_definition(record).size, 8U);
  EXPECT_EQ(at_release(*history(registry.functions, "nvmlNew"), "1.1"), nullptr);
}

TEST(Registry, KeepsAGapAsTwoSpans) {
  const std::string with = header("void nvmlComing(void);");
  const Registry registry = merged({extracted(with, "1.0"), extracted(header(""), "1.1"), extracted(with, "1.2")});
  EXPECT_EQ(spans_of(registry.functions, "nvmlComing"), (Spans{{"1.0", "1.0"}, {"1.2", ""}}));
}

TEST(Registry, FollowsSingleEnumerators) {
  const Registry registry = merged({
      extracted(header("typedef enum { NVML_A = 0, NVML_COUNT = 1 } nvmlE_t;"), "1.0"),
      extracted(header("typedef enum { NVML_A = 0, NVML_B = 1, NVML_COUNT = 2 } nvmlE_t;"), "1.1"),
  });
  EXPECT_EQ(spans_of(registry.enums, "nvmlE_t"), (Spans{{"1.0", ""}})) << "a grown enum is not a new one";
  EXPECT_EQ(spans_of(registry.enumerators, "NVML_A"), (Spans{{"1.0", ""}}));
  EXPECT_EQ(spans_of(registry.enumerators, "NVML_B"), (Spans{{"1.1", ""}}));
  EXPECT_EQ(spans_of(registry.enumerators, "NVML_COUNT"), (Spans{{"1.0", "1.0"}, {"1.1", ""}}));
}

TEST(Registry, MergingViewsChangesNothing) {
  const Registry registry = merged({extracted(test::sample_header, "1.0"), extracted(header(""), "1.1")});
  EXPECT_EQ(merged(all_views(registry).value()), registry);
}

TEST(Registry, RefusesWhatIsNoSetOfReleases) {
  EXPECT_FALSE(merge({}));
  const Release one = extracted(header(""), "1.0");
  const auto twice = merge({one, one});
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("1.0 is given twice"), std::string::npos);
  Release nameless = one;
  nameless.version = "newest";
  EXPECT_FALSE(merge({nameless}));
  const auto unknown = view(merged({one}), "3.0");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("nearest known: 1.0"), std::string::npos) << unknown.error().text();
  EXPECT_FALSE(view(Registry{}));
}

}  // namespace
}  // namespace nvmlab::codegen
