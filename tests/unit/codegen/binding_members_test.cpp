// SPDX-License-Identifier: Apache-2.0
#include "codegen/binding/members.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "codegen/io/files.hpp"

namespace {

using namespace nvmlab::codegen;

const BindingTypes& types() {
  static const BindingTypes loaded = [] {
    const auto inputs = load_inputs(*find_root(std::getenv("NVMLAB_SOURCE_DIR")));
    return std::move(*BindingTypes::load(*inputs));
  }();
  return loaded;
}

std::vector<TypedMember> members(std::string_view name) {
  const TypedStruct* found = types().struct_named(name);
  if (found == nullptr) return {};
  return members_of(types(), *found).value_or(std::vector<TypedMember>{});
}

const TypedMember* member(const std::vector<TypedMember>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &TypedMember::name);
  return found == all.end() ? nullptr : &*found;
}

// A field that a layout has and nobody carries would be lost without a word.
TEST(BindingMembers, EveryFieldOfEveryLayoutIsCarriedOrLeftOutOnPurpose) {
  for (const TypedStruct& type : types().structs()) {
    if (!type.shape.empty()) continue;
    const auto all = members_of(types(), type);
    ASSERT_TRUE(all) << all.error().text();
    for (std::size_t i = 0; i < type.layouts.size(); ++i) {
      std::set<std::string> carried;
      for (const TypedMember& each : *all) {
        carried.insert(each.c_names[i]);
        carried.insert(each.counts[i]);
      }
      for (const auto& [name, row] : type.rows) {
        if (row.kind == "skip") carried.insert(name);
      }
      for (const Field& field : type.layouts[i].record.fields) {
        const bool word = field.name == "version" && !type.layouts[i].version_word.empty();
        const bool reserve = field.name.starts_with("reserved") && !type.rows.contains(field.name);
        EXPECT_TRUE(word || reserve || carried.contains(field.name)) << type.layouts[i].name << "." << field.name;
      }
    }
  }
}

TEST(BindingMembers, NamesWithinAStructDiffer) {
  for (const TypedStruct& type : types().structs()) {
    if (!type.shape.empty()) continue;
    std::set<std::string> seen;
    for (const TypedMember& each : members(type.name))
      EXPECT_TRUE(seen.insert(each.name).second) << type.name << "." << each.name;
  }
}

TEST(BindingMembers, WhatAnOlderLayoutLacksIsOptional) {
  const auto memory = members("Memory");
  EXPECT_EQ(member(memory, "reserved")->type(), "std::optional<Bytes>");
  EXPECT_EQ(member(memory, "total")->type(), "Bytes");
}

TEST(BindingMembers, ACountAndItsArrayAreAList) {
  const auto status = members("ClkMonStatus");
  ASSERT_NE(member(status, "domains"), nullptr);
  EXPECT_EQ(member(status, "domains")->type(), "std::vector<ClkMonFaultInfo>");
  EXPECT_EQ(member(status, "domains")->counts.front(), "clkMonListSize");
  EXPECT_EQ(member(status, "clk_mon_list_size"), nullptr);
}

TEST(BindingMembers, RenamedFieldsAreOneMember) {
  const auto platform = members("PlatformInfo");
  const TypedMember* serial = member(platform, "chassis_serial_number");
  ASSERT_NE(serial, nullptr);
  EXPECT_EQ(serial->c_names, (std::vector<std::string>{"chassisSerialNumber", "rackGuid"}));
  EXPECT_FALSE(serial->optional);
}

TEST(BindingMembers, HandlesStayHandlesAndNumbersOfVgpusGetATypeOfTheirOwn) {
  EXPECT_EQ(member(members("GpuInstanceInfo"), "device")->type(), "abi::nvmlDevice_t");
  EXPECT_EQ(member(members("EncoderSession"), "vgpu_instance")->type(), "VgpuInstanceId");
}

// A header that brings a struct without a row brings a decision to make.
TEST(BindingMembers, EveryStructHasARow) {
  for (const TypedStruct& type : types().structs())
    EXPECT_NE(type.topic, "other") << type.layouts.front().name;
}

}  // namespace
