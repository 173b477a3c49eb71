// SPDX-License-Identifier: Apache-2.0
#include "compiler/documents.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "compiler/shipped.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

class DocumentFiles : public testing::Test {
 protected:
  std::string problems(const std::string& name) {
    Problems found;
    Documents documents(found);
    opened_ = documents.open(name) != nullptr;
    return test::without(scratch_.folder(), describe(found));
  }
  test::Scratch scratch_;
  bool opened_ = false;
};

TEST_F(DocumentFiles, NamesAreShippedProfilesAndPathsAreFiles) {
  EXPECT_EQ(problems("dgx-h100"), "");
  EXPECT_TRUE(opened_);
  EXPECT_EQ(problems("dgx-h10"),
            "there is no profile 'dgx-h10'; did you mean 'dgx-h100'? `nvmlab profiles` lists them; a file's name has a "
            "slash or ends in .yaml\n");
  EXPECT_EQ(
      problems("l40"),
      "there is no profile 'l40'; did you mean 'l40s', 'gpu-l40sx1-48gb' or 'l4'? `nvmlab profiles` lists them; a "
      "file's name has a slash or ends in .yaml\n");
  EXPECT_EQ(
      problems("volcano"),
      "there is no profile 'volcano'; `nvmlab profiles` lists them; a file's name has a slash or ends in .yaml\n");
  EXPECT_EQ(problems("./volcano"), "./volcano: there is no such file\n");
  EXPECT_EQ(problems("volcano.yaml"), "volcano.yaml: there is no such file\n");
  EXPECT_EQ(problems("hopper"), "'hopper' is a family that profiles inherit, not a board\n");
}

