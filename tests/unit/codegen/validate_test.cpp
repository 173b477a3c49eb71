// SPDX-License-Identifier: Apache-2.0
// The second opinion: right facts pass the C compiler's test, each kind of wrong fact is noticed.
#include "codegen/validate/probe.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

class Validate : public testing::Test {
 protected:
  void SetUp() override { folder_.write("nvml.h", test::sample_header); }

  std::filesystem::path header() const { return folder_.path() / "nvml.h"; }

  // What the compiler says about facts that were tampered with.
  std::vector<std::string> wrong(const std::function<void(Release&)>& tamper) const {
    Release release = test::extracted(test::sample_header);
    tamper(release);
    auto answers = wrong_answers(release, header(), "cc");
    return answers ? *answers : std::vector<std::string>{"refused: " + answers.error().message};
  }

  test::TemporaryFolder folder_;
};

template <class T>
T& in(std::vector<T>& entries, std::string_view name) {
  return *std::ranges::find(entries, name, &T::name);
}

using Lines = std::vector<std::string>;

TEST_F(Validate, RightFactsPass) {
  EXPECT_EQ(wrong([](Release&) {}), Lines{});
  EXPECT_GT(questions_about(test::extracted(test::sample_header)).size(), 80U);
}

TEST_F(Validate, NoticesWrongLayouts) {
  EXPECT_EQ(wrong([](Release& r) { in(r.records, "nvmlRoom_v1_t").size = 128; }),
            (Lines{"size of nvmlRoom_v1_t: 128 in the facts, cc says 120"}));
  EXPECT_EQ(wrong([](Release& r) { in(r.records, "nvmlRoom_v1_t").align = 4; }),
            (Lines{"alignment of nvmlRoom_v1_t: 4 in the facts, cc says 8"}));
  EXPECT_EQ(wrong([](Release& r) { in(r.records, "nvmlRoom_v1_t").fields[1].offset = 8; }),
            (Lines{"offset of nvmlRoom_v1_t.name: 8 in the facts, cc says 4"}));
  EXPECT_EQ(wrong([](Release& r) { in(r.records, "nvmlRoom_v1_t").fields[3].nested[0].fields[1].offset = 0; }),
            (Lines{"offset of nvmlRoom_v1_t.lamp[0].colour: 24 in the facts, cc says 28"}));
}

TEST_F(Validate, NoticesWrongTypes) {
  EXPECT_EQ(wrong([](Release& r) { in(r.records, "nvmlRoom_v1_t").fields[2].type.base = "int"; }),
            (Lines{"nvmlRoom_v1_t.status is int: cc says no"}));
  EXPECT_EQ(wrong([](Release& r) { in(r.functions, "nvmlDeviceGetName").parameters[2].type.base = "int"; }),
            (Lines{"nvmlDeviceGetName is nvmlReturn_t(nvmlDevice_t, char*, const int): cc says no"}))
      << "as many parameters, but another type";
  EXPECT_EQ(wrong([](Release& r) { in(r.functions, "nvmlErrorString").returns.constant = false; }).size(), 1U);
  EXPECT_EQ(wrong([](Release& r) { in(r.typedefs, "nvmlRoomId_t").target.base = "unsigned long"; }).size(), 1U);
  EXPECT_EQ(wrong([](Release& r) { in(r.handles, "nvmlDevice_t").tag = "other_st"; }).size(), 1U);
  EXPECT_EQ(wrong([](Release& r) { in(r.enums, "nvmlSign_t").underlying = "unsigned int"; }),
            (Lines{"sign of nvmlSign_t: 0 in the facts, cc says 1"}));
}

TEST_F(Validate, NoticesWrongValues) {
  EXPECT_EQ(wrong([](Release& r) { in(r.enums, "nvmlColour_t").enumerators[0].value = 9; }),
            (Lines{"value of NVML_COLOUR_RED: 9 in the facts, cc says 0"}));
  EXPECT_EQ(wrong([](Release& r) { in(r.macros, "NVML_ALL").value->bits = 25; }),
            (Lines{"value of NVML_ALL: 25 in the facts, cc says 24"}));
  EXPECT_EQ(wrong([](Release& r) { in(r.macros, "NVML_ALL").value->type = "long"; }),
            (Lines{"NVML_ALL is long: cc says no"}));
  EXPECT_EQ(wrong([](Release& r) { in(r.macros, "NVML_TEXT").text = "\"other\""; }).size(), 1U);
}

TEST_F(Validate, NoticesNamesThatAreNotThere) {
  const Lines lines = wrong([](Release& r) {
    r.functions.push_back({"nvmlInvented", {"int", false, 0}, {}, "", false});
  });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("nvmlInvented"), std::string::npos) << lines[0];
}

TEST_F(Validate, NamesAMissingCompilerOrHeader) {
  const Release release = test::extracted(test::sample_header);
  EXPECT_NE(wrong_answers(release, header(), "no-such-compiler").error().message.find("cannot be run"),
            std::string::npos);
  EXPECT_NE(wrong_answers(release, folder_.path() / "absent.h", "cc").error().message.find("absent.h"),
            std::string::npos);
}

TEST_F(Validate, DeviationsGoBothWays) {
  const Release facts = test::extracted(test::sample_header);
  EXPECT_EQ(deviations(facts, facts), Lines{});
  Release other = facts;
  std::erase_if(other.functions, [](const Function& f) { return f.name == "nvmlInit"; });
  in(other.macros, "NVML_TEXT").text = "\"other\"";
  other.handles.push_back({"nvmlUnit_t", "nvmlUnit_st"});
  EXPECT_EQ(deviations(facts, other), (Lines{"function nvmlInit is in the facts, not in the header",
                                             "handle nvmlUnit_t is in the header, not in the facts",
                                             "macro NVML_TEXT is another in the header than in the facts"}));
}

}  // namespace
}  // namespace nvmlab::codegen
