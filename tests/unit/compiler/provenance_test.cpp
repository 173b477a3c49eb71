// SPDX-License-Identifier: Apache-2.0
#include "compiler/provenance.hpp"

#include <gtest/gtest.h>

#include <set>

#include "compiler/compile.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

TEST(Provenance, EveryLeafHasANumberOfItsOwn) {
  std::set<std::uint32_t> seen;
  for (const Topic& topic : topics()) {
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
      const Field& field = topic.table.fields[i];
      if (field.type != FieldType::record) {
        EXPECT_TRUE(seen.insert(leaf_of(topic, field)).second);
        continue;
      }
      for (std::uint32_t k = 0; k < field.record->field_count; ++k) {
        const Field& member = field.record->fields[k];
        EXPECT_TRUE(seen.insert(leaf_of(topic, field, &member)).second);
        const FieldRef ref = *find_field(std::string(topic.table.name) + "." + field.name + "." + member.name);
        EXPECT_EQ(leaf_of(ref), leaf_of(topic, field, &member));
      }
    }
  }
  EXPECT_EQ(seen.size(), leaf_count());
  EXPECT_EQ(*seen.rbegin(), leaf_count() - 1);
  EXPECT_EQ(leaf_of(*find_field("nvlink.links[3].active")), leaf_of(*find_field("nvlink.links")));
}

TEST(Provenance, SaysForEachValueWhereItComesFrom) {
  test::Scratch scratch;
  scratch.file("base.yaml",
               "profile: base\nsources: {sheet: {kind: datasheet, title: A sheet, url: example.com}}\nsource: sheet\n"
               "power: {limit_mw: 1, draw_mw: 1}\necc: {sram: {source_l2: 1, source_sm: 1}}\n");
  const std::string path =
      scratch.file("g.yaml",
                   "profile: g\ninherits: base\nsources: {c: {kind: capture, file: x.xml, driver: 1.2}}\nsource: c\n"
                   "system: {driver_version: 550.163.01}\npower: {draw_mw: 2, energy_mj: {value: 3, source: sheet}}\n"
                   "ecc: {sram: {source_sm: 2}}\nclocks: {source: sheet, sm_mhz: 1}\nmodes: {display_mode: {answer: "
                   "DEPRECATED, source: sheet}}\n"
                   "memory: {used_bytes: null}\n");
  auto made = compile(path, {.gpus = 3, .driver = {}});
  ASSERT_TRUE(made) << describe(made.error());
  const auto source = [&](std::uint32_t gpu, const char* name) {
    const Source* found = made->provenance.find(gpu, *find_field(name));
    return found == nullptr ? std::string("none") : found->profile + "/" + found->id;
  };
  EXPECT_EQ(source(0, "power.limit_mw"), "base/sheet");
  EXPECT_EQ(source(0, "power.draw_mw"), "g/c");
  EXPECT_EQ(source(0, "power.energy_mj"), "base/sheet");
  EXPECT_EQ(source(0, "ecc.sram.source_l2"), "base/sheet");
  EXPECT_EQ(source(0, "ecc.sram.source_sm"), "g/c");
  EXPECT_EQ(source(0, "ecc.sram.source_pcie"), "none");
  EXPECT_EQ(source(0, "clocks.sm_mhz"), "base/sheet");
  EXPECT_EQ(source(0, "modes.display_mode"), "base/sheet");
  EXPECT_EQ(source(0, "memory.used_bytes"), "g/c");  // somebody said that there is none
  EXPECT_EQ(source(0, "memory.total_bytes"), "none");
  EXPECT_EQ(source(7, "system.driver_version"), "g/c");
  EXPECT_EQ(source(2, "power.draw_mw"), "g/c");  // a repeated GPU has its pattern's values
  EXPECT_EQ(source(2, "identity.uuid"), "/derived");
  const Source* capture = made->provenance.find(0, *find_field("power.draw_mw"));
  EXPECT_EQ(capture->kind, "capture");
  EXPECT_EQ(capture->text, "x.xml, driver 1.2");
  EXPECT_EQ(made->provenance.find(0, *find_field("power.limit_mw"))->text, "A sheet; example.com");
}

}  // namespace
}  // namespace nvmlab::compiler
