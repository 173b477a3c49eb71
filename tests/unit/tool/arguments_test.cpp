// SPDX-License-Identifier: Apache-2.0
#include "tool/arguments.hpp"

#include <gtest/gtest.h>

namespace nvmlab::tool {
namespace {

using Words = std::vector<std::string>;

Parsed good(const Words& words) {
  auto parsed = parse(words);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error());
  return parsed ? *parsed : Parsed{};
}

std::string bad(const Words& words) {
  const auto parsed = parse(words);
  EXPECT_FALSE(parsed);
  return parsed ? "" : parsed.error();
}

TEST(Arguments, FindTheCommandAndItsOptions) {
  const Parsed parsed = good({"up", "ci", "--profile", "dgx-h100", "--gpus=4", "-d", "550"});
  ASSERT_NE(parsed.command, nullptr);
  EXPECT_EQ(parsed.command->name, "up");
  EXPECT_EQ(parsed.arguments.one("NAME"), "ci");
  EXPECT_EQ(parsed.arguments.option("--profile"), "dgx-h100");
  EXPECT_EQ(parsed.arguments.option("--gpus"), "4");
  EXPECT_EQ(parsed.arguments.option("--driver"), "550");
  EXPECT_FALSE(parsed.arguments.flag("--json"));
}

TEST(Arguments, TheLastOfTwoCounts) {
  EXPECT_EQ(good({"up", "--gpus", "4", "--gpus", "5"}).arguments.option("--gpus"), "5");
}

TEST(Arguments, CommandsBelowCommands) {
  const Parsed parsed = good({"profiles", "show", "t4", "--provenance"});
  EXPECT_EQ(parsed.command->name, "profiles show");
  EXPECT_EQ(parsed.arguments.one("PROFILE"), "t4");
  EXPECT_TRUE(parsed.arguments.flag("--provenance"));
  EXPECT_EQ(good({"profiles", "--json"}).command->name, "profiles");
}

TEST(Arguments, ManyWords) {
  EXPECT_EQ(good({"get", "power", "--gpu", "0", "thermal"}).arguments.all("PATH"), (Words{"power", "thermal"}));
  EXPECT_TRUE(good({"get"}).arguments.all("PATH").empty());
  EXPECT_EQ(good({"set", "a.b=[1, 2]", "c.d={x: 1}", "e.f=x=y"}).arguments.all("PATH=VALUE"),
            (Words{"a.b=[1, 2]", "c.d={x: 1}", "e.f=x=y"}));
}

TEST(Arguments, EachInItsPlace) {
  const Parsed parsed = good({"compare", "--json", "a.xml", "--only=value", "b.xml"});
  EXPECT_EQ(parsed.arguments.one("A"), "a.xml");
  EXPECT_EQ(parsed.arguments.one("B"), "b.xml");
  EXPECT_TRUE(parsed.arguments.flag("--json"));
  EXPECT_EQ(bad({"compare", "a.xml"}), "'compare' needs B: nvmlab compare [OPTION]... A B");
  EXPECT_NE(bad({"compare", "a.xml", "b.xml", "c.xml"}).find("'c.xml' is one word too many"), std::string::npos);
}

TEST(Arguments, NegativeAndEmptyValuesArePositionals) {
  EXPECT_EQ(good({"set", "thermal.tlimit_c=-5", "system.hostname="}).arguments.all("PATH=VALUE"),
            (Words{"thermal.tlimit_c=-5", "system.hostname="}));
}

struct Split {
  const char* says;
  Words words;
  Words command;
};

TEST(Arguments, RunLeavesItsCommandAlone) {
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
      {"a program called like a command of ours", {"run", "set", "x"}, {"set", "x"}},
  };
  for (const Split& each : cases) {
    const Parsed parsed = good(each.words);
    EXPECT_EQ(parsed.command->name, "run") << each.says;
    EXPECT_EQ(parsed.arguments.command, each.command) << each.says;
  }
  EXPECT_EQ(good({"run", "--gpus", "2", "-p", "t4", "ls"}).arguments.option("--gpus"), "2");
}

TEST(Arguments, HelpAndVersion) {
  EXPECT_TRUE(good({"--help"}).help);
  EXPECT_TRUE(good({"-h"}).help);
  EXPECT_TRUE(good({"--version"}).version);
  const Parsed parsed = good({"compile", "--help"});
  EXPECT_TRUE(parsed.help) << "although its argument is missing";
  EXPECT_EQ(parsed.command->name, "compile");
  EXPECT_EQ(good({"profiles", "show", "--help"}).command->name, "profiles show");
  EXPECT_TRUE(good({"run", "--help"}).help);
  EXPECT_EQ(good({}).command, nullptr);
}

TEST(Arguments, WhatIsWrongIsSaid) {
  EXPECT_EQ(bad({"proflies"}), "'proflies' is no command; did you mean 'profiles'?");
  EXPECT_EQ(bad({"ls", "--jsno"}), "'--jsno' is no option of 'ls'; did you mean '--json'?");
  EXPECT_EQ(bad({"up", "a", "b"}), "'b' is one word too many for 'up'; see `nvmlab up --help`");
  EXPECT_EQ(bad({"validate"}), "'validate' needs FILE: nvmlab validate FILE...");
  EXPECT_EQ(bad({"run"}), "'run' needs COMMAND: nvmlab run [OPTION]... [--] COMMAND...");
  EXPECT_EQ(bad({"run", "--"}), "'run' needs COMMAND: nvmlab run [OPTION]... [--] COMMAND...");
  EXPECT_EQ(bad({"up", "--gpus"}), "--gpus needs a value: --gpus N");
  EXPECT_EQ(bad({"run", "--gpsu", "2", "ls"}), "'--gpsu' is no option of 'run'; did you mean '--gpus'?");
  EXPECT_EQ(bad({"ls", "--json=no"}), "--json takes no value");
}

}  // namespace
}  // namespace nvmlab::tool
