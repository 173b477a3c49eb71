// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class Profiles : public Cli {};

TEST_F(Profiles, TheListTellsWhatThereIs) {
  const std::string list = good({"profiles"});
  EXPECT_THAT(list, StartsWith("MACHINE "));
  EXPECT_THAT(list, HasSubstr("\nBOARD "));
  std::size_t begin = 0;
  for (std::size_t end = list.find('\n'); end != std::string::npos; end = list.find('\n', begin)) {
    EXPECT_LE(end - begin, 120U) << list.substr(begin, end - begin);
    begin = end + 1;
  }
  for (const char* name :
       {"dgx-a100", "dgx-b200", "gb300-nvl4", "g4dn-xlarge", "mixed", "h100-sxm5-80gb", "gtx-1080"}) {
    EXPECT_THAT(list, HasSubstr(name));
  }
  EXPECT_THAT(list, Not(HasSubstr("hopper "))) << "families are no boards";
}

TEST_F(Profiles, TheListAsJson) {
  const json list = json::parse(good({"profiles", "--json"}));
  const auto find = [&](const std::string& name) {
    for (const json& each : list) {
      if (each["name"] == name) return each;
    }
    return json();
  };
  EXPECT_EQ(find("dgx-h100")["kind"], "machine");
  EXPECT_EQ(find("dgx-h100")["gpus"], 8);
  EXPECT_EQ(find("dgx-h100")["driver"], "580.105.08");
  EXPECT_GT(find("dgx-h100")["values"]["capture"], 500);
  EXPECT_EQ(find("t4")["kind"], "GPU");
  EXPECT_EQ(find("hopper")["kind"], "family");
  for (const json& each : list)
    EXPECT_FALSE(each["doc"].get<std::string>().empty()) << each["name"];
}

TEST_F(Profiles, EveryShippedProfileIsValidAndRuns) {
  for (const json& each : json::parse(good({"profiles", "--json"}))) {
    if (each["kind"] == "family") continue;
    const std::string name = each["name"];
    EXPECT_THAT(good({"validate", name}), StartsWith(name + ": good: "));
    EXPECT_THAT(good({"run", "--profile", name, "--", probe()}), StartsWith("gpus=" + each["gpus"].dump() + " "));
  }
}

TEST_F(Profiles, ShowSaysWhatAndWhereFrom) {
  const std::string shown = good({"profiles", "show", "t4"});
  EXPECT_THAT(shown, StartsWith("t4: 1 x Tesla T4, driver "));
  EXPECT_THAT(shown, HasSubstr("\nidentity.name "));
  EXPECT_THAT(shown, Not(HasSubstr("SOURCE")));
  const std::string sources = good({"profiles", "show", "t4", "--provenance"});
  EXPECT_THAT(sources, AllOf(HasSubstr("SOURCE"), HasSubstr("capture: "), HasSubstr("assumed: ")));
  EXPECT_EQ(json::parse(good({"profiles", "show", "dgx-h100", "--json", "--gpus", "3"}))["gpus"].size(), 3u);
  EXPECT_THAT(good({"profiles", "show", "t4", "--driver", "550"}), HasSubstr("driver 550."));
  EXPECT_THAT(bad(1, {"profiles", "show", "t5"}), HasSubstr("there is no profile 't5'"));
}

