// SPDX-License-Identifier: Apache-2.0
//
// GPU profiles that stand in a machine's file.
#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "compiler/paths.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

const std::string kHead =
    "machine: m\nsources: {s: {kind: assumed, why: a test}}\nsource: s\nsystem: {driver_version: 550.163.01}\n";

std::string problems(const std::string& rest) {
  const auto made = compile_text(kHead + rest, "m.yaml", "m");
  return made ? "" : describe(made.error());
}

TEST(OwnProfiles, InheritShippedOnesAndEachOther) {
  const auto made = compile_text(
      kHead +
          "profiles:\n"
          "  mine: {inherits: hopper, thermal: {gpu_c: 40}}\n"
          "  hot: {inherits: mine, sources: {t: {kind: assumed, why: hot}}, source: t, thermal: {gpu_c: 90}}\n"
          "gpus: [{profile: mine, count: 2}, {profile: hot}, {profile: t4}]\n",
      "m.yaml", "m");
  ASSERT_TRUE(made) << describe(made.error());
  ASSERT_EQ(made->gpu_count(), 4U);
  EXPECT_EQ(made->gpu(1).thermal.gpu_c.value_or(0), 40U);
  EXPECT_EQ(made->gpu(2).thermal.gpu_c.value_or(0), 90U);
  EXPECT_EQ(made->gpu(2).identity.architecture.value_or(0), 9U) << "Hopper's";
  EXPECT_STREQ(made->gpu(3).identity.name.data, "Tesla T4");
  const auto field = find_field("thermal.gpu_c");
  EXPECT_EQ(made->provenance.find(1, *field)->id, "s") << "the file's source, where the profile names none";
  EXPECT_EQ(made->provenance.find(2, *field)->id, "t");
}

TEST(OwnProfiles, ComeBeforeShippedOnes) {
  const auto made =
      compile_text(kHead + "profiles: {t4: {identity: {name: mine}}}\ngpus: [{profile: t4}]\n", "m.yaml", "m");
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_STREQ(made->gpu(0).identity.name.data, "mine");
}

TEST(OwnProfiles, MistakesHaveTheirPlace) {
  EXPECT_EQ(problems("profiles: 5\ngpus: [{profile: t4}]\n"),
            "m.yaml:5:11: a single value was found; 'profiles' takes a mapping from a name to a GPU profile\n");
  EXPECT_EQ(problems("profiles: {a b: {}}\ngpus: [{profile: t4}]\n"),
            "m.yaml:5:12: 'a b' is no GPU profile; a name with a mapping of topics would be right\n");
  EXPECT_NE(problems("profiles: {a: {powr: {}}}\ngpus: [{profile: a}]\n").find("m.yaml:5:16: there is no topic 'powr'"),
            std::string::npos);
  EXPECT_NE(problems("profiles: {a: {inherits: b}, b: {}}\ngpus: [{profile: a}]\n")
                .find("m.yaml:5:26: there is no profile 'b'"),
            std::string::npos)
      << "what is inherited stands above";
}

}  // namespace
}  // namespace nvmlab::compiler