TEST_F(DocumentFiles, TheHeadMustFitTheFile) {
  const struct {
    const char* text;
    const char* problem;
  } cases[] = {
      {"doc: x\n",
       "x.yaml:1:1: neither 'profile' nor 'machine' is here; a file starts with 'profile: x' (a GPU) or 'machine: "
       "x'\n"},
      {"profile: x\nmachine: x\n",
       "x.yaml:1:1: both 'profile' and 'machine' are here; a file starts with 'profile: x' (a GPU) or 'machine: x'\n"},
      {"profile: y\n", "x.yaml:1:10: 'y' was found; the file's name says 'x'\n"},
      {"profile: [x]\n", "x.yaml:1:10: a list was found; the file's name says 'x'\n"},
      {"[1]\n", "x.yaml:1:1: a list was found; a profile is a mapping that starts with 'profile: x' or 'machine: x'\n"},
      {"profile: x\ndoc: [a]\n", "x.yaml:2:6: a list was found; 'doc' takes one line of text\n"},
      {"profile: x\nsources: 5\n",
       "x.yaml:2:10: a single value was found; 'sources' takes a mapping from a short name to what it is\n"},
      {"profile: x\nsources: {a: 5}\n",
       "x.yaml:2:11: source 'a' has no 'kind'; the kinds are: capture, datasheet, documentation, assumed, derived\n"},
      {"profile: x\nsources: {a: {kind: rumour}}\n",
       "x.yaml:2:21: 'rumour' is no kind of source; the kinds are: capture, datasheet, documentation, assumed, "
       "derived\n"},
      {"profile: x\nsources: {a: {kind: capture}}\n", "x.yaml:2:11: source 'a' is a capture, so it needs 'file'\n"},
      {"profile: x\nsources: {a: {kind: assumed, wy: b, why: c}}\n",
       "x.yaml:2:30: 'wy' says nothing about a source; did you mean 'why'?\n"},
      {"profile: x\nsources: {a: {kind: assumed, why: [b]}}\n", "x.yaml:2:35: a list was found; 'why' takes a text\n"},
      {"profile: x\nsource: a\n", "x.yaml:2:9: 'a' is not among the 'sources'; declare it there\n"},
      {"profile: x\ninherits: {a: b}\n", "x.yaml:2:11: a mapping was found; the name of a profile would be right\n"},
      {"profile: x\ninherits: dgx-h100\n", "x.yaml:2:11: 'dgx-h100' is a machine; a GPU profile would be right\n"},
      {"profile: x\ninherits: ../../etc/passwd\n",
       "x.yaml:2:11: '../../etc/passwd' is no profile; the file of one is named with .yaml\n"},
      {"machine: x\ninherits: t4\n", "x.yaml:2:11: 't4' is a GPU profile; a machine would be right\n"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(problems(scratch_.file("x.yaml", one.text)), one.problem) << one.text;
}

TEST_F(DocumentFiles, NamesGoIntoMachineFilesAndStayShort) {
  const std::string name(64, 'n');
  EXPECT_EQ(problems(scratch_.file(name + ".yaml", "profile: " + name + "\n")),
            name + ".yaml:1:10: '" + std::string(60, 'n') +
                "...' cannot be a name; at most 63 letters, digits, '-', '_' and '.' would be right\n");
  EXPECT_TRUE(problems(scratch_.file("a b.yaml", "profile: a b\n")).contains("'a b' cannot be a name"));
}

TEST_F(DocumentFiles, CirclesAreBroken) {
  scratch_.file("b.yaml", "profile: b\ninherits: a\n");
  EXPECT_EQ(problems(scratch_.file("a.yaml", "profile: a\ninherits: b\n")),
            "b.yaml:2:11: 'a' inherits itself in the end; break the circle\n");
  EXPECT_EQ(problems(scratch_.file("c.yaml", "profile: c\ninherits: c\n")),
            "c.yaml:2:11: 'c' inherits itself in the end; break the circle\n");
}

TEST_F(DocumentFiles, InheritanceHasABottom) {
  for (int i = 0; i < 40; ++i) {
    scratch_.file("p" + std::to_string(i) + ".yaml",
                  "profile: p" + std::to_string(i) + "\ninherits: p" + std::to_string(i + 1) + "\n");
  }
  EXPECT_EQ(problems((scratch_.folder() / "p0.yaml").string()),
            "p31.yaml:2:11: more than 32 profiles inherit one another\n");
}

TEST_F(DocumentFiles, WhatAFileRefersToIsLookedForBesideItFirst) {
  constexpr const char* head =
      "sources: {s: {kind: assumed, why: x}}\nsource: s\nsystem: {driver_version: 550.163.01}\n";
  scratch_.file("hopper.yaml", std::string("profile: hopper\n") + head + "power: {limit_mw: 7}\n");
  auto beside = compile(scratch_.file("mine.yaml", "profile: mine\ninherits: hopper\n"));
  ASSERT_TRUE(beside) << describe(beside.error());
  EXPECT_EQ(beside->gpu(0).power.limit_mw.value_or(0), 7u);
  // With no such file beside it, the shipped one.
  auto shipped = compile(scratch_.file("deeper/mine.yaml", std::string("profile: mine\ninherits: hopper\n") + head));
  ASSERT_TRUE(shipped) << describe(shipped.error());
  EXPECT_EQ(shipped->gpu(0).identity.architecture.value_or(0), 9u);
  // And a path is a path.
  auto path = compile(scratch_.file("deeper/other.yaml", "profile: other\ninherits: ../hopper.yaml\n"));
  ASSERT_TRUE(path) << describe(path.error());
  EXPECT_EQ(path->gpu(0).power.limit_mw.value_or(0), 7u);
}

TEST_F(DocumentFiles, ABrokenFileIsToldOnce) {
  scratch_.file("g.yaml", "profile: g\ninherits: nowhere-to-be-found\n");
  const std::string path = scratch_.file("m.yaml", "machine: m\ngpus: [{profile: g}, {profile: g}, {profile: g}]\n");
  auto made = compile(path);
  ASSERT_FALSE(made);
  ASSERT_EQ(made.error().size(), 1u) << describe(made.error());
  EXPECT_EQ(made.error()[0].line, 2u);
}

TEST_F(DocumentFiles, AMachineUsesNoFamily) {
  const std::string path = scratch_.file("m.yaml", "machine: m\ngpus: [{profile: hopper}]\n");
  auto made = compile(path);
  ASSERT_FALSE(made);
  EXPECT_EQ(test::without(scratch_.folder(), describe(made.error())),
            "m.yaml:2:18: 'hopper' is a family that profiles inherit, not a board\n");
}

}  // namespace
}  // namespace nvmlab::compiler