TEST_F(Profiles, ValidateReportsEveryProblemWithItsPlace) {
  ASSERT_TRUE(write_file(file("good.yaml"), "profile: good\ninherits: t4\n"));
  ASSERT_TRUE(write_file(file("bad.yaml"),
                         "profile: bad\ninherits: t4\nsources: {mine: {kind: assumed, why: a test}}\nsource: mine\n"
                         "power:\n  limit_mv: 70000\n  draw_mw: lots\n"));
  EXPECT_THAT(good({"validate", file("good.yaml")}), HasSubstr("good.yaml: good: 1 x Tesla T4"));
  const Outcome outcome = nvmlab({"validate", file("good.yaml"), file("bad.yaml"), file("absent.yaml")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("good.yaml: good: "));
  EXPECT_THAT(outcome.err, HasSubstr(file("bad.yaml") + ":6:3: "));
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'limit_mw'?"));
  EXPECT_THAT(outcome.err, HasSubstr(file("bad.yaml") + ":7:12: 'lots' is not a whole number"));
  EXPECT_THAT(outcome.err, HasSubstr("absent.yaml"));
  EXPECT_THAT(outcome.err, HasSubstr("nvmlab: 3 problems in 2 of 3 files\n"));
}

TEST_F(Profiles, AFileNeedsNoSlash) {
  ASSERT_TRUE(write_file(file("mine"), "profile: mine\ninherits: t4\n"));
  const Outcome outcome =
      shell("cd '" + file("") + "' && \"$nvmlab\" validate mine && \"$nvmlab\" compile mine -o mine.machine");
  EXPECT_TRUE(outcome.ok()) << outcome.story();
}

TEST_F(Profiles, CompileMakesAFileThatTheDriverTakes) {
  EXPECT_THAT(good({"compile", "dgx-h100", "--gpus", "16", "--driver", "550", "-o", file("x.machine")}),
              HasSubstr("x.machine: 16 x NVIDIA H100 80GB HBM3, driver 550."));
  EXPECT_THAT(good({"validate", file("x.machine")}), HasSubstr("good: 16 x"));
  EXPECT_THAT(good({"profiles", "show", file("x.machine")}), HasSubstr("16 x NVIDIA H100"));
  EXPECT_THAT(bad(1, {"profiles", "show", file("x.machine"), "--provenance"}), HasSubstr("its profile does"));
  good({"up", "m", "--profile", file("x.machine")});
  EXPECT_THAT(good({"run", "-m", "m", probe(), "15"}), StartsWith("gpus=16 "));
}

TEST_F(Profiles, CompileSaysWhatIsWrong) {
  EXPECT_EQ(bad(2, {"compile", "t4"}), "'compile' needs --output FILE.machine");
  EXPECT_THAT(bad(2, {"compile", "t4", "-o", file("x.bin")}), HasSubstr("ends in .machine"));
  EXPECT_THAT(bad(1, {"compile", "t4", "-o", file("no/x.machine")}), HasSubstr("No such file or directory"));
  EXPECT_THAT(bad(1, {"compile", "t9", "-o", file("x.machine")}), HasSubstr("there is no profile 't9'"));
  EXPECT_THAT(bad(2, {"compile"}), HasSubstr("'compile' needs PROFILE"));
}

TEST_F(Profiles, DriversAreListed) {
  const std::string table = good({"drivers"});
  EXPECT_THAT(table, StartsWith("BRANCH  VERSION     CUDA\n   340  340.108     6.5\n"));
  EXPECT_THAT(table, HasSubstr("\n   535  535.261.03  12.2\n"));
  EXPECT_EQ(table.find("535.86"), table.npos) << "a branch that changed on its way stands once";
  const json list = json::parse(good({"drivers", "--json"}));
  EXPECT_EQ(list[0]["branch"], 340);
  for (const json& driver : list)
    EXPECT_THAT(good({"up", "d" + driver["version"].get<std::string>(), "-p", "t4", "-d", driver["version"]}),
                HasSubstr(driver["version"].get<std::string>()));
}

// A first file of one's own need not say where its numbers are from; the shipped ones have to.
TEST_F(Profiles, AFileWithoutSourcesIsAssumed) {
  ASSERT_TRUE(write_file(file("mine.yaml"), "machine: mine\ngpus: [{profile: t4, thermal: {gpu_c: 60}}]\n"));
  EXPECT_THAT(good({"validate", file("mine.yaml")}), HasSubstr("good"));
  EXPECT_THAT(good({"profiles", "show", file("mine.yaml"), "--provenance"}),
              HasSubstr("assumed: mine.yaml, which names no source"));
}

}  // namespace
}  // namespace nvmlab::test
