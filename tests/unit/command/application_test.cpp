// SPDX-License-Identifier: Apache-2.0
#include "command/cli/application.hpp"

#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace nvmlab::tool {
namespace {

using Words = std::vector<std::string>;

// One command line, as CLI11 understood it.
class Line {
 public:
  explicit Line(const Words& words) : call_(application_.parse(words)) {}

  const std::expected<Call, std::string>& call() const { return call_; }
  std::string_view command() const { return call_ && call_->command ? call_->command->text().name : ""; }
  Words all(const std::string& option) const { return app().get_option(option)->results(); }
  // The last one counts.
  std::string one(const std::string& option) const { return app().get_option(option)->as<std::string>(); }
  bool flag(const std::string& option) const { return app().count(option) > 0; }

 private:
  const CLI::App& app() const { return call_->command->line().app(); }

  Application application_;
  std::expected<Call, std::string> call_;
};

void expect_good(const Line& line) { EXPECT_TRUE(line.call()) << (line.call() ? "" : line.call().error()); }

std::string bad(const Words& words) {
  const Line line(words);
  EXPECT_FALSE(line.call());
  return line.call() ? "" : line.call().error();
}

TEST(Application, FindsTheCommandAndItsOptions) {
  const Line line({"up", "ci", "--profile", "dgx-h100", "--gpus=4", "-d", "550"});
  expect_good(line);
  ASSERT_EQ(line.command(), "up");
  EXPECT_EQ(line.one("NAME"), "ci");
  EXPECT_EQ(line.one("--profile"), "dgx-h100");
  EXPECT_EQ(line.one("--gpus"), "4");
  EXPECT_EQ(line.one("--driver"), "550");
  EXPECT_FALSE(Line({"ls"}).flag("--json"));
}

TEST(Application, TheLastOfTwoCounts) { EXPECT_EQ(Line({"up", "--gpus", "4", "--gpus", "5"}).one("--gpus"), "5"); }

TEST(Application, WhatMayBeRepeatedIsKeptWhole) {
  EXPECT_EQ(Line({"record", "--skip", "nvmlInit", "-o", "x", "--skip", "nvmlShutdown"}).all("--skip"),
            (Words{"nvmlInit", "nvmlShutdown"}));
}

TEST(Application, CommandsBelowCommands) {
  const Line line({"profiles", "show", "t4", "--provenance"});
  EXPECT_EQ(line.command(), "profiles show");
  EXPECT_EQ(line.one("PROFILE"), "t4");
  EXPECT_TRUE(line.flag("--provenance"));
  EXPECT_EQ(Line({"profiles", "--json"}).command(), "profiles");
}

TEST(Application, OptionsMayStandBeforeTheCommandBelow) {
  const Line line({"ps", "--machine", "ci", "-g", "3", "add", "--pid", "7"});
  expect_good(line);
  EXPECT_EQ(line.command(), "ps add");
  EXPECT_EQ(line.one("--machine"), "ci");
  EXPECT_EQ(line.one("--gpu"), "3");
  EXPECT_EQ(Line({"ps", "--machine", "add"}).command(), "ps") << "the name of a machine";
  EXPECT_EQ(Line({"ps", "--machine=ci", "ls", "--json"}).command(), "ps ls");
  EXPECT_EQ(bad({"ps", "--machine", "ci", "away"}), "unexpected argument 'away'; see `nvmlab help ps`");
}

TEST(Application, ManyWords) {
  EXPECT_EQ(Line({"get", "power", "--gpu", "0", "thermal"}).all("PATH"), (Words{"power", "thermal"}));
  EXPECT_TRUE(Line({"get"}).all("PATH").empty());
  EXPECT_EQ(Line({"set", "a.b=[1, 2]", "c.d={x: 1}", "e.f=x=y"}).all("PATH=VALUE"),
            (Words{"a.b=[1, 2]", "c.d={x: 1}", "e.f=x=y"}));
}

TEST(Application, EachInItsPlace) {
  const Line line({"compare", "--json", "a.xml", "--only=value", "b.xml"});
  EXPECT_EQ(line.one("A"), "a.xml");
  EXPECT_EQ(line.one("B"), "b.xml");
  EXPECT_TRUE(line.flag("--json"));
  EXPECT_EQ(bad({"compare", "a.xml"}), "'compare' needs B: nvmlab compare [OPTION]... A B");
  EXPECT_NE(bad({"compare", "a.xml", "b.xml", "c.xml"}).find("unexpected argument 'c.xml'"), std::string::npos);
}

TEST(Application, WordsBehindTwoDashesAreAnotherPrograms) {
  const Line line({"play", "a.yaml", "--json", "b.yaml", "--", "nvidia-smi", "--json", "--", "-q"});
  expect_good(line);
  EXPECT_EQ(line.all("SCENARIO"), (Words{"a.yaml", "b.yaml"}));
  EXPECT_EQ(line.all("--json").size(), 1U);
  expect_good(Line({"play", "--list", "--"}));
  EXPECT_NE(bad({"play", "--show"}).find("'play' has no option '--show'"), std::string::npos);
}

TEST(Application, NegativeAndEmptyValuesArePositionals) {
  EXPECT_EQ(Line({"set", "thermal.tlimit_c=-5", "system.hostname="}).all("PATH=VALUE"),
            (Words{"thermal.tlimit_c=-5", "system.hostname="}));
}

struct Split {
  const char* says;
  Words words;
  Words command;
};

TEST(Application, RunLeavesItsCommandAlone) {
  const Split cases[] = {
      {"after two dashes", {"run", "--", "ls", "-l"}, {"ls", "-l"}},
      {"without them", {"run", "ls", "-l"}, {"ls", "-l"}},
      {"options of its own first", {"run", "--gpus", "2", "-p", "t4", "ls", "--gpus", "9"}, {"ls", "--gpus", "9"}},
      {"value behind an equals sign", {"run", "--gpus=2", "ls"}, {"ls"}},
      {"its two dashes are its own", {"run", "--", "ls", "--", "x"}, {"ls", "--", "x"}},
      {"also without ours", {"run", "ls", "--", "x"}, {"ls", "--", "x"}},
      {"help of the command", {"run", "--", "ls", "--help"}, {"ls", "--help"}},
      {"its help without dashes", {"run", "ls", "--help"}, {"ls", "--help"}},
      {"words with blanks and nothing", {"run", "--", "a b", "", "$x"}, {"a b", "", "$x"}},
      {"words in brackets and braces", {"run", "printf", "[%s,%s]", "{}", "[]"}, {"printf", "[%s,%s]", "{}", "[]"}},
      {"a program called like a command of ours", {"run", "set", "x"}, {"set", "x"}},
  };
  for (const Split& each : cases) {
    const Line line(each.words);
    ASSERT_EQ(line.command(), "run") << each.says;
    EXPECT_EQ(line.all("COMMAND"), each.command) << each.says;
  }
  EXPECT_EQ(Line({"run", "--gpus", "2", "-p", "t4", "ls"}).one("--gpus"), "2");
}

TEST(Application, HelpAndVersion) {
  EXPECT_NE(Line({"--help"}).call()->text.find("Usage: nvmlab COMMAND"), std::string::npos);
  EXPECT_EQ(Line({"-h"}).call()->text, Line({"--help"}).call()->text);
  EXPECT_TRUE(Line({"--version"}).call()->text.starts_with("nvmlab "));
  const Line line({"compile", "--help"});
  EXPECT_TRUE(line.call()->text.starts_with("Usage: nvmlab compile")) << "although its argument is missing";
  EXPECT_EQ(line.command(), "compile");
  EXPECT_EQ(Line({"profiles", "show", "--help"}).command(), "profiles show");
  EXPECT_FALSE(Line({"run", "--help"}).call()->text.empty());
  EXPECT_TRUE(Line({"up", "--gpus", "many", "--help"}).call()->text.starts_with("Usage: nvmlab up"))
      << "whatever else is wrong";
  EXPECT_EQ(Line({}).call()->command, nullptr);
}

TEST(Application, WhatIsWrongIsSaid) {
  EXPECT_EQ(bad({"proflies"}), "there is no command 'proflies'; did you mean 'profiles'?");
  EXPECT_EQ(bad({"ls", "--jsno"}), "'ls' has no option '--jsno'; did you mean '--json'?");
  EXPECT_EQ(bad({"up", "a", "b"}), "unexpected argument 'b'; see `nvmlab help up`");
  EXPECT_EQ(bad({"validate"}), "'validate' needs FILE: nvmlab validate FILE...");
  EXPECT_EQ(bad({"run"}), "'run' needs COMMAND: nvmlab run [OPTION]... [--] COMMAND...");
  EXPECT_EQ(bad({"run", "--"}), "'run' needs COMMAND: nvmlab run [OPTION]... [--] COMMAND...");
  EXPECT_EQ(bad({"up", "--gpus"}), "--gpus needs a value: --gpus N");
  EXPECT_EQ(bad({"run", "--gpsu", "2", "ls"}), "'run' has no option '--gpsu'; did you mean '--gpus'?");
  EXPECT_EQ(bad({"ls", "--json=no"}), "--json takes no value");
}

}  // namespace
}  // namespace nvmlab::tool
