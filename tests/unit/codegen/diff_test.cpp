// SPDX-License-Identifier: Apache-2.0
// What diff() says, on small headers for each kind of change and on releases whose changes are known.
#include "codegen/report/diff.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

using Lines = std::vector<std::string>;

Lines section(const std::vector<Section>& sections, std::string_view title) {
  for (const Section& section : sections) {
    if (section.title == title) return section.lines;
  }
  ADD_FAILURE() << "no section " << title;
  return {};
}

std::vector<Section> difference(std::string_view before, std::string_view after) {
  const auto whole = [](std::string_view text) { return std::string(text) + "\nvoid nvmlLast(void);"; };
  return diff(test::extracted(whole(before), "1.0"), test::extracted(whole(after), "1.1"));
}

TEST(Diff, NothingIsNothing) {
  const Release release = test::extracted(test::sample_header);
  EXPECT_EQ(to_text(diff(release, release)), "");
}

TEST(Diff, TellsNewFunctionsFromNewVersions) {
  const auto sections = difference("void nvmlOld(int a); void nvmlOther(int a); void nvmlGone(void);",
                                   "void nvmlOld(int a); void nvmlOld_v2(int a); void nvmlOther(int a); void "
                                   "nvmlOther_v2(char* b); void nvmlFresh_v1(void);");
  EXPECT_EQ(section(sections, "Functions added"), (Lines{"void nvmlFresh_v1(void)"}));
  EXPECT_EQ(section(sections, "New versions of functions"),
            (Lines{"void nvmlOld_v2(int a) beside nvmlOld, same parameter types",
                   "void nvmlOther_v2(char* b) beside nvmlOther, other parameter types"}));
  EXPECT_EQ(section(sections, "Functions removed"), (Lines{"void nvmlGone(void)"}));
}

TEST(Diff, ShowsOtherSignaturesUpgradesAndDeprecations) {
  const auto sections = difference("void nvmlA(int a); void nvmlB(void);",
                                   "#define DEPRECATED(v) __attribute__((deprecated))\n#ifndef "
                                   "NVML_NO_UNVERSIONED_FUNC_DEFS\n#define nvmlB nvmlB_v2\n#endif\n"
                                   "void nvmlA(long a); DEPRECATED(1.1) void nvmlB_v2(void);\n#ifdef "
                                   "NVML_NO_UNVERSIONED_FUNC_DEFS\nvoid nvmlB(void);\n#endif");
  EXPECT_EQ(section(sections, "Functions with another signature"),
            (Lines{"void nvmlA(long a)\n    was void nvmlA(int a)"}));
  EXPECT_EQ(section(sections, "Plain names that a C program now resolves differently"),
            (Lines{"nvmlB is nvmlB_v2 (was nvmlB)"}));
}

TEST(Diff, SaysWhatMovedInAStruct) {
  const auto sections = difference("typedef struct { int a; char name[4]; int gone; } nvmlS_t;",
                                   "typedef struct { int a; int fresh; char name[8]; } nvmlS_t;");
  EXPECT_EQ(section(sections, "Types laid out anew under an unchanged name"),
            (Lines{"nvmlS_t: 16 bytes (was 12)\n    char name[8] at 8, 8 bytes (was at 4, 4 bytes)\n    int gone at 8 "
                   "is gone\n    int fresh at 4 is new"}));
}

TEST(Diff, TellsAMovedAliasFromARename) {
  const auto sections = difference(
      "typedef struct { int a; } nvmlS_v1_t; typedef nvmlS_v1_t nvmlS_t;",
      "typedef struct { int a; } nvmlS_v1_t; typedef struct { int a, b; } nvmlS_v2_t; typedef nvmlS_v2_t nvmlS_t;");
  EXPECT_EQ(section(sections, "Types laid out anew under an unchanged name"),
            (Lines{"nvmlS_t: 8 bytes (was 4), now nvmlS_v2_t (was nvmlS_v1_t)\n    int b at 4 is new"}));
  EXPECT_EQ(section(sections, "Structs and unions added"), (Lines{"struct nvmlS_v2_t, 8 bytes"}));
  EXPECT_EQ(section(sections, "Other type names"), (Lines{"nvmlS_t is nvmlS_v2_t (was nvmlS_v1_t)"}));
}

