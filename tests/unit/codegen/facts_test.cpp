// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/facts.hpp"

#include <gtest/gtest.h>

#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen {
namespace {

TEST(Type, IsReadBackAsItIsWritten) {
  for (const char* text :
       {"int", "unsigned long long", "const char*", "nvmlDevice_t", "const nvmlX_t**", "struct nvmlX_st*"}) {
    const auto type = parse_type(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(type->text(), text);
  }
  EXPECT_EQ(parse_type("const char *").value(), (Type{"char", true, 1}));
}

TEST(Type, RefusesWhatTheModelDoesNotKnow) {
  for (const char* text : {"", "*", "int[3]", "int (*)(void)", "char* const", "int&"})
    EXPECT_FALSE(parse_type(text)) << text;
}

TEST(Function, SameSignatureMindsTypesOnly) {
  const Function a{"a", {"int", false, 0}, {{"x", {"char", false, 1}}}, "", false};
  Function b = a;
  b.name = "b";
  b.parameters[0].name = "y";
  EXPECT_TRUE(a.same_signature(b));
  b.parameters[0].type.constant = true;
  EXPECT_FALSE(a.same_signature(b));
}

TEST(Macro, KindsHaveNamesThatLeadBack) {
  for (const MacroKind kind :
       {MacroKind::empty, MacroKind::integer, MacroKind::struct_version, MacroKind::alias, MacroKind::string,
        MacroKind::expression, MacroKind::bit_range, MacroKind::function_like, MacroKind::attribute}) {
    EXPECT_EQ(macro_kind_of(name_of(kind)), kind);
  }
  EXPECT_EQ(macro_kind_of("other"), std::nullopt);
}

TEST(Constant, IsWrittenBySign) {
  EXPECT_EQ((Constant{~0ULL, "int"}.text()), "-1");
  EXPECT_EQ((Constant{~0ULL, "unsigned long"}.text()), "18446744073709551615");
}

TEST(StructVersion, IsReadFromItsMacro) {
  const auto version =
      struct_version_of({"nvmlMemory_v2", MacroKind::struct_version, "NVML_STRUCT_VERSION(Memory,2)", {}, false});
  ASSERT_TRUE(version);
  EXPECT_EQ(version->record, "nvmlMemory_v2_t");
  EXPECT_EQ(version->word(40), 0x2000028U);
  EXPECT_TRUE(struct_version_of({"x", MacroKind::struct_version, "NVML_STRUCT_VERSION(Memory, 2)", {}, false}));
  for (const char* text :
       {"NVML_STRUCT_VERSION(Memory)", "NVML_STRUCT_VERSION(Memory,x)", "NVML_STRUCT_VERSION(", "2", ""}) {
    EXPECT_FALSE(struct_version_of({"x", MacroKind::struct_version, text, {}, false})) << text;
  }
  EXPECT_FALSE(struct_version_of({"x", MacroKind::integer, "NVML_STRUCT_VERSION(Memory,2)", {}, false}));
}

TEST(Counts, CountEveryKind) {
  Release release;
  release.functions = {{"a", {}, {}, "1.0", false}, {"b", {}, {}, "", true}};
  release.records = {{"r", "", true, 4, 4, {}}, {"s", "", false, 4, 4, {}}};
  release.enums = {{"e", "", "int", {{"A", 1}, {"B", 2}}}};
  const Counts counts = count(release);
  EXPECT_EQ(counts, (Counts{2, 1, 1, 1, 1, 1, 2, 0, 0, 0}));
}

}  // namespace
}  // namespace nvmlab::codegen
