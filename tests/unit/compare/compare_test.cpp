// SPDX-License-Identifier: Apache-2.0
//
// Which class a pair of statements gets, and what a report counts.
#include <gtest/gtest.h>

#include "tests/unit/compare/made_up.hpp"

namespace nvmlab::compare {
namespace {

Class between(const Statement& a, const Statement& b) {
  const Class there = class_of(&a, &b);
  EXPECT_EQ(there, class_of(&b, &a)) << "the order of the sides does not matter";
  return there;
}

TEST(Classes, OfTwoAnswers) {
  EXPECT_EQ(between(value("power.limit_mw", "1"), value("power.limit_mw", "1")), Class::equal);
  EXPECT_EQ(between(value("power.limit_mw", "1"), value("power.limit_mw", "2")), Class::value);
  EXPECT_EQ(between(value("power.limit_mw", "1"), code("power.limit_mw", "UNKNOWN")), Class::code);
  EXPECT_EQ(between(code("power.limit_mw", "NOT_SUPPORTED"), code("power.limit_mw", "UNKNOWN")), Class::code);
  EXPECT_EQ(between(code("power.limit_mw", "UNKNOWN"), code("power.limit_mw", "UNKNOWN")), Class::equal);
  EXPECT_EQ(between(value("power.limit_mw", "UNKNOWN"), code("power.limit_mw", "UNKNOWN")), Class::code)
      << "a text is no code, whatever it says";
}

TEST(Classes, WhatMovesIsNoiseUnlessItIsRefused) {
  EXPECT_EQ(between(value("thermal.gpu_c", "40", Nature::live), value("thermal.gpu_c", "41", Nature::live)),
            Class::noise);
  EXPECT_EQ(between(value("thermal.gpu_c", "40", Nature::live), code("thermal.gpu_c", "NOT_SUPPORTED", Nature::live)),
            Class::code);
  EXPECT_EQ(
      between(value("identity.serial", "1", Nature::identifier), value("identity.serial", "2", Nature::identifier)),
      Class::identifier);
  EXPECT_EQ(
      between(value("identity.serial", "1", Nature::identifier), value("identity.serial", "1", Nature::identifier)),
      Class::equal);
}

TEST(Classes, OfWhatOneSideDoesNotTell) {
  const Statement told = value("power.limit_mw", "1");
  EXPECT_EQ(class_of(&told, nullptr), Class::missing);
  EXPECT_EQ(class_of(nullptr, &told), Class::missing);
  EXPECT_EQ(between(told, assumed(value("power.limit_mw", "2"))), Class::missing);
  EXPECT_EQ(between(told, assumed(value("power.limit_mw", "1"))), Class::equal);
  EXPECT_EQ(between(value("thermal.gpu_c", "40", Nature::live), assumed(value("thermal.gpu_c", "41", Nature::live))),
            Class::missing);
}

TEST(Classes, SilenceOfAMachineMeansNotSupported) {
  EXPECT_EQ(between(silence("power.limit_mw"), code("power.limit_mw", "NOT_SUPPORTED")), Class::equal);
  EXPECT_EQ(between(silence("power.limit_mw"), code("power.limit_mw", "DEPRECATED")), Class::code);
  EXPECT_EQ(between(silence("power.limit_mw"), value("power.limit_mw", "1")), Class::code);
  EXPECT_EQ(between(silence("clocks.supported"), list("clocks.supported", {}, 0)), Class::equal);
  EXPECT_EQ(between(silence("clocks.supported"), list("clocks.supported", {{"[0]", "5"}}, 1)), Class::value);
}

TEST(Classes, AListThatMovesIsNoiseAlsoAgainstSilence) {
  Statement running = list("processes.running", {{"[0].pid", "7"}}, 1);
  running.nature = Nature::live;
  EXPECT_EQ(between(silence("processes.running"), running), Class::noise);
}

TEST(Classes, AListIsWhatItsDifferingPartsAre) {
  const auto links = [](const std::string& speed, const std::string& errors, bool refused = false) {
    return list("nvlink.links", {{"[0].speed", speed}, {"[0].errors", errors, Nature::live, refused}}, 1);
  };
  EXPECT_EQ(between(links("25", "3"), links("25", "3")), Class::equal);
  EXPECT_EQ(between(links("25", "3"), links("25", "4")), Class::noise);
  EXPECT_EQ(between(links("25", "3"), links("50", "4")), Class::value);
  EXPECT_EQ(between(links("25", "3"), links("25", "UNKNOWN", true)), Class::code);
  EXPECT_EQ(between(links("25", "3"), list("nvlink.links", {}, 0)), Class::value);
  EXPECT_EQ(between(list("l", {{"[0]", "1"}}, 1), list("l", {{"[0]", "1"}, {"[1]", "2"}}, 2)), Class::value);
}

TEST(Classes, AListThatComesAndGoesIsNoise) {
  Statement processes = list("processes/process_info", {{"[0]/pid", "7"}}, 1);
  EXPECT_EQ(class_of(&processes, nullptr), Class::missing);
  processes.nature = Nature::live;
  EXPECT_EQ(class_of(&processes, nullptr), Class::noise);
}

TEST(Report, CountsEveryClassAndTheAgreementOfWhatIsSteady) {
  const Side a = side({{value("t.same", "1"), value("t.other", "1"), value("t.only_a", "1"),
                        value("t.live", "1", Nature::live), value("t.id", "1", Nature::identifier)}},
                      {value("n.same", "1")});
  const Side b = side({{value("t.same", "1"), value("t.other", "2"), value("t.live", "2", Nature::live),
                        value("t.id", "2", Nature::identifier), code("t.only_b", "UNKNOWN")}},
                      {value("n.same", "1")});
  const Report report = compare(a, b);
  EXPECT_EQ(report.count(Class::equal), 2u);
  EXPECT_EQ(report.count(Class::value), 1u);
  EXPECT_EQ(report.count(Class::code), 0u);
  EXPECT_EQ(report.count(Class::missing), 2u);
  EXPECT_EQ(report.count(Class::noise), 1u);
  EXPECT_EQ(report.count(Class::identifier), 1u);
  EXPECT_EQ(report.rows.size(), 7u);
  EXPECT_EQ(report.steady_compared, 3u) << "neither the live one, nor the identifier, nor what one side tells alone";
  EXPECT_EQ(report.steady_equal, 2u);
  EXPECT_NEAR(report.agreement(), 66.67, 0.01);
  EXPECT_EQ(compare(side({}), side({})).agreement(), 0.0);
}

TEST(Report, ACodeInPlaceOfALiveValueCountsForTheAgreement) {
  const Side a = side({{code("t.x", "NOT_SUPPORTED", Nature::live), code("t.y", "NOT_SUPPORTED", Nature::live)}});
  const Side b = side({{value("t.x", "1", Nature::live), code("t.y", "NOT_SUPPORTED", Nature::live)}});
  EXPECT_EQ(compare(a, b).agreement(), 50.0);
}

TEST(Report, SaysNothingOfWhatNeitherTells) {
  const Side a = side({{assumed(value("t.x", "1")), silence("t.y"), assumed(value("t.z", "1"))}});
  const Side b = side({{assumed(value("t.x", "2")), silence("t.y"), value("t.z", "1")}});
  const Report report = compare(a, b);
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_EQ(report.rows.front().any().name, "t.z");
  EXPECT_EQ(report.assumed_equal, 1u);
  EXPECT_EQ(report.steady_compared, 0u);
}

TEST(Report, LeavesIdentifiersOut) {
  const Side a = side({{value("t.id", "1", Nature::identifier), value("t.x", "1")}});
  const Side b = side({{value("t.id", "2", Nature::identifier), value("t.x", "1")}});
  Options options;
  options.identifiers = false;
  EXPECT_EQ(compare(a, b, options).count(Class::identifier), 0u);
  EXPECT_EQ(compare(a, b, options).rows.size(), 1u);
}

TEST(Report, OfChosenPairs) {
  const Side a = side({{value("t.x", "1")}, {value("t.x", "2")}});
  Options options;
  options.pairs = std::vector<Pair>{{0, 1}};
  const Report report = compare(a, a, options);
  EXPECT_EQ(report.count(Class::value), 1u);
  EXPECT_EQ(report.rows.front().gpus, (Pair{0, 1}));
  EXPECT_TRUE(report.matching.only_a.empty()) << "what was not asked for is not missing";
}

}  // namespace
}  // namespace nvmlab::compare
