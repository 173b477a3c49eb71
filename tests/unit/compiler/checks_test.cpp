// SPDX-License-Identifier: Apache-2.0
#include "compiler/checks.hpp"

#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

class Checks : public testing::Test {
 protected:
  std::string problems(const std::string& topics, const std::string& gpus = "[{profile: g}]") {
    constexpr const char* head = "sources: {s: {kind: assumed, why: x}}\nsource: s\n";
    scratch_.file("g.yaml", std::string("profile: g\n") + head + "system: {driver_version: 550.163.01}\n" + topics);
    auto made = compile(scratch_.file("m.yaml", std::string("machine: m\n") + head + "gpus: " + gpus + "\n"));
    return made ? "" : test::without(scratch_.folder(), describe(made.error()));
  }
  test::Scratch scratch_;
};

TEST_F(Checks, ValuesThatDoNotFitTogether) {
  const struct {
    const char* topics;
    const char* problem;
  } cases[] = {
      {"memory: {total_bytes: 100, reserved_bytes: 60, used_bytes: 40}\n", ""},
      {"memory: {total_bytes: 100, reserved_bytes: 60, used_bytes: 41}\n",
       "g.yaml:5:60: memory.used_bytes 41 and memory.reserved_bytes 60 together are more than memory.total_bytes "
       "100\n"},
      {"memory: {total_bytes: 100, reserved_bytes: 18446744073709551615}\n",
       "g.yaml:5:44: memory.used_bytes 0 and memory.reserved_bytes 18446744073709551615 together are more than "
       "memory.total_bytes 100\n"},
      {"memory: {bar1_total_bytes: 5, bar1_used_bytes: 6}\n",
       "g.yaml:5:48: memory.bar1_used_bytes 6 is more than memory.bar1_total_bytes 5\n"},
      {"power: {min_limit_mw: 1, default_limit_mw: 2, max_limit_mw: 3, limit_mw: 3}\n", ""},
      {"power: {min_limit_mw: 5, max_limit_mw: 3}\n",
       "g.yaml:5:23: power.min_limit_mw 5 is above power.max_limit_mw 3\n"},
      {"power: {default_limit_mw: 4, max_limit_mw: 3}\n",
       "g.yaml:5:27: power.default_limit_mw 4 is above power.max_limit_mw 3\n"},
      {"power: {min_limit_mw: 4, default_limit_mw: 3}\n",
       "g.yaml:5:23: power.min_limit_mw 4 is above power.default_limit_mw 3\n"},
      {"power: {limit_mw: 4, max_limit_mw: 3}\n", "g.yaml:5:19: power.limit_mw 4 is above power.max_limit_mw 3\n"},
      {"power: {limit_mw: 4, min_limit_mw: 5}\n", "g.yaml:5:36: power.min_limit_mw 5 is above power.limit_mw 4\n"},
      {"power: {module_min_limit_mw: 5, module_max_limit_mw: 3}\n",
       "g.yaml:5:30: power.module_min_limit_mw 5 is above power.module_max_limit_mw 3\n"},
      {"clocks: {max_graphics_mhz: 10, max_memory_mhz: 5, supported: [{memory_mhz: 5, graphics_mhz: [10, 9]}]}\n", ""},
      {"clocks: {max_graphics_mhz: 11, supported: [{memory_mhz: 5, graphics_mhz: [10, 9]}]}\n",
       "g.yaml:5:28: clocks.max_graphics_mhz 11 is not among the graphics clocks of clocks.supported\n"},
      {"clocks: {max_memory_mhz: 6, supported: [{memory_mhz: 5, graphics_mhz: [10, 9]}]}\n",
       "g.yaml:5:26: clocks.max_memory_mhz 6 is not among the memory clocks of clocks.supported\n"},
      {"clocks: {max_memory_mhz: 6}\n", ""},  // no list, nothing to be among
      {"identity: {uuid: GPU-1}\n",
       "g.yaml:5:18: 'GPU-1' is no UUID of a GPU; GPU- (which integrated GPUs do without), 32 hexadecimal digits in "
       "lower case and dashes between them would be right\n"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(problems(one.topics), one.problem) << one.topics;
}

TEST_F(Checks, IdentitiesAreUnique) {
  const std::string uuid = "GPU-00000001-0000-4000-8000-000000000001";
  EXPECT_EQ(
      problems("", "[{profile: g, identity: {uuid: " + uuid + "}}, {profile: g, identity: {uuid: " + uuid + "}}]"),
      "m.yaml:4:112: GPU 0 and GPU 1 have the same UUID " + uuid + "\n");
  EXPECT_EQ(problems("", "[{profile: g, identity: {serial: 5}}, {profile: g, identity: {serial: 5}}]"), "")
      << "two GPUs of one module";
  EXPECT_EQ(problems("", "[{profile: g}, {profile: g, identity: {minor_number: 0}}]"),
            "m.yaml:4:60: GPU 0 and GPU 1 have the same minor number 0\n");
  EXPECT_EQ(problems("", "[{profile: g, pci: {bus: 7}}, {profile: g, pci: {bus: 7}}]"),
            "m.yaml:4:61: GPU 0 and GPU 1 have the same PCI address 00000000:07:00.0\n");
  EXPECT_EQ(problems("", "[{profile: g, pci: {bus: 7}}, {profile: g, pci: {bus: 7, device: 1}}]"), "");
}

TEST_F(Checks, ANodeHasADriver) {
  constexpr const char* head = "sources: {s: {kind: assumed, why: x}}\nsource: s\n";
  const auto alone = [&](const std::string& text) {
    auto made = compile(scratch_.file("x.yaml", "profile: x\n" + std::string(head) + text));
    return made ? "" : test::without(scratch_.folder(), describe(made.error()));
  };
  EXPECT_EQ(alone(""), "x.yaml:1:1: system.driver_version is missing; a node has a driver\n");
  EXPECT_EQ(alone("system: {driver_version: {answer: UNKNOWN}}\n"),
            "x.yaml:4:26: system.driver_version is missing; a node has a driver\n");
  for (const char* wrong : {"550", "five.five", "550.163.01.2", "550..1"}) {
    EXPECT_EQ(
        alone(std::string("system: {driver_version: ") + wrong + "}\n"),
        std::string("x.yaml:4:26: '") + wrong + "' is no driver version; one such as 535.161.08 would be right\n");
  }
  EXPECT_EQ(alone("system: {driver_version: 331.79}\n"),
            "x.yaml:4:26: '331.79' is older than 340, the oldest driver that can be simulated\n");
  EXPECT_EQ(alone("system: {driver_version: 999.1}\n"),
            "x.yaml:4:26: '999.1' is newer than 620, the newest driver that can be simulated\n");
}

// People overclock, and drivers print what they print: what a capture says stands, with a note.
TEST_F(Checks, WhatACaptureSaysStands) {
  constexpr const char* head = "profile: c\nsources: {s: {kind: capture, file: f}}\nsource: s\n";
  constexpr const char* odd =
      "system: {driver_version: 331.79}\n"
      "clocks: {max_graphics_mhz: 11, supported: [{memory_mhz: 5, graphics_mhz: [10, 9]}]}\n"
      "power: {limit_mw: 4, max_limit_mw: 3}\n";
  const auto made = compile(scratch_.file("c.yaml", std::string(head) + odd));
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_EQ(
      test::without(scratch_.folder(), describe(made->notes)),
      "c.yaml:4:26: '331.79' is older than 340, the oldest driver that can be simulated: it has the functions of "
      "that one\n"
      "c.yaml:5:28: clocks.max_graphics_mhz 11 is not among the graphics clocks of clocks.supported; a capture says "
      "so, and it stands\n"
      "c.yaml:6:19: power.limit_mw 4 is above power.max_limit_mw 3; a capture says so, and it stands\n");
}

// A value of one's own that does not fit to what a family says is the mistake, and not the family's.
TEST_F(Checks, TheMistakeIsInOnesOwnFile) {
  const auto made =
      compile(scratch_.file("o.yaml",
                            "profile: o\ninherits: h100-sxm5-80gb\nsources: {s: {kind: assumed, why: x}}\n"
                            "source: s\nmemory: {total_bytes: 5}\n"));
  ASSERT_FALSE(made);
  EXPECT_TRUE(test::without(scratch_.folder(), describe(made.error())).starts_with("o.yaml:5:23: memory.used_bytes"))
      << describe(made.error());
}

}  // namespace
}  // namespace nvmlab::compiler
