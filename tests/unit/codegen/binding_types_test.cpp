// SPDX-License-Identifier: Apache-2.0
#include "codegen/binding/types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "base/temp_folder.hpp"
#include "codegen/binding/members.hpp"
#include "codegen/io/files.hpp"

namespace {

using namespace nvmlab::codegen;

const BindingTypes& types() {
  static const BindingTypes loaded = [] {
    const auto root = find_root(std::getenv("NVMLAB_SOURCE_DIR"));
    const auto inputs = load_inputs(*root);
    auto result = BindingTypes::load(*inputs);
    if (!result) ADD_FAILURE() << result.error().text();
    return std::move(*result);
  }();
  return loaded;
}

std::string name_of_type(const char* base, unsigned pointers = 0, std::string_view kind = {}) {
  const auto found = types().typed_name(Type{base, false, pointers}, kind);
  return found ? *found : found.error().message;
}

TEST(BindingTypes, SnakeCaseKnowsWordsOfCapitals) {
  EXPECT_EQ(snake_case("usedGpuMemory"), "used_gpu_memory");
  EXPECT_EQ(snake_case("averageFPS"), "average_fps");
  EXPECT_EQ(snake_case("FBCSession"), "fbc_session");
  EXPECT_EQ(snake_case("GpuIdle"), "gpu_idle");
  EXPECT_EQ(snake_case("GPU_IS_LOST"), "gpu_is_lost");
  EXPECT_EQ(snake_case("NVLINK_P2P"), "nvlink_p2p");
}

TEST(BindingTypes, VersionsOfAStructAreOneType) {
  EXPECT_EQ(name_of_type("nvmlMemory_t"), "Memory");
  EXPECT_EQ(name_of_type("nvmlMemory_v2_t", 1), "Memory");
  EXPECT_EQ(name_of_type("nvmlProcessInfo_t"), "ProcessInfo");
  EXPECT_EQ(name_of_type("historic::nvmlProcessInfo_t_before_11_1"), "ProcessInfo");
  EXPECT_EQ(name_of_type("nvmlBlacklistDeviceInfo_t"), "ExcludedDeviceInfo");
}

TEST(BindingTypes, WhatARowSaysGoesBeforeTheCType) {
  EXPECT_EQ(name_of_type("unsigned int", 1), "unsigned");
  EXPECT_EQ(name_of_type("unsigned int", 1, "milliwatts"), "Milliwatts");
  EXPECT_EQ(name_of_type("unsigned int", 1, "flag"), "bool");
  EXPECT_EQ(name_of_type("unsigned long long", 1, "mask ClocksEventReasons"), "ClocksEventReasons");
  EXPECT_EQ(name_of_type("unsigned int", 0, "enum GpuInstanceProfile"), "GpuInstanceProfile");
  EXPECT_EQ(name_of_type("unsigned int", 0, "furlongs"), "'furlongs' is no unit and no kind of a value");
}

TEST(BindingTypes, HandlesTextsAndEnums) {
  EXPECT_EQ(name_of_type("nvmlDevice_t", 1), "Device");
  EXPECT_EQ(name_of_type("nvmlVgpuTypeId_t"), "VgpuType");
  EXPECT_EQ(name_of_type("nvmlVgpuInstance_t"), "VgpuInstance");
  EXPECT_EQ(name_of_type("char", 1), "std::string");
  EXPECT_EQ(name_of_type("nvmlEnableState_t"), "bool");
  EXPECT_EQ(name_of_type("nvmlDeviceArchitecture_t", 1), "Architecture");
  EXPECT_EQ(types().typed(Type{"nvmlVgpuVmCompatibility_t"})->category, Category::mask);
}

TEST(BindingTypes, EnumeratorsLoseWhatIsCommonToThem) {
  const TypedEnum& pstates = *types().enum_of("nvmlPstates_t");
  EXPECT_EQ(pstates.name, "Pstate");
  EXPECT_EQ(pstates.enumerators.front().name, "p0");
  EXPECT_EQ(pstates.enumerators.back().name, "unknown");
  const TypedEnum& brands = *types().enum_of("nvmlBrandType_t");
  EXPECT_EQ(std::ranges::count(brands.enumerators, "count", &TypedEnumerator::name), 0);
  const auto vgaming = std::ranges::find(brands.enumerators, "nvidia_vgaming", &TypedEnumerator::name);
  ASSERT_NE(vgaming, brands.enumerators.end());
  EXPECT_TRUE(vgaming->repeated);
  EXPECT_EQ(types().enum_of("nvmlComputeMode_t")->enumerators.front().name, "default_");
}

TEST(BindingTypes, ASetHasOneBitEach) {
  const TypedEnum& reasons = *types().enum_named("ClocksEventReasons");
  EXPECT_EQ(reasons.name, "ClocksEventReason");
  EXPECT_EQ(reasons.enumerators.size(), 11U);
  for (const TypedEnumerator& each : reasons.enumerators)
    EXPECT_EQ(each.bits & (each.bits - 1), 0U) << each.c_name;
}

// Reads the types again with `sentence` taken out of a copy of `file`, which is one of model/binding/types/.
class Without {
 public:
  Without() {
    std::filesystem::create_directories(folder_.path() / "model" / "binding");
    std::filesystem::copy(inputs_.root / kTypes, folder_.path() / kTypes, std::filesystem::copy_options::recursive);
    inputs_.root = folder_.path();
  }

