// SPDX-License-Identifier: Apache-2.0
// The facts of libcuda: how symbols are dated, and what follows from them against real drivers.
#include "codegen/cuda/facts.hpp"

#include <gtest/gtest.h>

#include "codegen/cuda/meaning.hpp"
#include "codegen/io/files.hpp"
#include "codegen/model/drivers.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::cuda {
namespace {

std::filesystem::path model() { return test::source_folder() / "model"; }

TEST(CudaFacts, ASymbolHasABaseAVersionAndAStream) {
  const SymbolParts plain = parts_of("cuInit");
  EXPECT_EQ(plain.base, "cuInit");
  EXPECT_EQ(plain.version, 1u);
  const SymbolParts full = parts_of("cuMemcpyHtoD_v2_ptds");
  EXPECT_EQ(full.base, "cuMemcpyHtoD");
  EXPECT_EQ(full.version, 2u);
  EXPECT_EQ(full.stream, "_ptds");
  EXPECT_EQ(release_number("12.4"), 12040u);
  EXPECT_EQ(release_number("9.0"), 9000u);
}

TEST(CudaFacts, ReleasesGoWithTheVersionsInOrder) {
  Header old;
  old.version = "11.7.1";
  old.cuda = 11070;
  old.functions = {{"cuAdd", {}}, {"cuAdd_v2", {}}, {"cuAdd_v2_ptsz", {}}};
  old.versions = {{"cuAdd", {2000, 3020}}, {"cuAdd_ptsz", {7000}}};
  old.attributes = {{"CU_DEVICE_ATTRIBUTE_MOVED", 93}};
  Header recent;
  recent.version = "13.0.1";
  recent.cuda = 13000;
  recent.functions = {{"cuAdd_v2", {{"int", "more"}}}, {"cuNew", {}}};
  recent.versions = {{"cuAdd", {3020}}, {"cuNew", {13000}}};
  recent.attributes = {{"CU_DEVICE_ATTRIBUTE_MOVED", 122}, {"CU_DEVICE_ATTRIBUTE_NEW", 150}};
  const auto facts = merge_headers({recent, old}, {{"cuHidden", 12040}});
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(facts->functions.at("cuAdd").since, 2000u);
  EXPECT_EQ(facts->functions.at("cuAdd_v2").since, 3020u);
  EXPECT_EQ(facts->functions.at("cuAdd_v2").parameters.size(), 1u);
  EXPECT_EQ(facts->functions.at("cuAdd_v2_ptsz").since, 7000u);
  EXPECT_EQ(facts->functions.at("cuNew").since, 13000u);
  EXPECT_EQ(facts->functions.at("cuHidden"), (Function{12040, false, {}}));
  EXPECT_EQ(facts->attributes.at("CU_DEVICE_ATTRIBUTE_MOVED"), (Constant{122, 0}));
  EXPECT_EQ(facts->attributes.at("CU_DEVICE_ATTRIBUTE_NEW"), (Constant{150, 13000}));
  old.versions["cuAdd"].push_back(4000);
  EXPECT_FALSE(merge_headers({recent, old}, {}));
}

// What the facts say that drivers of CUDA 12.2 and 12.4 export is what these two export, name for name.
TEST(CudaFacts, ExportSetsAreThoseOfRealDrivers) {
  const auto facts = load_facts(model() / "facts" / "cuda.json");
  ASSERT_TRUE(facts) << facts.error().text();
  const auto drivers = load_drivers(model() / "facts" / "cuda-drivers.json");
  ASSERT_TRUE(drivers) << drivers.error().text();
  for (const auto& [driver, release] : {std::pair{"535.261.03", 12020u}, std::pair{"550.163.01", 12040u}}) {
    std::vector<std::string> derived;
    for (const auto& [symbol, function] : facts->functions) {
      if (function.since <= release) derived.push_back(symbol);
    }
    EXPECT_EQ(derived, drivers->symbols_of(driver)) << driver;
  }
}

TEST(CudaFacts, TheirTextIsReadBack) {
  const auto facts = load_facts(model() / "facts" / "cuda.json");
  ASSERT_TRUE(facts);
  EXPECT_EQ(to_text(*facts), read_file(model() / "facts" / "cuda.json").value_or(""));
}

TEST(CudaFacts, EveryFunctionAttributeAndCodeHasItsMeaning) {
  auto facts = load_facts(model() / "facts" / "cuda.json");
  ASSERT_TRUE(facts);
  EXPECT_TRUE(load_meaning(model() / "cuda", *facts));
  facts->functions["cuNeverHeardOf"] = {};
  const auto missing = load_meaning(model() / "cuda", *facts);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text().find("cuNeverHeardOf has no verdict"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab::codegen::cuda
