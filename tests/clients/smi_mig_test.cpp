// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi mig on a simulated board: the session of smi_mig_550.txt word for word, and the same deeds by every other
// release that knows MIG.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

constexpr int kInUseCode = 19;
constexpr int kNoRoomCode = 23;

struct Step {
  std::vector<std::string> arguments;
  std::string prints;
  int exit_code = 0;
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

// "$ nvidia-smi ARGUMENTS", what it prints, "rc=CODE".
std::vector<Step> session() {
  std::vector<Step> steps;
  std::istringstream in(read_file(source_folder() / "tests/clients/smi_mig_550.txt").value_or(""));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("$ nvidia-smi ")) {
      steps.push_back({words_of(line.substr(13)), "", 0});
    } else if (line.starts_with("rc=")) {
      steps.back().exit_code = std::stoi(line.substr(3));
    } else if (!steps.empty() && !(line.empty() && steps.back().prints.empty())) {
      steps.back().prints += line + "\n";
    }
  }
  return steps;
}

std::string without_trailing(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  return text;
}

class OneA100 : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(machine.up().ok()) << machine.up().story(); }
  Outcome smi(const Client& client, const std::vector<std::string>& arguments, const std::string& role = "root") const {
    return machine.run_on(client, arguments, role);
  }
  std::string bus(const Client& client) const {
    const auto rows = lines(smi(client, {"--query-gpu=pci.bus_id", "--format=csv,noheader"}).out);
    return rows.empty() ? "" : rows[0];
  }

  UpAndDown machine{"hgx-a100-4gpu", {"--gpus", "1"}};
};

TEST_F(OneA100, PrintsTheSessionOf550WordForWord) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-550");
  const std::string address = bus(client);
  const auto steps = session();
  ASSERT_GT(steps.size(), 20U);
  for (const Step& step : steps) {
    const auto outcome = smi(client, step.arguments);
    std::string expected = without_trailing(step.prints);
    for (auto at = expected.find("BUS"); at != std::string::npos; at = expected.find("BUS", at))
      expected.replace(at, 3, address);
    EXPECT_EQ(without_trailing(outcome.out), expected) << joined(step.arguments);
    EXPECT_EQ(outcome.exit_code, step.exit_code) << joined(step.arguments);
  }
}

class MigRelease : public OneA100, public testing::WithParamInterface<std::string_view> {
 protected:
  void SetUp() override {
    OneA100::SetUp();
    NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
    client_ = client;
  }
  Outcome mig(std::vector<std::string> arguments, const std::string& role = "root") const {
    arguments.insert(arguments.begin(), "mig");
    return smi(client_, arguments, role);
  }
  void expect(const Outcome& outcome, int code, const std::string& part) const {
    EXPECT_EQ(outcome.exit_code, code) << outcome.story();
    EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.story();
  }
  Client client_;
};

TEST_P(MigRelease, MakesListsAndDestroysInstances) {
  expect(smi(client_, {"-mig", "1"}), 0, "Enabled MIG Mode for GPU");
  expect(mig({"-lgip"}), 0, "MIG 3g.40gb");
  expect(mig({"-cgi", "9,14,19"}), 0, "Successfully created GPU instance ID  9 on GPU  0");
  expect(mig({"-cci"}), 0, "Successfully created compute instance ID  0 on GPU  0 GPU instance ID  2");
  expect(mig({"-lgi"}), 0, "MIG 2g.20gb");
  expect(mig({"-lci"}), 0, "MIG 1g.10gb");
  const auto list = smi(client_, {"-L"});
  EXPECT_EQ(count(list.out, "(UUID: MIG-"), 3U) << list.out;
  EXPECT_NE(list.out.find("MIG 3g.40gb"), std::string::npos) << list.out;
  const auto table = smi(client_, {});
  EXPECT_EQ(troubles(table.out), std::vector<std::string>()) << table.out;
  EXPECT_NE(table.out.find("MIG devices:"), std::string::npos) << table.out;
  const auto log = smi(client_, {"-q"});
  EXPECT_EQ(troubles(log.out), std::vector<std::string>());
  // The log of 450 is without them on this driver; whether it had them on its own is not known.
  EXPECT_EQ(count(log.out, "GPU Instance ID"), GetParam() == "nvidia-smi-450" ? 0U : 3U);
  expect(mig({"-cgi", "9"}), kNoRoomCode, "Insufficient Resources");
  expect(mig({"-dgi"}), kInUseCode, "In use by another client");
  EXPECT_EQ(mig({"-lgi"}, "user").exit_code, 4);
  expect(mig({"-dci"}), 0, "Successfully destroyed compute instance ID  0 from GPU  0 GPU instance ID  9");
  expect(mig({"-dgi"}), 0, "Successfully destroyed GPU instance ID  2 from GPU  0");
  expect(smi(client_, {"-mig", "0"}), 0, "Disabled MIG Mode for GPU");
}

INSTANTIATE_TEST_SUITE_P(Releases, MigRelease,
                         testing::Values("nvidia-smi-450", "nvidia-smi-460", "nvidia-smi-470", "nvidia-smi-525",
                                         "nvidia-smi-535", "nvidia-smi-550", "nvidia-smi-555"),
                         NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