  Result<BindingTypes> load(const std::string& file, const std::string& sentence) {
    const auto path = folder_.path() / kTypes / file;
    const std::string whole = *read_file(path);
    std::string without = whole;
    EXPECT_TRUE(without.contains(sentence)) << sentence;
    EXPECT_TRUE(write_file(path, without.replace(without.find(sentence), sentence.size(), "")));
    auto loaded = BindingTypes::load(inputs_);
    EXPECT_TRUE(write_file(path, whole));
    return loaded;
  }

 private:
  inline static const std::filesystem::path kTypes = std::filesystem::path("model") / "binding" / "types";
  nvmlab::TempFolder folder_;
  Inputs inputs_ = *load_inputs(*find_root(std::getenv("NVMLAB_SOURCE_DIR")));
};

// Of the headers' own and of macros: an enumeration is not let in without saying what it tells.
TEST(BindingTypes, AnEnumerationNeedsASentence) {
  Without without;
  for (const auto& [name, sentence] :
       {std::pair<std::string, std::string>{"Brand", ", says: \"The brand that a board is sold under.\""},
        {"FabricCliqueType", "says: \"Kinds of cliques in the fabric.\", "}}) {
    const auto refused = without.load("enums.yaml", sentence);
    ASSERT_FALSE(refused) << name;
    EXPECT_TRUE(refused.error().text().contains(
        name + " needs a row in model/binding/types/ with `says`, what it tells in a sentence"))
        << refused.error().text();
  }
}

// Nor a member of a struct; where it may be nothing, the sentence says what that means.
TEST(BindingTypes, AMemberNeedsASentence) {
  Without without;
  const auto refusal = [&](const std::string& file, const std::string& sentence, const char* type) {
    const auto loaded = without.load(file, sentence);
    if (!loaded) return loaded.error().text();
    const auto members = members_of(*loaded, *loaded->struct_named(type));
    return members ? "accepted" : members.error().text();
  };
  EXPECT_EQ(refusal("memory.yaml", ", says: \"Physical memory of the board.\"", "Memory"),
            "Memory.total needs `says` in model/binding/types/memory.yaml, what it holds in a sentence");
  EXPECT_EQ(refusal("memory.yaml", "; nothing: no limit", "MemoryLimits"),
            "MemoryLimits.hardLimit: its sentence in model/binding/types/memory.yaml does not say what nothing means");
  EXPECT_EQ(refusal("memory.yaml", " board", "Memory"), "accepted");
}

// Where a name does not say all; a star stands for a number, and a name without one goes before it.
TEST(BindingTypes, AnEnumeratorMayHaveASentence) {
  const auto says = [](const char* type, const char* name) {
    return std::ranges::find(types().enum_named(type)->enumerators, name, &TypedEnumerator::name)->says;
  };
  EXPECT_EQ(says("P2pStatus", "ok"), "They can.");
  EXPECT_EQ(says("P2pStatus", "unknown"), "");
  EXPECT_EQ(says("GpmMetricId", "nvlink_l17_rx_per_sec"), "Read over NVLink 17 in a second.");
  EXPECT_EQ(says("GpuInstanceProfile", "mig_2_slice_gfx"), "With graphics.");
  EXPECT_EQ(says("GpuInstanceProfile", "mig_3_slice_gfx"), "With graphics and media engines.");
}

TEST(BindingTypes, ASentenceOfNoEnumeratorIsRefused) {
  Without without;
  const auto refusal = [&](const std::string& letters) {
    const auto loaded = without.load("enumerators_links.yaml", letters);
    return loaded ? "accepted" : loaded.error().message;
  };
  EXPECT_EQ(refusal("_OK"), "'NVML_P2P_STATUS' is no enumerator of P2pStatus");
  EXPECT_EQ(refusal("Level"), "'Topology' is no enumeration");
}

// What a method would take or give: a type, or a reason that is known.
TEST(BindingTypes, EveryParameterOfEveryFunctionIsKnown) {
  const auto inputs = load_inputs(*find_root(std::getenv("NVMLAB_SOURCE_DIR")));
  ASSERT_TRUE(inputs);
  for (const Function& function : inputs->newest.functions) {
    for (const Parameter& parameter : function.parameters) {
      const TypedStruct* taken_apart = types().struct_of(parameter.type.base);
      if (taken_apart != nullptr && taken_apart->shape == "none") continue;
      const auto found = types().typed(parameter.type);
      EXPECT_TRUE(found) << function.name << " " << parameter.name << ": " << found.error().message;
    }
  }
}

}  // namespace
