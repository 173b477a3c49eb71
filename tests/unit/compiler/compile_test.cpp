// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

using test::Scratch;

constexpr const char* kHead = "sources: {s: {kind: assumed, why: a test}}\nsource: s\n";

class Compile : public testing::Test {
 protected:
  // A GPU profile `g` with these topics.
  std::string gpu(const std::string& topics) {
    return scratch_.file("g.yaml", "profile: g\n" + std::string(kHead) + topics);
  }
  std::string machine(const std::string& rest) {
    return scratch_.file("m.yaml", "machine: m\n" + std::string(kHead) + rest);
  }
  std::string problems(const std::string& path, const CompileOptions& options = {}) {
    auto made = compile(path, options);
    return made ? "" : test::without(scratch_.folder(), describe(made.error()));
  }
  Scratch scratch_;
};

constexpr const char* kDriver = "system: {driver_version: 550.163.01}\n";

TEST_F(Compile, AGpuProfileAloneIsAMachineWithOneGpu) {
  auto made = compile(gpu(std::string(kDriver) + "power: {limit_mw: 300}\n"));
  ASSERT_TRUE(made) << describe(made.error());
  Image image;
  ASSERT_EQ(open_image(made->image.data(), made->image.size(), &image), ImageError::none);
  EXPECT_EQ(made->gpu_count(), 1u);
  EXPECT_STREQ(image.header->name, "g");
  EXPECT_EQ(made->gpu(0).power.limit_mw.value_or(0), 300u);
  EXPECT_STREQ(made->node().system.driver_version.data, "550.163.01");
  Gpu written{};
  read_gpu(image, 0, &written);
  EXPECT_EQ(std::memcmp(&written, &made->gpu(0), sizeof(Gpu)), 0);
}

TEST_F(Compile, LayersLieOverOneAnother) {
  scratch_.file(
      "base.yaml",
      "profile: base\nabstract: true\n" + std::string(kHead) +
          "power: {limit_mw: 1, min_limit_mw: 1, max_limit_mw: 9}\necc: {sram: {source_l2: 1, source_sm: 1}}\n"
          "topology: {cpu_affinity: [1, 2, 3]}\n");
  gpu("inherits: base\npower: {limit_mw: 2, draw_mw: 2}\necc: {sram: {source_sm: 2}}\ntopology: {cpu_affinity: [7]}\n" +
      std::string(kDriver));
  scratch_.file("frame.yaml", "machine: frame\n" + std::string(kHead) + kDriver +
                                  "defaults: {power: {draw_mw: 3, energy_mj: 3}}\ngpus: [{profile: g}]\n");
  auto made = compile(
      machine("inherits: frame\ndefaults: {power: {energy_mj: 4}}\n"
              "gpus:\n  - {profile: g, count: 2}\n  - {profile: g, power: {energy_mj: 5, min_limit_mw: null}}\n"));
  ASSERT_TRUE(made) << describe(made.error());
  ASSERT_EQ(made->gpu_count(), 3u);
  const Gpu& first = made->gpu(0);
  EXPECT_EQ(first.power.limit_mw.value_or(0), 2u);      // the profile over its base
  EXPECT_EQ(first.power.max_limit_mw.value_or(0), 9u);  // what nobody replaced
  EXPECT_EQ(first.power.draw_mw.value_or(0), 3u);       // the machine's base over the profile
  EXPECT_EQ(first.power.energy_mj.value_or(0), 4u);     // the machine over its base
  EXPECT_EQ(first.ecc.sram.source_l2.value_or(0), 1u);  // members of a record one by one
  EXPECT_EQ(first.ecc.sram.source_sm.value_or(0), 2u);
  EXPECT_EQ(first.topology.cpu_affinity.size(), 1u);  // lists as a whole
  EXPECT_EQ(made->gpu(2).power.energy_mj.value_or(0), 5u);
  EXPECT_EQ(made->gpu(2).power.min_limit_mw.code(), kNotSupported);
}

TEST_F(Compile, ANodeStartsAsItsFirstGpusProfileSays) {
  gpu("system: {driver_version: 550.163.01, hostname: from-profile}\n");
  auto made = compile(machine("system: {cpu_count: 4}\ngpus: [{profile: g}]\n"));
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_STREQ(made->node().system.hostname.data, "from-profile");
  EXPECT_EQ(made->node().system.cpu_count.value_or(0), 4u);
}

TEST_F(Compile, MachinesWithoutGpus) {
  auto made = compile(machine(std::string(kDriver) + "gpus: []\n"));
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_EQ(made->gpu_count(), 0u);
  EXPECT_EQ(problems(machine(std::string(kDriver) + "gpus: []\n"), {.gpus = 3, .driver = {}}),
            "m has no GPU that could be repeated 3 times\n");
}

