// SPDX-License-Identifier: Apache-2.0
// extract() on a header of our own that holds every construct of NVIDIA's, and on headers that are broken or too new
// for the model.
#include "codegen/parser/header_parser.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

using test::extracted;
using test::sample_header;

const Release& sample() {
  static const Release release = extracted(sample_header);
  return release;
}

std::vector<std::string> names(const auto& entries) {
  std::vector<std::string> list;
  for (const auto& entry : entries)
    list.push_back(entry.name);
  return list;
}

using Names = std::vector<std::string>;

TEST(Parser, ReadsFunctionsWithTheirSignatures) {
  EXPECT_EQ(names(sample().functions), (Names{"nvmlDeviceGetColour", "nvmlDeviceGetName", "nvmlDeviceGetRoom_v2",
                                              "nvmlErrorString", "nvmlInit", "nvmlInit_v2"}));
  const Function* name = find(sample().functions, "nvmlDeviceGetName");
  ASSERT_NE(name, nullptr);
  EXPECT_EQ(name->returns.text(), "nvmlReturn_t");
  ASSERT_EQ(name->parameters.size(), 3U);
  EXPECT_EQ(name->parameters[0], (Parameter{"device", {"nvmlDevice_t", false, 0}}));
  EXPECT_EQ(name->parameters[1].type.text(), "char*");
  EXPECT_EQ(name->parameters[2].type.text(), "const unsigned int");
  EXPECT_EQ(find(sample().functions, "nvmlErrorString")->returns.text(), "const char*");
  EXPECT_TRUE(find(sample().functions, "nvmlInit_v2")->parameters.empty());
}

TEST(Parser, MarksLegacyAndDeprecatedFunctions) {
  EXPECT_TRUE(find(sample().functions, "nvmlInit")->guarded);
  EXPECT_FALSE(find(sample().functions, "nvmlInit_v2")->guarded);
  EXPECT_EQ(find(sample().functions, "nvmlDeviceGetColour")->deprecated_since, "1.5");
  EXPECT_EQ(find(sample().functions, "nvmlDeviceGetRoom_v2")->deprecated_since, "")
      << "the mark belongs to the function before";
  EXPECT_EQ(find(sample().functions, "nvmlDeviceGetName")->deprecated_since, "")
      << "the mark belongs to the function after";
}

TEST(Parser, SpellsTagsAsTheirTypedefs) {
  EXPECT_EQ(find(sample().functions, "nvmlDeviceGetRoom_v2")->parameters[1].type.text(), "nvmlRoom_v1_t*");
}

TEST(Parser, LaysOutRecords) {
  EXPECT_EQ(names(sample().records), (Names{"nvmlRoom_v1_t", "nvmlValue_t"}));
  const Record& room = *find(sample().records, "nvmlRoom_v1_t");
  EXPECT_EQ(room.tag, "nvmlRoom_st");
  EXPECT_TRUE(room.has_version());
  EXPECT_EQ(room.size, 120U);
  EXPECT_EQ(room.align, 8U);
  ASSERT_EQ(room.fields.size(), 9U);
  EXPECT_EQ(room.fields[1].name, "name");
  EXPECT_EQ(room.fields[1].type.text(), "char");
  EXPECT_EQ(room.fields[1].extents, (std::vector<Extent>{{16, "NVML_NAME_SIZE"}}));
  EXPECT_EQ(room.fields[1].offset, 4U);
  EXPECT_EQ(room.fields[1].size, 16U);
  EXPECT_EQ(room.fields[2].type.text(), "unsigned int");
  EXPECT_EQ(room.fields[6].type.text(), "const char*");
  EXPECT_EQ(room.fields[7].extents, (std::vector<Extent>{{2, ""}, {3, ""}}));
  EXPECT_EQ(room.fields[8].type.text(), "struct nvmlDevice_st*");
}

TEST(Parser, KeepsNestedAnonymousRecords) {
  const Record& room = *find(sample().records, "nvmlRoom_v1_t");
  const Field& lamp = room.fields[3];
  EXPECT_EQ(lamp.name, "lamp");
  EXPECT_EQ(lamp.extents, (std::vector<Extent>{{2, ""}}));
  EXPECT_EQ(lamp.offset, 24U);
  ASSERT_EQ(lamp.nested.size(), 1U);
  EXPECT_EQ(lamp.nested[0].size, 8U);
  EXPECT_EQ(lamp.nested[0].tag, "");
  EXPECT_EQ(lamp.nested[0].fields[1].type.text(), "nvmlColour_t");
  EXPECT_EQ(lamp.nested[0].fields[1].offset, 4U);
  const Field& anonymous = room.fields[4];
  EXPECT_EQ(anonymous.name, "");
  EXPECT_EQ(anonymous.offset, 40U);
  ASSERT_EQ(anonymous.nested.size(), 1U);
  EXPECT_TRUE(anonymous.nested[0].is_union);
  EXPECT_EQ(names(anonymous.nested[0].fields), (Names{"in", "out"}));
}

