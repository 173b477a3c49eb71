// SPDX-License-Identifier: Apache-2.0
// The emitter of binding/nvmlab/abi on a small model: names, order, layouts of the past. That what it makes of the real
// facts compiles and has NVIDIA's layout is asserted by binding/nvmlab/abi/layout.cpp; abi_headers_test.cpp compiles it
// beside NVIDIA's own header.
#include "codegen/emit/abi.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

Inputs inputs_of(std::vector<Release> releases) {
  Inputs inputs;
  auto registry = merge(std::move(releases));
  EXPECT_TRUE(registry);
  if (registry) inputs.registry = std::move(*registry);
  inputs.newest = view(inputs.registry).value();
  return inputs;
}

const Inputs& sample() {
  static const Inputs inputs = inputs_of({test::extracted(test::sample_header, "1.0")});
  return inputs;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(AbiEmitter, RenamesMacrosOutOfTheWay) {
  EXPECT_EQ(abi::constant_name("NVML_DEVICE_NAME_BUFFER_SIZE"), "DEVICE_NAME_BUFFER_SIZE");
  EXPECT_EQ(abi::constant_name("NVML_255_MASK"), "N255_MASK");
  EXPECT_EQ(abi::constant_name("nvmlEventTypeAll"), "EventTypeAll");
  EXPECT_EQ(abi::constant_name("INVALID_GPU_INSTANCE_ID"), "INVALID_GPU_INSTANCE_ID_");
}

TEST(AbiEmitter, WritesConstantsWithTheirTypes) {
  const std::string text = abi::constants(sample()).value();
  EXPECT_TRUE(holds(text, "inline constexpr int NAME_SIZE = 0x10;\n")) << text;
  EXPECT_TRUE(holds(text, "inline constexpr unsigned long HUGE = 0xFFFFFFFFFFFFFFFF;\n"));
  EXPECT_TRUE(holds(text, "inline constexpr int ALL = 24;\n"));
  EXPECT_TRUE(holds(text, "inline constexpr char TEXT[] = \"a text\";\n"));
  EXPECT_TRUE(holds(text, "inline constexpr BitRange RANGE{3, 0};\n"));
  EXPECT_TRUE(holds(text, "inline constexpr nvmlColour_t OLD_GREEN = NVML_COLOUR_GREEN;\n"));
  for (const char* absent : {"GET", "DECLDIR", "STRUCT_VERSION", "Init", "SAMPLE_H"}) {
    EXPECT_FALSE(holds(text, std::string(" ") + absent + " ")) << absent;
  }
}

TEST(AbiEmitter, RefusesNamesThatClash) {
  const auto error_of = [](std::string_view macros) {
    const Inputs inputs = inputs_of({test::extracted(std::string(macros) + "\nvoid nvmlInit(void);", "1.0")});
    const auto text = abi::constants(inputs);
    return text ? std::string("(accepted)") : text.error().message;
  };
  EXPECT_EQ(error_of("#define NVML_X 1\n#define nvmlX 2"), "two macros become the constant X");
  EXPECT_EQ(error_of("#define NVML_X 1\n#define X 2"), "the constant X for NVML_X is itself a macro of the header");
  EXPECT_EQ(error_of("#define NVML_X 1\n#define NVML_Y 2"), "(accepted)");
}

TEST(AbiEmitter, WritesEachTypeAfterWhatItNeeds) {
  const std::string text = abi::types(sample());
  EXPECT_TRUE(holds(text, "struct nvmlDevice_st;\n")) << "outside of our namespace";
  EXPECT_TRUE(holds(text, "using nvmlDevice_t = nvmlDevice_st*;\n"));
  EXPECT_TRUE(holds(text, "using nvmlRoom_t = nvmlRoom_v1_t;\n"));
  EXPECT_TRUE(holds(text, "typedef nvmlColour_t nvmlOldColour_t;"));
  EXPECT_LT(text.find("union nvmlValue_t {"), text.find("struct nvmlRoom_v1_t {"));
  EXPECT_LT(text.find("struct nvmlRoom_v1_t {"), text.find("using nvmlRoom_t "));
  EXPECT_TRUE(holds(text, "  char name[NAME_SIZE];\n"));
  EXPECT_TRUE(holds(text, "  struct {\n    int level;\n    nvmlColour_t colour;\n  } lamp[2];\n")) << text;
  EXPECT_TRUE(holds(text, "  union {\n    unsigned char in[4];\n    unsigned short out;\n  };\n")) << text;
  EXPECT_TRUE(holds(text, "  double grid[2][3];\n"));
}

TEST(AbiEmitter, AssertsEveryOffset) {
  const std::string text = abi::layout(sample());
  EXPECT_TRUE(holds(text, "static_assert(sizeof(nvmlRoom_v1_t) == 120);\n"));
  EXPECT_TRUE(holds(text, "static_assert(alignof(nvmlRoom_v1_t) == 8);\n"));
  EXPECT_TRUE(holds(text, "static_assert(offsetof(nvmlRoom_v1_t, lamp) == 24);\n"));
  EXPECT_TRUE(holds(text, "static_assert(offsetof(nvmlRoom_v1_t, lamp[0].colour) == 28);\n"));
  EXPECT_TRUE(holds(text, "static_assert(offsetof(nvmlRoom_v1_t, out) == 40);\n"));
  EXPECT_TRUE(holds(text, "static_assert(struct_version::Room_v1 == 16777336U);\n"));
}

TEST(AbiEmitter, WritesFunctionTypesWithTheirStory) {
  const Inputs inputs = inputs_of(
      {test::extracted(test::sample_header, "1.0"),
       test::extracted("typedef enum { NVML_SUCCESS } nvmlReturn_t;\ntypedef struct nvmlDevice_st* nvmlDevice_t;\n"
                       "nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, const unsigned int length);",
                       "1.1")});
  const std::string text = abi::functions(inputs);
  EXPECT_TRUE(holds(text,
                    "// since 1.0\nusing nvmlDeviceGetName_fn = nvmlReturn_t(nvmlDevice_t device, char* name, const "
                    "unsigned int length);\n"))
      << text;
  EXPECT_TRUE(holds(text, "// since 1.0, last in 1.0\nusing nvmlInit_fn = nvmlReturn_t();\n"));
  EXPECT_FALSE(holds(text, "nvmlDeviceGetColour_fn")) << "its type is gone, so nobody can spell it";
}

TEST(AbiEmitter, KeepsLayoutsOfThePast) {
  const Inputs inputs = inputs_of({
      test::extracted("typedef struct { int a; } nvmlIn_t; typedef struct { nvmlIn_t in[2]; char note[3]; } nvmlOut_t; "
                      "typedef enum { NVML_X } "
                      "nvmlE_t; typedef struct { nvmlE_t e; } nvmlGone_t; void nvmlInit(void);",
                      "1.0"),
      test::extracted("typedef struct { int a, b; } nvmlIn_t; typedef struct { nvmlIn_t in[2]; char note[3]; } "
                      "nvmlOut_t; void nvmlInit(void);",
                      "1.1"),
  });
  const std::string text = abi::historic(inputs).value();
  EXPECT_TRUE(holds(text, "struct nvmlOut_t_before_1_1 {\n  nvmlIn_t_before_1_1 in[2];\n  char note[3];\n};\n"))
      << text;
  EXPECT_LT(text.find("struct nvmlIn_t_before_1_1 {"), text.find("struct nvmlOut_t_before_1_1 {"));
  EXPECT_TRUE(holds(text, "static_assert(sizeof(nvmlOut_t_before_1_1) == 12);\n"));
  EXPECT_TRUE(holds(text, "struct nvmlGone_t_before_1_1 {\n  unsigned int e;\n};\n"))
      << "an enum that is gone is spelled as what it was";
}

}  // namespace
}  // namespace nvmlab::codegen
