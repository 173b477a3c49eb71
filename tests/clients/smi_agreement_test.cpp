// SPDX-License-Identifier: Apache-2.0
//
// How far `nvidia-smi -q -x` on a simulated machine agrees with the same board's real output, leaf by leaf, against the
// committed table of facts. Writes build/<preset>/reports/agreement-*.txt. Captures beside the checkout that no profile
// was made from are compared too, as a report: they show other units and other drivers, so no number is demanded of
// them.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include <fmt/format.h>

#include "tests/clients/smi.hpp"
#include "tests/support/comparison.hpp"
#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

constexpr double demanded_percent = 95.0;

void publish(const Comparison& comparison, const std::string& expected, const std::string& actual,
             const std::string& file) {
  const auto text = report(comparison, expected, actual);
  const auto path = binary_folder() / "reports" / file;
  EXPECT_TRUE(write_file(path, text)) << path;
  std::cout << text.substr(0, text.find("\nOnly in")) << "(whole report: " << path.string() << ")\n\n";
}

class SmiAgreement : public testing::TestWithParam<ReleaseOnMachine> {};

TEST_P(SmiAgreement, WithTheBoardsCapture) {
  const auto& [release, machine] = GetParam();
  NVMLAB_REQUIRE_CLIENT(client, std::string{release});
  const auto facts = facts_of(machine);
  const auto outcome = smi(client, {"-q", "-x"}, node_of(machine));
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  const auto log = read_output(outcome, client.name);
  ASSERT_EQ(log.gpus.size(), machine.gpus);
  const auto comparison = compare(facts.leaves, log.leaves,
                                  machine.every_gpu_captured ? Boards::as_captured : Boards::first_stands_for_all);
  publish(comparison, fmt::format("{} (from {})", facts.board, facts.source),
          fmt::format("nvidia-smi {} -q -x on {}", client.version, machine.profile),
          fmt::format("agreement-{}-{}.txt", machine.profile, client.name));
  EXPECT_GE(comparison.percent(), demanded_percent);
  EXPECT_GE(comparison.without("supported_clocks").percent(), demanded_percent)
      << "without the list of supported clocks";
  // Agreement over little would say little: nvidia-smi must have printed most of what the board's capture holds.
  EXPECT_GE(comparison.without("supported_clocks").compared(), 150U * machine.gpus);
}

INSTANTIATE_TEST_SUITE_P(All, SmiAgreement, testing::Combine(testing::ValuesIn(releases), testing::ValuesIn(machines)),
                         case_name);

struct OtherCapture {
  const char* file;  // in the folder of captures
  const char* release;
  const char* profile;
  const char* report;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest finds it by this name
void PrintTo(const OtherCapture& other, std::ostream* out) { *out << other.file; }

constexpr OtherCapture other_captures[] = {
    {"leptonai+gpud/nvidia-smi-query.535.161.08.out.0.valid", "nvidia-smi-535", "dgx-h100", "leptonai-h100"},
    {"thamada+nvidia-smi/H100SXMx8_smi.txt", "nvidia-smi-550", "dgx-h100", "thamada-h100"},
};

class SmiOtherCaptures : public testing::TestWithParam<OtherCapture> {};

TEST_P(SmiOtherCaptures, AreReported) {
  NVMLAB_REQUIRE_CAPTURES(captures);
  NVMLAB_REQUIRE_CLIENT(client, GetParam().release);
  const auto bytes = read_file(captures / GetParam().file);
  ASSERT_TRUE(bytes) << GetParam().file;
  const auto expected = capture::read_capture(*bytes, GetParam().file);
  ASSERT_TRUE(expected) << expected.error().text();
  Node node;
  node.profile = GetParam().profile;
  const auto outcome = smi(client, {"-q"}, node);
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  const auto log = read_output(outcome, client.name);
  const auto comparison = compare(expected->leaves, log.leaves);
  EXPECT_GT(comparison.total.compared(), 1000U) << "the two outputs hardly share a leaf";
  publish(comparison, GetParam().file, fmt::format("nvidia-smi {} -q on {}", client.version, GetParam().profile),
          fmt::format("other-{}-{}.txt", GetParam().report, client.name));
}

INSTANTIATE_TEST_SUITE_P(All, SmiOtherCaptures, testing::ValuesIn(other_captures),
                         [](const auto& other) { return in_underscores(other.param.report); });

}  // namespace
}  // namespace nvmlab::test