TEST(Parser, ReadsTypedefsAndHandles) {
  EXPECT_EQ(sample().handles, (std::vector<Handle>{{"nvmlDevice_t", "nvmlDevice_st"}}));
  EXPECT_EQ(names(sample().typedefs), (Names{"nvmlRoomId_t", "nvmlRoom_old_t", "nvmlRoom_t"}));
  EXPECT_EQ(sample().typedefs[0].target.text(), "unsigned int");
  EXPECT_EQ(sample().typedefs[1].target.text(), "nvmlRoom_v1_t") << "a second declarator is an alias of the first";
  EXPECT_EQ(sample().typedefs[2].target.text(), "nvmlRoom_v1_t");
}

TEST(Parser, ReadsEnumsByValueWithTiesInDeclaredOrder) {
  const Enum& colour = *find(sample().enums, "nvmlColour_t");
  EXPECT_EQ(colour.underlying, "unsigned int");
  EXPECT_EQ(colour.tag, "nvmlColour_enum");
  EXPECT_EQ(names(colour.enumerators),
            (Names{"NVML_COLOUR_RED", "NVML_COLOUR_GREEN", "NVML_COLOUR_BLUE", "NVML_COLOUR_COUNT"}));
  const Enum& sign = *find(sample().enums, "nvmlSign_t");
  EXPECT_EQ(sign.underlying, "int");
  EXPECT_EQ(sign.tag, "");
  EXPECT_EQ(sign.enumerators[0].value, -1);
  EXPECT_EQ(find(sample().enums, "nvmlReturn_t")->enumerators[1].value, 0x80000000LL);
}

struct ExpectedMacro {
  std::string name;
  MacroKind kind;
  std::string text;
  std::optional<Constant> value;
};

TEST(Parser, ClassifiesAndEvaluatesMacros) {
  const std::vector<ExpectedMacro> expected{
      {"DECLDIR", MacroKind::empty, "", {}},
      {"NVML_ALL", MacroKind::expression, "(NVML_FLAG | NVML_NAME_SIZE)", Constant{24, "int"}},
      {"NVML_FLAG", MacroKind::expression, "(1 << 3)", Constant{8, "int"}},
      {"NVML_HUGE", MacroKind::integer, "0xFFFFFFFFFFFFFFFF", Constant{~0ULL, "unsigned long"}},
      {"NVML_NAME_SIZE", MacroKind::integer, "0x10", Constant{16, "int"}},
      {"NVML_NOTHING", MacroKind::integer, "(-1)", Constant{~0ULL, "int"}},
      {"NVML_OLD_GREEN", MacroKind::alias, "NVML_COLOUR_GREEN", Constant{1, "int"}},
      {"NVML_RANGE", MacroKind::bit_range, "3:0", {}},
      {"NVML_TEXT", MacroKind::string, "\"a text\"", {}},
      {"SAMPLE_H", MacroKind::empty, "", {}},
      {"nvmlDeviceGetRoom", MacroKind::alias, "nvmlDeviceGetRoom_v2", {}},
      {"nvmlInit", MacroKind::alias, "nvmlInit_v2", {}},
      {"nvmlOldColour_t", MacroKind::alias, "nvmlColour_t", {}},
      {"nvmlRoom_v1", MacroKind::struct_version, "NVML_STRUCT_VERSION(Room,1)",
       Constant{120 | 1U << 24U, "unsigned int"}},
  };
  for (const ExpectedMacro& want : expected) {
    const Macro* macro = find(sample().macros, want.name);
    ASSERT_NE(macro, nullptr) << want.name;
    EXPECT_EQ(macro->kind, want.kind) << want.name << " is " << name_of(macro->kind);
    EXPECT_EQ(macro->text, want.text) << want.name;
    EXPECT_EQ(macro->value, want.value) << want.name;
  }
  EXPECT_EQ(sample().macros.size(), expected.size() + 3) << "and the three with parameters";
}

TEST(Parser, KeepsParametersButNotBodiesOfFunctionLikeMacros) {
  const Macro& get = *find(sample().macros, "NVML_GET");
  EXPECT_EQ(get.kind, MacroKind::function_like);
  EXPECT_TRUE(get.text.starts_with("(value,kind) #")) << get.text;
  EXPECT_EQ(get.text.find(">>"), std::string::npos) << "the body is code, not a fact";
  std::string changed(sample_header);
  changed.replace(changed.find(">> (kind)"), 2, "<<");
  EXPECT_NE(find(extracted(changed).macros, "NVML_GET")->text, get.text) << "a changed body must show";
}

