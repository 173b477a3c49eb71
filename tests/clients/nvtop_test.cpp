// SPDX-License-Identifier: Apache-2.0
//
// nvtop, which draws on a terminal: it runs in one that script(1) makes, sees every GPU with its figures, and ends when
// it is told to.
#include <gtest/gtest.h>

#include <regex>

#include <fmt/format.h>

#include "tests/clients/smi.hpp"
#include "tests/clients/terminal.hpp"
#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

class Nvtop : public testing::TestWithParam<Machine> {
 protected:
  Outcome nvtop(const Client& client, std::map<std::string, std::optional<std::string>> environment,
                const std::function<bool(const std::string&)>& shown) const {
    return draw(client.program.string(), folder_.path(), std::move(environment), shown);
  }

 private:
  TempFolder folder_;
};

TEST_P(Nvtop, ShowsEveryGpu) {
  NVMLAB_REQUIRE_CLIENT(client, "nvtop");
  const auto name = fact(facts_of(GetParam()), 0, "product_name");
  const auto shows_all = [&](const std::string& text) {
    static const std::regex figures{R"(GPU *[0-9]+MHz *MEM *[0-9]+MHz *TEMP *[0-9]+)"};
    for (unsigned gpu = 0; gpu < GetParam().gpus; ++gpu) {
      if (text.find(fmt::format("Device {} [{}]", gpu, name)) == std::string::npos) return false;
    }
    return std::regex_search(text, figures);
  };
  const auto outcome = nvtop(client, node_environment(node_of(GetParam())), shows_all);
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  const auto text = plain(outcome.out);
  EXPECT_TRUE(shows_all(text)) << text;
  EXPECT_EQ(text.find("No GPU"), std::string::npos);
}

TEST_P(Nvtop, WithoutADriverThereIsNothingToMonitor) {
  NVMLAB_REQUIRE_CLIENT(client, "nvtop");
  auto environment = node_environment(node_of(GetParam()));
  environment["NVMLAB_INIT_ERROR"] = "9";
  const auto outcome = nvtop(client, std::move(environment), [](const std::string& text) {
    return text.find("No GPU to monitor") != std::string::npos;
  });
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, 0) << outcome.story();
  EXPECT_NE(outcome.out.find("No GPU to monitor"), std::string::npos) << outcome.story();
}

INSTANTIATE_TEST_SUITE_P(All, Nvtop, testing::ValuesIn(machines),
                         [](const auto& each) { return in_underscores(each.param.profile); });

}  // namespace
}  // namespace nvmlab::test