TEST_F(Compile, AsManyGpusAsAskedFor) {
  gpu("identity: {serial: 1650000000001}\npci: {bus: 0x20}\n" + std::string(kDriver));
  const std::string path = machine("gpus: [{profile: g, count: 2}]\n");
  for (const unsigned count : {0u, 1u, 2u, 3u, 16u, 1024u, 4096u}) {
    auto made = compile(path, {.gpus = count, .driver = {}});
    ASSERT_TRUE(made) << describe(made.error());
    ASSERT_EQ(made->gpu_count(), count);
    std::set<std::string> uuids;
    std::set<std::string> serials;
    for (std::uint32_t i = 0; i < count; ++i) {
      uuids.insert(made->gpu(i).identity.uuid.data);
      serials.insert(made->gpu(i).identity.serial.data);
      ASSERT_EQ(made->gpu(i).identity.minor_number.value_or(9999), i);
    }
    EXPECT_EQ(uuids.size(), count);
    EXPECT_EQ(serials.size(), count);
  }
  EXPECT_EQ(problems(path, {.gpus = 4097, .driver = {}}), "4097 GPUs are too many; at most 4096 fit\n");
}

TEST_F(Compile, AnotherDriver) {
  gpu("identity: {gsp_version: 550.163.01}\n" + std::string(kDriver));
  auto made = compile(machine("gpus: [{profile: g}, {profile: g, identity: {gsp_version: custom}}]\n"),
                      {.gpus = {}, .driver = "535"});
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_STREQ(made->node().system.driver_version.data, "535.261.03");
  EXPECT_EQ(made->node().system.cuda_version.value_or(0), 12020u);
  EXPECT_STREQ(made->gpu(0).identity.gsp_version.data, "535.261.03");
  EXPECT_STREQ(made->gpu(1).identity.gsp_version.data, "custom");
  EXPECT_EQ(problems(machine("gpus: [{profile: g}]\n"), {.gpus = {}, .driver = "five"}),
            "'five' is no driver version; a branch such as 535 or a full version such as 535.161.08 would be right\n");
}

TEST_F(Compile, TheSameInputGivesTheSameBytes) {
  gpu(kDriver);
  const std::string path = machine("gpus: [{profile: g, count: 5}]\n");
  EXPECT_TRUE(compile(path)->image == compile(path)->image);
}

TEST_F(Compile, EveryValueNeedsASource) {
  const std::string text =
      "profile: g\nsources: {s: {kind: assumed, why: x}}\n"
      "system: {source: s, driver_version: 550.163.01}\n"
      "power: {limit_mw: 1, draw_mw: {value: 2, source: s}}\n"
      "ecc: {sram: {source: s, source_l2: 1}, mode: enabled}\n";
  const auto shipped = compile_text(text, "g.yaml", "g");
  ASSERT_FALSE(shipped);
  EXPECT_EQ(describe(shipped.error()),
            "g.yaml:4:19: nothing says where power.limit_mw comes from; give the file a 'source', or write {value: "
            "..., source: ...}\n"
            "g.yaml:5:46: nothing says where ecc.mode comes from; give the file a 'source', or write {value: ..., "
            "source: ...}\n");
  // A file of the user's own is one.
  const auto own = compile(scratch_.file("g.yaml", text));
  ASSERT_TRUE(own) << describe(own.error());
  const Source* source = own->provenance.find(0, *find_field("power.limit_mw"));
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->kind + ": " + source->text, "assumed: g.yaml, which names no source");
}

TEST_F(Compile, ProblemsOfProfiles) {
  std::string no_topic = "g.yaml:4:1: there is no topic 'gpus'; what may stand here are: ";
  for (const Topic& topic : topics())
    no_topic += std::string(topic.table.name) + ", ";
  no_topic += "profile, abstract, inherits, doc, sources, source\n";
  const struct {
    const char* text;
    const char* problems;
  } cases[] = {
      {"powr: {limit_mw: 1}\n", "g.yaml:4:1: there is no topic 'powr'; did you mean 'power'?\n"},
      {"power: {limt_mw: 1}\n", "g.yaml:4:9: power has no field 'limt_mw'; did you mean 'limit_mw'?\n"},
      {"power: 5\n", "g.yaml:4:8: a single value was found; power takes a mapping of its fields\n"},
      {"power: {limit_mw: {value: 1, source: t}}\n",
       "g.yaml:4:38: 't' is not among the 'sources'; did you mean 's'?\n"},
      {"power: {source: [s]}\n", "g.yaml:4:17: a list was found; 'source' takes the name of one of the 'sources'\n"},
      {"power: {limit_mw: {value: 1, unit: W}}\n",
       "g.yaml:4:30: 'unit' beside 'value'; power.limit_mw takes {value: ..., source: ...}\n"},
      {"power: {limit_mw: {val: 1}}\n", "g.yaml:4:19: a mapping was found; power.limit_mw takes a whole number (mW)\n"},
      {"ecc: {sram: 5}\n", "g.yaml:4:13: a single value was found; ecc.sram takes a mapping\n"},
      {"ecc: {sram: {sorce_l2: 5}}\n", "g.yaml:4:14: ecc.sram has no field 'sorce_l2'; did you mean 'source_l2'?\n"},
      {"gpus: []\n", no_topic.c_str()},
      {"abstract: maybe\n", "g.yaml:4:11: 'abstract' takes 'true', or is left out\n"},
      // All problems at once, in the order of the file.
      {"power: {limit_mw: -1}\nmemory: {total_bytes: x}\nclocks: {performance_state: 99}\n",
       "g.yaml:4:19: '-1' is out of range; power.limit_mw takes 0 to 4294967295\n"
       "g.yaml:5:23: 'x' is not a whole number; memory.total_bytes takes a whole number (B)\n"
       "g.yaml:6:29: '99' is out of range; clocks.performance_state takes 0 to 15\n"},
  };
  for (const auto& one : cases) {
    std::string found = problems(gpu(one.text));
    // A missing driver is no part of these cases: it is only looked for when the values are right.
    EXPECT_EQ(found, one.problems) << one.text;
  }
}

