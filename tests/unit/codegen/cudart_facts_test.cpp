// SPDX-License-Identifier: Apache-2.0
// The facts of libcudart, and that each function has its verdict.
#include "codegen/cudart/facts.hpp"

#include <gtest/gtest.h>

#include "codegen/cudart/meaning.hpp"
#include "codegen/io/files.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::cudart {
namespace {

std::filesystem::path model() { return test::source_folder() / "model"; }

TEST(CudartFacts, TheirTextIsReadBack) {
  const auto facts = load_facts(model() / "facts" / "cudart.json");
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(to_text(*facts), read_file(model() / "facts" / "cudart.json").value_or(""));
  EXPECT_EQ(facts->releases.at(12).number / 1000, 12u);
  EXPECT_EQ(facts->releases.at(13).number / 1000, 13u);
}

TEST(CudartFacts, ANameMayTakeOtherArgumentsInEachRelease) {
  const auto facts = load_facts(model() / "facts" / "cudart.json");
  ASSERT_TRUE(facts);
  const auto& advise = facts->functions.at("cudaMemAdvise");
  ASSERT_TRUE(advise.at(12) && advise.at(13));
  EXPECT_EQ(advise.at(12)->back().type, "int");
  EXPECT_EQ(advise.at(13)->back().type, "struct cudaMemLocation");
  EXPECT_FALSE(facts->functions.at("__cudaRegisterFatBinary").at(12)) << "no public header declares it";
  EXPECT_FALSE(facts->functions.at("cudaGetDeviceProperties_v2").contains(13));
}

TEST(CudartFacts, EveryFunctionAndErrorHasItsMeaning) {
  auto facts = load_facts(model() / "facts" / "cudart.json");
  ASSERT_TRUE(facts);
  const auto meaning = load_meaning(model() / "cudart", *facts);
  ASSERT_TRUE(meaning) << meaning.error().text();
  EXPECT_EQ(meaning->verdicts.size(), facts->functions.size());
  EXPECT_EQ(meaning->verdicts.at("cudaMemAdvise").targets.at(12), "cuMemAdvise");
  EXPECT_EQ(meaning->verdicts.at("cudaMemAdvise").targets.at(13), "cuMemAdvise_v2");
  facts->functions["cudaNeverHeardOf"][13] = {};
  const auto missing = load_meaning(model() / "cudart", *facts);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text().find("cudaNeverHeardOf has no verdict"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab::codegen::cudart
