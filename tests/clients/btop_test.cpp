// SPDX-License-Identifier: Apache-2.0
//
// btop, which asks NVML by the oldest names that there are (nvmlInit, nvmlDeviceGetCount ...) and draws on a terminal.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "tests/clients/shared_machine.hpp"
#include "tests/clients/terminal.hpp"
#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

constexpr std::uint32_t kBoxes = 6;  // btop has a box each for so many GPUs

class Btop : public testing::Test {
 protected:
  // With nothing but the boxes of GPUs; it shows other boxes instead if one is of a GPU that is not there. Draws
  // until it has shown all of `texts`.
  std::string btop_on(const Client& client, const std::string& machine, std::uint32_t gpus,
                      const std::vector<std::string>& texts) const {
    std::string boxes;
    for (std::uint32_t i = 0; i < std::min(gpus, kBoxes); ++i)
      boxes += fmt::format("{}gpu{}", i == 0 ? "" : " ", i);
    write_file(folder_.path() / "btop/btop.conf", fmt::format("shown_boxes = \"{}\"\n", boxes));
    const std::string program =
        fmt::format("{} run {} -- {}", nvmlab_program().string(), machine, client.program.string());
    const Outcome outcome = draw(program, folder_.path(), node_environment({}), [&texts](const auto& text) {
      return std::ranges::all_of(texts, [&text](const auto& each) { return text.find(each) != std::string::npos; });
    });
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return plain(outcome.out);
  }

 private:
  TempFolder folder_;
};

class BtopOn : public Btop, public testing::WithParamInterface<std::string> {};

TEST_P(BtopOn, ShowsEveryGpu) {
  NVMLAB_REQUIRE_CLIENT(client, "btop");
  const auto machine = compiler::compile(GetParam());
  ASSERT_TRUE(machine);
  std::string name = machine->gpu(0).identity.name.data;
  if (name.starts_with("NVIDIA ")) name = name.substr(7);
  const std::uint32_t shown = std::min(machine->gpu_count(), kBoxes);
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < shown; ++i) {
    const Gpu& gpu = machine->gpu(i);
    texts.push_back(fmt::format(" {} °C", gpu.thermal.gpu_c.value));
    texts.push_back(fmt::format(" {} W", gpu.power.draw_mw.value / 1000));
  }
  const std::string text = btop_on(client, "--profile=" + GetParam(), machine->gpu_count(), texts);
  EXPECT_GE(count(text, " " + name + " "), shown) << text;
  for (const std::string& each : texts)
    EXPECT_NE(text.find(each), std::string::npos) << each << text;
}

INSTANTIATE_TEST_SUITE_P(All, BtopOn, testing::Values("dgx-h100", "v100s-server", "gtx-1080-rig", "g6e-xlarge"),
                         NamedByParam{});

TEST_F(Btop, ShowsWhatIsSet) {
  NVMLAB_REQUIRE_CLIENT(client, "btop");
  const UpAndDown machine{"dgx-h100"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const Outcome set = nvmlab({"set", "--machine", machine.name(), "--gpu", "2", "thermal.gpu_c=77"});
  ASSERT_TRUE(set.ok()) << set.story();
  const std::string text = btop_on(client, "--machine=" + machine.name(), kBoxes, {" 77 °C"});
  EXPECT_NE(text.find(" 77 °C"), std::string::npos) << text;
}

}  // namespace
}  // namespace nvmlab::test