TEST(Parser, TellsUpgradeMacrosFromOthers) {
  EXPECT_TRUE(find(sample().macros, "nvmlInit")->unguarded);
  EXPECT_FALSE(find(sample().macros, "NVML_TEXT")->unguarded);
}

TEST(Parser, KeepsNoComment) {
  for (const Macro& macro : sample().macros)
    EXPECT_EQ(macro.text.find("comment"), std::string::npos) << macro.name;
}

TEST(Parser, DoesNotMindCommentsSpacesAndLineEnds) {
  std::string other = "/* words */\n" + std::string(sample_header);
  for (std::size_t at = 0; (at = other.find(";\n", at)) != std::string::npos; at += 3)
    other.insert(at + 1, " // more");
  Release changed = extracted(other);
  changed.sha256 = sample().sha256;
  EXPECT_EQ(changed, sample());
}

struct Hostile {
  const char* what;
  std::string text;
  std::string says;
  std::size_t line;
};

class HostileHeader : public testing::TestWithParam<Hostile> {};

TEST_P(HostileHeader, IsRefusedWithItsPlace) {
  const auto release = extract("bad.h", GetParam().text, "1.0");
  ASSERT_FALSE(release) << GetParam().what;
  EXPECT_EQ(release.error().file, "bad.h");
  EXPECT_EQ(release.error().line, GetParam().line) << release.error().text();
  EXPECT_NE(release.error().message.find(GetParam().says), std::string::npos) << release.error().text();
}

INSTANTIATE_TEST_SUITE_P(
    Parser, HostileHeader,
    testing::Values(
        Hostile{"empty", "", "no function", 1}, Hostile{"prose", "This is not C.\n", "not valid C", 1},
        Hostile{"cut", "int nvmlA(void);\ntypedef struct { int a;", "not valid C", 2},
        Hostile{"html", "<!DOCTYPE html>\n<html></html>", "not valid C", 1},
        Hostile{"missing include", "#include <cuda.h>\nint nvmlA(void);", "not valid C", 1},
        Hostile{"bit field", "int nvmlA(void);\ntypedef struct { unsigned a : 3; } nvmlB_t;", "bit field", 2},
        Hostile{"flexible array", "int nvmlA(void);\ntypedef struct { int n; int a[]; } nvmlB_t;", "fixed size", 2},
        Hostile{"function pointer", "int nvmlA(int (*call)(void));", "pointer to a function", 1},
        Hostile{"const pointer", "int nvmlA(char* const text);", "const pointer", 1},
        Hostile{"variadic", "int nvmlA(const char* format, ...);", "variadic", 1},
        Hostile{"variable", "int nvmlA(void);\nextern int nvmlB;", "variable", 2},
        Hostile{"undefined struct by value", "int nvmlA(void);\ntypedef struct nvmlB_st nvmlB_t;", "never defined", 2},
        Hostile{"foreign deprecation", "__attribute__((deprecated)) int nvmlA(void);", "DEPRECATED(version)", 1},
        Hostile{"declared twice", "int nvmlA(void);\nint nvmlA(void);", "declared twice", 0},
        Hostile{"version of nothing",
                "#define NVML_STRUCT_VERSION(d, v) sizeof(nvml##d##_t)\n#define nvmlB_v1 NVML_STRUCT_VERSION(B, "
                "1)\nint nvmlA(void);",
                "nvmlB_v1 has no value", 0}),
    [](const auto& instance) {
      std::string name = instance.param.what;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST(Parser, SurvivesRandomDamage) {
  std::uint64_t state = 42;
  const auto next = [&state] { return state = state * 6364136223846793005U + 1442695040888963407U; };
  for (int round = 0; round < 60; ++round) {
    std::string text(sample_header);
    for (int hit = 0; hit < 4; ++hit)
      text[(next() >> 33U) % text.size()] = static_cast<char>(next() >> 56U);
    const auto release = extract("bad.h", text, "1.0");
    EXPECT_TRUE(release || !release.error().message.empty());
  }
}

TEST(Parser, ReadsTheReleaseThatAHeaderStates) {
  EXPECT_EQ(stated_version("/*** NVML VERSION: 13.3.29 ***/\nint a;"), "13.3.29");
  EXPECT_EQ(stated_version("int a;"), "");
  EXPECT_EQ(stated_version("/*** NVML VERSION: x ***/"), "");
}

TEST(Parser, NamesAMissingFile) {
  const auto release = extract_file("/nowhere/nvml.h", "1.0");
  ASSERT_FALSE(release);
  EXPECT_EQ(release.error().file, "/nowhere/nvml.h");
}

}  // namespace
}  // namespace nvmlab::codegen
