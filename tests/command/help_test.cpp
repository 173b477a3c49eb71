// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

class Help : public Cli {};

const std::vector<std::vector<std::string>> kCommands = {{"run"},
                                                         {"up"},
                                                         {"down"},
                                                         {"ls"},
                                                         {"get"},
                                                         {"set"},
                                                         {"profiles"},
                                                         {"profiles", "show"},
                                                         {"validate"},
                                                         {"compile"},
                                                         {"profiles", "diff"},
                                                         {"release"},
                                                         {"devices"},
                                                         {"smi"},
                                                         {"drivers"},
                                                         {"record"},
                                                         {"import"},
                                                         {"compare"},
                                                         {"mock"},
                                                         {"completion"}};

TEST_F(Help, OfTheProgram) {
  const std::string text = good({"--help"});
  EXPECT_THAT(text, StartsWith("Usage: nvmlab COMMAND"));
  for (const auto& words : kCommands)
    EXPECT_THAT(text, HasSubstr("\n  " + words.front() + " "));
  EXPECT_EQ(good({"-h"}), text);
}

TEST_F(Help, OfEachCommand) {
  for (const auto& words : kCommands) {
    std::vector<std::string> call = words;
    call.emplace_back("--help");
    const std::string text = good(call);
    std::string usage = "Usage: nvmlab";
    for (const std::string& word : words)
      usage += " " + word;
    EXPECT_THAT(text, StartsWith(usage));
    EXPECT_THAT(text, HasSubstr("-h, --help"));
    call.back() = "-h";
    EXPECT_EQ(good(call), text);
  }
}

// What a terminal of 80 columns shows has lines of 80; what nobody can break (an example, a value asked for) is
// shorter.
TEST_F(Help, FitsATerminal) {
  environment_["COLUMNS"] = "80";
  std::vector<std::vector<std::string>> calls = {{"--help"},
                                                 {"profiles"},
                                                 {"drivers"},
                                                 {"smi", "--profile", "dgx-h100"},
                                                 {"smi", "--profile", "rtx-4090-server"},
                                                 {"devices", "--profile", "mixed"},
                                                 {"get", "--profile", "dgx-h100"},
                                                 {"profiles", "show", "h100-sxm5-80gb"},
                                                 {"profiles", "show", "dgx-h100", "--provenance"}};
  for (std::vector<std::string> words : kCommands) {
    words.emplace_back("--help");
    calls.push_back(std::move(words));
  }
  for (const auto& call : calls) {
    const std::string text = good(call);
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = text.find('\n', at);
      EXPECT_LE(end - at, 80U) << call.front() << ": " << text.substr(at, end - at);
    }
  }
}

TEST_F(Help, Version) { EXPECT_THAT(good({"--version"}), MatchesRegex("nvmlab [0-9]+\\.[0-9]+\\.[0-9]+\n")); }

TEST_F(Help, WithoutACommand) {
  const Outcome bare = nvmlab({});
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_EQ(bare.out, "");
  EXPECT_THAT(bare.err, AllOf(StartsWith("Usage: nvmlab COMMAND"), HasSubstr("\n  set  "),
                              HasSubstr("a command is missing; `nvmlab help COMMAND` says more about each\n")));
  EXPECT_EQ(good({"help"}), good({"--help"}));
  EXPECT_EQ(good({"help", "profiles", "show"}), good({"profiles", "show", "--help"}));
  EXPECT_EQ(bad(2, {"rnu"}), "there is no command 'rnu'; did you mean 'run'?");
  EXPECT_THAT(bad(2, {"--verbose"}), HasSubstr("nvmlab has no option '--verbose'"));
}

TEST_F(Help, NoColourWithoutATerminalAndWithNoColor) {
  EXPECT_THAT(good({"--help"}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(nvmlab({"nope"}).err, Not(HasSubstr("\x1b")));
  if (!std::filesystem::exists("/usr/bin/script")) GTEST_SKIP() << "script(1) makes the terminal";
  const std::string call = "script -qec '\"$nvmlab\" --help' /dev/null < /dev/null";
  environment_["TERM"] = "xterm";
  environment_["NO_COLOR"] = std::nullopt;
  EXPECT_THAT(shell(call).out, HasSubstr("\x1b[1mUsage:"));
  environment_["NO_COLOR"] = "1";
  EXPECT_THAT(shell(call).out, AllOf(HasSubstr("Usage:"), Not(HasSubstr("\x1b[1m"))));
  environment_["NO_COLOR"] = std::nullopt;
  environment_["TERM"] = "dumb";
  EXPECT_THAT(shell(call).out, Not(HasSubstr("\x1b[1m")));
}

TEST_F(Help, OutputThatCannotBeWrittenIsAFailure) {
  const Outcome full = shell("\"$nvmlab\" --help > /dev/full");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("nvmlab: standard output: No space left on device"));
  const Outcome closed = shell("\"$nvmlab\" get --help >&-");
  EXPECT_EQ(closed.exit_code, 1) << closed.story();
}

TEST_F(Help, TheManPageIsBuiltAndReads) {
  const auto page = read_file(binary_folder() / "share/man/man1/nvmlab.1");
  ASSERT_TRUE(page);
  EXPECT_EQ(*page, good({"man"}));
  if (!std::filesystem::exists("/usr/bin/groff")) GTEST_SKIP() << "groff reads it";
  const Outcome shown =
      shell("groff -man -Tutf8 -ww -P-c '" + (binary_folder() / "share/man/man1/nvmlab.1").string() + "'");
  EXPECT_TRUE(shown.ok()) << shown.story();
  EXPECT_EQ(shown.err, "");
  const std::string text = std::regex_replace(shown.out, std::regex(".\b"), "");  // bold, as on a typewriter
  EXPECT_THAT(text,
              AllOf(HasSubstr("EXIT STATUS"), HasSubstr("--provenance"), HasSubstr("nvmlab run --profile dgx-h100")));
}

}  // namespace
}  // namespace nvmlab::test