TEST_F(Compile, ProblemsOfMachines) {
  gpu(kDriver);
  const struct {
    const char* text;
    const char* problems;
  } cases[] = {
      {"", "m.yaml:1:1: no 'gpus' here and none inherited; list them: gpus: [{profile: NAME, count: N}]\n"},
      {"gpus: g\n", "m.yaml:4:7: a single value was found; 'gpus' takes a list such as [{profile: NAME, count: N}]\n"},
      {"gpus: [g]\n", "m.yaml:4:8: a single value was found; an item of 'gpus' is a mapping such as {profile: NAME}\n"},
      {"gpus: [{count: 2}]\n", "m.yaml:4:8: no 'profile' here; an item of 'gpus' names one\n"},
      {"gpus: [{profile: g, count: 0}]\n", "m.yaml:4:28: '0' was found; 'count' takes a whole number from 1 to 4096\n"},
      {"gpus: [{profile: g, count: many}]\n",
       "m.yaml:4:28: 'many' was found; 'count' takes a whole number from 1 to 4096\n"},
      {"gpus: [{profile: g, count: 4096}, {profile: g}]\ndefaults: {}\n",
       "m.yaml:4:35: more than 4096 GPUs in one machine\n"},
      {"gpus: [{profile: g, count: 4000}, {profile: g, count: 97}]\n",
       "m.yaml:4:35: more than 4096 GPUs in one machine\n"},
      {"gpus: [{profile: [g]}]\n", "m.yaml:4:18: a list was found; the name of a profile would be right\n"},
      {"power: {limit_mw: 1}\ngpus: [{profile: g}]\n",
       "m.yaml:4:1: 'power' has no place here; it belongs to each GPU and would be right under 'defaults' or in an "
       "item of 'gpus'\n"},
      {"defaults: {system: {cpu_count: 1}}\ngpus: [{profile: g}]\n",
       "m.yaml:4:12: 'system' has no place here; it belongs to the machine and would be right at the top of the "
       "file\n"},
      {"gpus: [{profile: g, system: {cpu_count: 1}}]\n",
       "m.yaml:4:21: 'system' has no place here; it belongs to the machine and would be right at the top of the "
       "file\n"},
      {"defaults: 5\ngpus: [{profile: g}]\n",
       "m.yaml:4:11: a single value was found; a mapping of topics would be right\n"},
      // A problem of the defaults is told once, however many GPUs have it.
      {"defaults: {power: {x: 1}}\ngpus: [{profile: g, count: 8}]\n",
       "m.yaml:4:20: power has no field 'x'; its fields are: management, "},
  };
  for (const auto& one : cases) {
    const std::string found = problems(machine(one.text));
    EXPECT_TRUE(found.starts_with(one.problems)) << one.text << "\n" << found;
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 1) << found;
  }
}

TEST_F(Compile, HostileFilesAreRefused) {
  EXPECT_TRUE(problems(gpu("power: " + std::string(200, '[') + "\n")).contains("nested deeper than 64 levels"));
  EXPECT_TRUE(problems(gpu(std::string("power: {limit_mw: \0 }\n", 22))).contains("not YAML: "));
  EXPECT_EQ(
      problems(gpu("power: {limit_mw: " + std::string(300, '9') + "}\n")),
      "g.yaml:4:19: '" + std::string(60, '9') +
          "...' is larger than any number here (18446744073709551615); power.limit_mw takes a whole number (mW)\n");
  EXPECT_EQ(problems(scratch_.file("g.yaml", "")),
            "g.yaml:1:1: nothing was found; a profile is a mapping that starts with 'profile: g' or 'machine: g'\n");
  EXPECT_TRUE(problems(scratch_.file("g.yaml", "profile: g\n<<: &a {b: *a}\n"))
                  .contains("an alias to an anchor that is not defined before it"));
}

}  // namespace
}  // namespace nvmlab::compiler
