// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "tests/tool/cli.hpp"
#include "tests/tool/matchers.hpp"

namespace nvmlab::test {
namespace {

constexpr const char* kCapture =
    "<nvidia_smi_log>\n<driver_version>550.90.07</driver_version>\n<gpu id=\"00000000:01:00.0\">\n"
    "<product_name>NVIDIA X100</product_name>\n<product_architecture>Hopper</product_architecture>\n"
    "<temperature><gpu_temp>41 C</gpu_temp></temperature>\n"
    "<gpu_power_readings><requested_power_limit>700.00 "
    "W</requested_power_limit></gpu_power_readings>\n</gpu>\n</nvidia_smi_log>\n";

class Import : public Cli {
 protected:
  // The path of a file with that content.
  std::string with(const std::string& name, const std::string& content) const {
    EXPECT_TRUE(write_file(file(name), content));
    return file(name);
  }
  // Is refused with these words, and writes nothing.
  void refuses(const std::string& content, const std::string& words) const {
    const auto outcome = nvmlab({"import", with("in.xml", content), "-o", file("refused.yaml")});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(file("refused.yaml")));
  }
};

TEST_F(Import, MakesAProfileThatRuns) {
  const auto profile = file("node.yaml");
  EXPECT_EQ(good({"import", with("in.xml", kCapture), "--output", profile}), profile + ": 1 GPU, 1 board\n");
  EXPECT_THAT(good({"validate", profile}), HasSubstr("good: "));
  EXPECT_THAT(good({"run", "--profile", profile, "--", probe()}), StartsWith("gpus=1 "));
  EXPECT_THAT(good({"profiles", "show", profile, "--provenance"}), HasSubstr("capture: in.xml"));
}

TEST_F(Import, RefusesWhatIsNoCaptureWithFileAndLine) {
  const std::string whole = kCapture;
  refuses("", "in.xml:1:");
  refuses("hello\n", "in.xml:1:");
  refuses(whole.substr(0, whole.size() - 20), "in.xml:");
  refuses(std::string(whole).replace(whole.find("41 C"), 4, "41x C"), "in.xml:6:");
  refuses("<nvidia_smi_log><driver_version>550.90.07</driver_version></nvidia_smi_log>\n", "in.xml");
}

TEST_F(Import, LeavesAnOlderProfileAloneWhenItFails) {
  const auto kept = with("kept.yaml", "as it was\n");
  EXPECT_EQ(nvmlab({"import", with("in.xml", "nothing"), "-o", kept}).exit_code, 1);
  EXPECT_EQ(read_file(kept), "as it was\n");
}

TEST_F(Import, WantsANameForTheMachine) {
  const auto in = with("in.xml", kCapture);
  EXPECT_THAT(bad(2, {"import", in}), HasSubstr("needs --output"));
  EXPECT_THAT(bad(2, {"import", in, "-o", file("node.txt")}), HasSubstr(".yaml"));
  EXPECT_THAT(bad(2, {"import", in, "-o", file("my node.yaml")}), HasSubstr("letters"));
  EXPECT_THAT(bad(1, {"import", file("nowhere.xml"), "-o", file("node.yaml")}), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace nvmlab::test
