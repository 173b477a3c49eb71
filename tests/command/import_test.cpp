// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

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
  EXPECT_EQ(good({"import", with("in.xml", kCapture), "--output", profile}),
            profile + ": 1 GPU, 1 board; 6 of 6 leaves are carried\n");
  EXPECT_THAT(good({"validate", profile}), HasSubstr("good: "));
  EXPECT_THAT(good({"run", "--profile", profile, "--", probe()}), StartsWith("gpus=1 "));
  EXPECT_THAT(good({"profiles", "show", profile, "--provenance"}), HasSubstr("capture: in.xml"));
}

TEST_F(Import, RefusesWhatIsNoCaptureWithFileAndLine) {
  const std::string whole = kCapture;
  refuses("", "in.xml:1:");
  refuses("hello\n", "in.xml:1:");
  refuses(whole.substr(0, whole.size() - 20), "in.xml:");
  refuses("<nvidia_smi_log><driver_version>550.90.07</driver_version></nvidia_smi_log>\n", "in.xml");
}

TEST_F(Import, OneValueThatCannotBeIsLeftOut) {
  const std::string whole = kCapture;
  const auto in = with("in.xml", std::string(whole).replace(whole.find("41 C"), 4, "41x C"));
  const auto outcome = nvmlab({"import", in, "-o", file("node.yaml"), "--leaves"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("in.xml:6:15: '41x C' is no value of temperature/gpu_temp; it is left out"));
  EXPECT_THAT(outcome.err, HasSubstr("in.xml:6: temperature/gpu_temp is not carried: "));
  EXPECT_THAT(outcome.out, HasSubstr("5 of 6 leaves are carried"));
}

TEST_F(Import, LeavesAnOlderProfileAloneWhenItFails) {
  const auto kept = with("kept.yaml", "as it was\n");
  EXPECT_EQ(nvmlab({"import", with("in.xml", "nothing"), "-f", "-o", kept}).exit_code, 1);
  EXPECT_EQ(read_file(kept), "as it was\n");
}

TEST_F(Import, OverwritesNothingUnasked) {
  const auto in = with("in.xml", kCapture);
  const auto kept = with("kept.yaml", "as it was\n");
  EXPECT_THAT(bad(1, {"import", in, "-o", kept}), HasSubstr("is there already; --force replaces it"));
  EXPECT_EQ(read_file(kept), "as it was\n");
  std::filesystem::create_symlink(file("nowhere"), file("link.yaml"));
  EXPECT_THAT(bad(1, {"import", in, "-o", file("link.yaml")}), HasSubstr("is there already"));
  EXPECT_THAT(good({"import", in, "-o", kept, "--force"}), HasSubstr("1 GPU"));
  EXPECT_THAT(read_file(kept).value_or(""), HasSubstr("machine: kept"));
  const auto itself = with("itself.yaml", kCapture);
  EXPECT_THAT(bad(1, {"import", itself, "-o", itself, "--force"}), HasSubstr("is one of the captures"));
  EXPECT_EQ(read_file(itself), kCapture);
}

TEST_F(Import, ReadsAndWritesStandardStreams) {
  const auto in = with("in.xml", kCapture);
  const auto outcome = shell("\"$nvmlab\" import - -o - < '" + in + "'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("machine: imported"));
  EXPECT_THAT(outcome.err, HasSubstr("1 GPU, 1 board"));
  EXPECT_THAT(nvmlab({"import", in, "-o", "-"}).out, HasSubstr("machine: in\n"));
}

TEST_F(Import, SaysWhyAFileCannotBeRead) {
  const auto reason = [&](const std::string& name) { return bad(1, {"import", name, "-o", file("node.yaml")}); };
  EXPECT_THAT(reason(file("nowhere.xml")), HasSubstr("cannot be read: No such file or directory"));
  EXPECT_THAT(reason(file(".")), HasSubstr("cannot be read: it is a folder"));
  std::filesystem::create_symlink(file("b.xml"), file("a.xml"));
  std::filesystem::create_symlink(file("a.xml"), file("b.xml"));
  EXPECT_THAT(reason(file("a.xml")), HasSubstr("cannot be read: Too many levels of symbolic links"));
}

TEST_F(Import, TakesTheDriverFromTheUserWhereNoCaptureTellsIt) {
  const std::string whole = kCapture;
  const auto in = with("in.xml", std::string(whole).replace(whole.find("<driver_version>"), 42, ""));
  EXPECT_THAT(nvmlab({"import", in, "-o", file("node.yaml")}).err, HasSubstr("--driver 550"));
  EXPECT_THAT(good({"import", in, "-o", file("node.yaml"), "--driver", "535"}), HasSubstr("1 GPU"));
  EXPECT_THAT(good({"run", "--profile", file("node.yaml"), "--", probe()}), HasSubstr("535."));
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
