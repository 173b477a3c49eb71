// SPDX-License-Identifier: Apache-2.0
#include "compiler/deprecations.hpp"

#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::uint32_t kDeprecated = 26;

class Deprecations : public testing::Test {
 protected:
  // A board of a family that says what its own capture refused.
  Machine made(const std::string& captured_on, const std::string& says, const std::string& played_on = "") {
    constexpr const char* head = "sources: {s: {kind: assumed, why: x}}\nsource: s\n";
    scratch_.file("family.yaml", std::string("profile: family\nabstract: true\n") + head +
                                     "modes: {display_mode: enabled}\npower: {state: 2}\n");
    const std::string board =
        scratch_.file("board.yaml", std::string("profile: board\ninherits: ./family.yaml\n") + head +
                                        "system: {driver_version: " + captured_on + "}\n" + says);
    CompileOptions options;
    if (!played_on.empty()) options.driver = played_on;
    auto machine = compile(board, options);
    EXPECT_TRUE(machine) << describe(machine.error());
    return machine ? std::move(*machine) : Machine{};
  }
  test::Scratch scratch_;
};

TEST_F(Deprecations, AreTheDriversAndNotTheBoards) {
  for (const char* says : {"", "modes: {display_mode: {answer: DEPRECATED}}\npower: {state: {answer: DEPRECATED}}\n"}) {
    EXPECT_EQ(made("595.91.07", says).gpu(0).modes.display_mode.code(), kDeprecated) << says;
    EXPECT_EQ(made("595.91.07", says).gpu(0).power.state.code(), kDeprecated) << says;
    EXPECT_EQ(made("595.91.07", says, "580.65.06").gpu(0).modes.display_mode.code(), kDeprecated) << says;
    EXPECT_EQ(made("595.91.07", says, "580.65.06").gpu(0).power.state.value_or(9), 2U) << says;
    EXPECT_EQ(made("595.91.07", says, "570").gpu(0).modes.display_mode.value_or(9), 1U) << says;
    EXPECT_EQ(made("595.91.07", says, "450").gpu(0).modes.display_mode.value_or(9), 1U) << says;
  }
}

// Also a machine file is played on other drivers, so it keeps what lies below.
TEST_F(Deprecations, AreNotInAMachineFile) {
  const Machine machine = made("595.91.07", "power: {state: {answer: DEPRECATED}}\n");
  Image image;
  ASSERT_EQ(open_image(machine.image.data(), machine.image.size(), &image), ImageError::none);
  const auto gpu = std::make_unique<Gpu>();
  read_gpu(image, 0, gpu.get());
  EXPECT_EQ(gpu->power.state.value_or(9), 2U);
}

// A capture may know more than the table of drivers.
TEST_F(Deprecations, ThatNoDriverIsKnownForAreKept) {
  const std::string says = "modes: {display_mode: {answer: DEPRECATED}}\n";
  EXPECT_EQ(made("575.64.05", says).gpu(0).modes.display_mode.code(), kDeprecated);
  EXPECT_EQ(made("575.64.05", says, "595").gpu(0).modes.display_mode.code(), kDeprecated);
  EXPECT_EQ(made("575.64.05", says, "470").gpu(0).modes.display_mode.code(), kNotSupported);
  EXPECT_EQ(made("595.91.07", "fabric: {state: {answer: DEPRECATED}}\n", "550").gpu(0).fabric.state.code(), kDeprecated)
      << "a field that no driver is known to deprecate";
  const std::string sourced = "modes: {display_mode: {value: {answer: DEPRECATED}, source: s}}\n";
  EXPECT_EQ(made("575.64.05", sourced).gpu(0).modes.display_mode.code(), kDeprecated) << "with a source of its own";
}

}  // namespace
}  // namespace nvmlab::compiler
