// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <sstream>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

class Completion : public Cli {
 protected:
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
      all.push_back(line);
    return all;
  }

  // What bash offers when the last of `words` is being completed.
  std::vector<std::string> offers(const std::vector<std::string>& words) const {
    std::string script = "source <(\"$nvmlab\" completion bash); COMP_WORDS=(\"$nvmlab\"";
    for (const std::string& word : words)
      script += " '" + word + "'";
    script += "); COMP_CWORD=" + std::to_string(words.size()) + "; _nvmlab; printf '%s\\n' \"${COMPREPLY[@]}\"";
    const Outcome outcome = shell(script);
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    EXPECT_EQ(outcome.err, "") << script;
    auto all = lines(outcome.out);
    std::erase(all, "");
    return all;
  }
};

TEST_F(Completion, CommandsAndOptions) {
  EXPECT_THAT(offers({""}),
              IsSupersetOf({"run", "up", "down", "ls", "get", "set", "profiles", "validate", "compile", "--help"}));
  EXPECT_THAT(offers({""}), Not(Contains("words")));
  EXPECT_THAT(offers({"val"}), ElementsAre({"validate"}));
  EXPECT_THAT(offers({"ls", "--"}), ElementsAre({"--json", "--help"}));
  EXPECT_THAT(offers({"run", "--p"}), ElementsAre({"--profile"}));
  EXPECT_THAT(offers({"profiles", "s"}), ElementsAre({"show"}));
  EXPECT_THAT(offers({"profiles", ""}), ElementsAre({"show", "diff"}));
  EXPECT_THAT(offers({"profiles", "show", "--pro"}), ElementsAre({"--provenance"}));
  EXPECT_THAT(offers({"profiles", "diff", "--on"}), ElementsAre({"--only"}));
}

TEST_F(Completion, NamesThatExist) {
  EXPECT_THAT(offers({"run", "--profile", "dgx-"}), IsSupersetOf({"dgx-a100", "dgx-h100"}));
  EXPECT_THAT(offers({"profiles", "show", "t"}), Contains("t4"));
  EXPECT_THAT(offers({"profiles", "show", "--driver", "53"}), ElementsAre({"530", "535"}));
  EXPECT_THAT(offers({"run", "--log", "t"}), ElementsAre({"trace"}));
  EXPECT_THAT(offers({"run", "--driver", "53"}), ElementsAre({"530", "535"}));
  EXPECT_THAT(offers({"completion", ""}), ElementsAre({"bash", "zsh", "fish"}));
  EXPECT_THAT(offers({"get", "power.li"}), ElementsAre({"power.limit_mw"}));
  EXPECT_THAT(offers({"play", "slow"}), ElementsAre({"slow-driver"}));
  EXPECT_THAT(offers({"down", ""}), ElementsAre({}));
  good({"up", "ci", "--profile", "t4"});
  good({"up", "--gpus", "2"});
  EXPECT_THAT(offers({"down", ""}), ElementsAre({"ci", "default"}));
  EXPECT_THAT(offers({"run", "-m", "c"}), ElementsAre({"ci"}));
  EXPECT_THAT(offers({"get", "--gpu", ""}), IsSupersetOf({"all", "0", "1"}));
}

TEST_F(Completion, ValuesOfAField) {
  EXPECT_THAT(offers({"set", "modes.persis"}), ElementsAre({"modes.persistence="}));
  EXPECT_THAT(offers({"set", "modes.persistence", "="}), ElementsAre({"disabled", "enabled"})) << "as bash cuts it";
  EXPECT_THAT(offers({"set", "modes.persistence", "=", "en"}), ElementsAre({"enabled"}));
  EXPECT_THAT(offers({"set", "clocks.event_reasons", "=", "hw_th"}), ElementsAre({"hw_thermal_slowdown"}));
  EXPECT_THAT(offers({"set", "identity.multi_gpu_board", "="}), ElementsAre({"yes", "no"}));
  EXPECT_THAT(offers({"set", "power.limit_mw", "="}), ElementsAre({}));
  EXPECT_EQ(good({"words", "assignments", "modes.compute_mode="}).substr(0, 27), "modes.compute_mode=default\n");
  EXPECT_EQ(good({"words", "assignments", "no.field="}), "");
}

TEST_F(Completion, BehindTwoDashesNothingIsOurs) {
  ASSERT_TRUE(write_file(file("train.py"), ""));
  EXPECT_THAT(offers({"run", "--", "python3", "--"}), ElementsAre({}));
  EXPECT_THAT(offers({"run", "--", "cat", "--profile", ""}), Not(Contains("dgx-h100")));
  EXPECT_THAT(offers({"run", "-p", "t4", "--", "python3", file("tr")}), ElementsAre({file("train.py")}));
  EXPECT_THAT(offers({"run", "--pr"}), ElementsAre({"--profile"})) << "before them";
  // To the other program's own completion, where bash has the means to hand over.
  const Outcome handed = shell(
      "source <(\"$nvmlab\" completion bash); _command_offset() { COMPREPLY=(\"from $1\"); }; "
      "COMP_WORDS=(\"$nvmlab\" run -p t4 -- python3 --ver); COMP_CWORD=6; _nvmlab; printf '%s\\n' \"${COMPREPLY[@]}\"");
  EXPECT_TRUE(handed.ok()) << handed.story();
  EXPECT_EQ(handed.out, "from 5\n");
  EXPECT_THAT(good({"completion", "zsh"}), HasSubstr("(-)*::command:_normal"));
}

TEST_F(Completion, FilesWhereFilesAreMeant) {
  ASSERT_TRUE(write_file(file("my node.yaml"), ""));
  EXPECT_THAT(offers({"validate", file("my")}), ElementsAre({file("my node.yaml")}));
  EXPECT_THAT(offers({"run", "-p", file("my")}), ElementsAre({file("my node.yaml")}));
}

TEST_F(Completion, WordsSayNothingWhenSomethingIsWrong) {
  EXPECT_EQ(good({"words"}), "");
  EXPECT_EQ(good({"words", "nonsense"}), "");
  EXPECT_EQ(good({"words", "machines"}), "");
  EXPECT_EQ(good({"words", "gpus"}), "all\n");
}

TEST_F(Completion, ScriptsAreBuiltAndTheirShellsReadThem) {
  const std::filesystem::path share = binary_folder() / "share";
  EXPECT_EQ(read_file(share / "bash-completion/completions/nvmlab"), good({"completion", "bash"}));
  EXPECT_EQ(read_file(share / "zsh/site-functions/_nvmlab"), good({"completion", "zsh"}));
  EXPECT_EQ(read_file(share / "fish/vendor_completions.d/nvmlab.fish"), good({"completion", "fish"}));
  for (const std::string name : {"bash", "zsh", "fish"}) {
    const Outcome there = shell("command -v " + name);
    if (!there.ok()) continue;
    const Outcome read = shell("\"$nvmlab\" completion " + name + " | " + name + " -n");
    EXPECT_TRUE(read.ok()) << name << ": " << read.story();
  }
  EXPECT_THAT(bad(2, {"completion", "tcsh"}), HasSubstr("bash, zsh or fish was expected"));
  EXPECT_THAT(bad(2, {"completion"}), HasSubstr("'completion' needs SHELL"));
}

}  // namespace
}  // namespace nvmlab::test