TEST(Diff, AFieldOutOfTheReserveMovesNothing) {
  const auto sections = difference("typedef struct { int a; int reserved[2]; } nvmlS_t;",
                                   "typedef struct { int a; int b; int reserved[1]; } nvmlS_t;");
  EXPECT_EQ(section(sections, "Types laid out anew under an unchanged name"),
            (Lines{"nvmlS_t: 12 bytes (was 12)\n    int reserved[1] at 8, 4 bytes (was at "
                   "4, 8 bytes)\n    int b at 4 is new"}));
}

TEST(Diff, TellsMovedEnumeratorsFromGrownCounts) {
  const auto sections = difference(
      "typedef enum { NVML_A, NVML_B, NVML_GONE, NVML_E_COUNT } nvmlE_t;",
      "typedef enum { NVML_A, NVML_FRESH, NVML_B, NVML_MORE, NVML_E_COUNT } nvmlE_t; typedef enum { NVML_F } nvmlF_t;");
  EXPECT_EQ(section(sections, "Enumerators whose value moved"), (Lines{"NVML_B = 2 (was 1)"}));
  EXPECT_EQ(section(sections, "Counts and limits that changed"), (Lines{"NVML_E_COUNT = 4 (was 3)"}));
  EXPECT_EQ(section(sections, "Enumerators added"), (Lines{"NVML_FRESH = 1 in nvmlE_t", "NVML_MORE = 3 in nvmlE_t"}))
      << "not those of a new enum";
  EXPECT_EQ(section(sections, "Enumerators removed"), (Lines{"NVML_GONE = 2 of nvmlE_t"}));
  EXPECT_EQ(section(sections, "Enums added and removed"), (Lines{"nvmlF_t is new, 1 enumerators"}));
}

TEST(Diff, TellsMovedFieldIdsFromOtherMacros) {
  const auto sections =
      difference("#define NVML_FI_A 1\n#define NVML_B 1\n#define NVML_C(x) (x)\n#define NVML_GONE 3\n",
                 "#define NVML_FI_A 2\n#define NVML_B 0x1\n#define NVML_C(x) (1 + (x))\n#define NVML_TEXT \"t\"\n");
  EXPECT_EQ(section(sections, "Field ids that moved"), (Lines{"NVML_FI_A = 2 (was 1)"}));
  EXPECT_EQ(section(sections, "Macros with another value"), (Lines{"NVML_C(x) expands to something else"}))
      << "0x1 is 1";
  EXPECT_EQ(section(sections, "Macros added"), (Lines{"NVML_TEXT \"t\""}));
  EXPECT_EQ(section(sections, "Macros removed"), (Lines{"NVML_GONE 3"}));
}

std::vector<Section> between(std::string_view before, std::string_view after) {
  return diff(view(test::committed_registry(), before).value(), view(test::committed_registry(), after).value());
}

TEST(Diff, KnowsWhatNvmlDid) {
  const auto fabric = section(between("12.9.40", "13.0.39"), "Types laid out anew under an unchanged name");
  EXPECT_EQ(fabric,
            (Lines{"nvmlGpuFabricInfoV_t: 40 bytes (was 36), now nvmlGpuFabricInfo_v3_t (was nvmlGpuFabricInfo_v2_t)\n"
                   "    unsigned char healthSummary at 36 is new"}));
  EXPECT_EQ(section(between("12.9.40", "13.0.39"), "Functions added").size(), 9U);
  EXPECT_EQ(section(between("13.0.39", "13.0.87"), "Field ids that moved").size(), 23U) << "251 to 273";
  const auto processes = section(between("12.2.128", "12.2.140"), "Types laid out anew under an unchanged name");
  ASSERT_EQ(processes.size(), 1U);
  EXPECT_TRUE(processes[0].starts_with("nvmlProcessInfo_t: 24 bytes (was 32)")) << processes[0];
  EXPECT_EQ(section(between("11.2.2", "11.3.58"), "Functions removed").size(), 2U);
}

}  // namespace
}  // namespace nvmlab::codegen
