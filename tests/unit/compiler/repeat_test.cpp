// SPDX-License-Identifier: Apache-2.0
//
// A GPU may be described many times over in two ways: `count` of a profile, and more GPUs than there are (--gpus,
// NVMLAB_GPUS). They are one fact, so the machine is the same to the last byte, in its image and in the store.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "compiler/compile.hpp"
#include "compiler/shipped.hpp"
#include "engine/store/driver_version.hpp"
#include "engine/store/identity.hpp"
#include "engine/store/store.hpp"
#include "engine/store/system.hpp"
#include "tests/unit/compiler/scratch.hpp"

namespace nvmlab::compiler {
namespace {

constexpr const char* kHead =
    "machine: node\nsources: {s: {kind: assumed, why: x}}\nsource: s\nsystem: {driver_version: 580.105.08}\ngpus: ";

Machine compiled(const std::string& gpus, std::optional<unsigned> count = {}) {
  const test::Scratch scratch;
  CompileOptions options;
  options.gpus = count;
  auto machine = compile(scratch.file("node.yaml", kHead + gpus + "\n"), options);
  EXPECT_TRUE(machine) << gpus << '\n' << describe(machine.error());
  return machine ? std::move(*machine) : Machine{};
}

std::vector<std::string> boards() {
  std::vector<std::string> names;
  for (const ShippedProfile& profile : shipped_profiles()) {
    if (!profile.machine && compile(profile.name)) names.emplace_back(profile.name);  // families do not compile
  }
  return names;
}

std::string item(const std::string& board, unsigned count) {
  return "[{profile: " + board + ", count: " + std::to_string(count) + "}]";
}

// One leaf of a GPU as text; empty where it is not told.
std::string told(const Gpu& gpu, const char* name) {
  const FieldRef ref = *find_field(name);
  return format_value(*ref.field, reinterpret_cast<const std::byte*>(&gpu) + ref.offset, Style::yaml);
}

// Names the fields of two GPUs that differ, for a message that says more than "not equal".
std::string differences(const Gpu& a, const Gpu& b) {
  std::string names;
  for (const Topic& topic : topics()) {
    if (topic.of_node) continue;
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
      const Field& field = topic.table.fields[i];
      const auto at = topic.offset + field.offset;
      const auto* left = reinterpret_cast<const char*>(&a) + at;
      const auto* right = reinterpret_cast<const char*>(&b) + at;
      if (std::memcmp(left, right, field.size) != 0) names += std::string(topic.table.name) + "." + field.name + " ";
    }
  }
  return names;
}

void expect_same(const Machine& a, const Machine& b, const std::string& what) {
  ASSERT_EQ(a.gpu_count(), b.gpu_count()) << what;
  for (std::uint32_t i = 0; i < a.gpu_count(); ++i)
    EXPECT_EQ(differences(a.gpu(i), b.gpu(i)), "") << what << ", GPU " << i;
  EXPECT_EQ(a.image, b.image) << what;
}

TEST(Repeat, CountAndGpusAreOneMachine) {
  for (const std::string& board : boards()) {
    for (const unsigned count : {1u, 2u, 8u, 300u})
      expect_same(compiled(item(board, count)), compiled("[{profile: " + board + "}]", count), board);
  }
}

TEST(Repeat, WhateverPartOfThemIsCounted) {
  for (const std::string& board : boards()) {
    const Machine whole = compiled(item(board, 12));
    expect_same(whole, compiled(item(board, 3), 12), board);
    expect_same(whole, compiled("[{profile: " + board + "}, {profile: " + board + "}]", 12), board);
    expect_same(compiled(item(board, 5)), compiled(item(board, 12), 5), board);
  }
}

TEST(Repeat, AnItemsOwnIdentityIsCountedToo) {
  const std::string own =
      "profile: h100-sxm5-80gb, identity: {uuid: GPU-00000001-0000-4000-8000-000000000001, "
      "serial: A0098, pdi: 9, minor_number: 3, module_id: null}, pci: {domain: 2, bus: 0xFD}, "
      "fabric: {gpu_fabric_guid: 000000000000000000000000000000FF}";
  const Machine counted = compiled("[{" + own + ", count: 8}]");
  expect_same(counted, compiled("[{" + own + "}]", 8), "own");
  EXPECT_EQ(told(counted.gpu(2), "identity.serial"), "A0100");
  EXPECT_EQ(counted.gpu(7).identity.minor_number.value_or(0), 10u);
  EXPECT_EQ(counted.gpu(7).identity.module_id.code(), kNotSupported);
  EXPECT_EQ(counted.gpu(3).pci.domain.value_or(0), 3u);
}

// What the driver builds at run time, at once (a machine that is up) and GPU by GPU (its own).
TEST(Repeat, TheDriverRepeatsAsTheCompilerDoes) {
  constexpr std::uint32_t count = 24;
  for (const std::string& board : boards()) {
    const Machine one = compiled("[{profile: " + board + "}]");
    const Machine all = compiled(item(board, count));
    Image image;
    Image counted;
    ASSERT_EQ(open_image(one.image.data(), one.image.size(), &image), ImageError::none);
    ASSERT_EQ(open_image(all.image.data(), all.image.size(), &counted), ImageError::none);
    for (const bool on_demand : {false, true}) {
      const std::uint64_t size = on_demand ? store_on_demand_size(image, count) : store_size(count);
      void* memory = sys::map_private(size);
      if (on_demand) {
        build_store_on_demand(memory, image, count, "node", 7);
      } else {
        build_store(memory, image, count, "node", 7);
      }
      Store& store = *static_cast<Store*>(memory);
      for (std::uint32_t i = count; i-- > 0;) {
        if (on_demand) build_gpu(store, i);
        const auto wanted = std::make_unique<Gpu>();
        read_gpu(counted, i, wanted.get());
        refuse_deprecated(store.node.copies[0].system.driver_version, wanted.get());
        EXPECT_EQ(differences(store.slots()[i].copies[0], *wanted), "") << board << ", GPU " << i;
      }
      sys::unmap(memory, size);
    }
  }
}

// Fields that name a unit or its place, by the rows of the state, but are not different for each GPU of a node.
constexpr std::string_view kShared[] = {
    "identity.bbx_flush_time_us",  // a moment
    "fabric.chassis_serial",       // of the chassis that all sit in
    "pci.domain",
    "pci.device",  // parts of an address, which is different as a whole
    "pci.bus",
};

TEST(Repeat, WhatNamesOneUnitIsDifferentForEachGpu) {
  constexpr unsigned count = 600;
  for (const std::string& board : boards()) {
    const Machine machine = compiled("[{profile: " + board + "}]", count);
    for (const Topic& topic : topics()) {
      if (topic.of_node) continue;
      for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
        const Field& field = topic.table.fields[i];
        const std::string name = std::string(topic.table.name) + "." + field.name;
        if (!field.unit_specific || std::ranges::find(kShared, name) != std::end(kShared)) continue;
        EXPECT_NE(std::ranges::find(kIdentityFields, name), std::end(kIdentityFields)) << name;
        if (told(machine.gpu(0), name.c_str()) == "null") continue;
        std::set<std::string> seen;
        for (std::uint32_t gpu = 0; gpu < count; ++gpu)
          EXPECT_TRUE(seen.insert(told(machine.gpu(gpu), name.c_str())).second) << board << ' ' << name << ' ' << gpu;
      }
    }
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> addresses;
    for (std::uint32_t gpu = 0; gpu < count; ++gpu) {
      const Pci& pci = machine.gpu(gpu).pci;
      EXPECT_TRUE(addresses.emplace(pci.domain.value, pci.bus.value, pci.device.value).second) << board << ' ' << gpu;
    }
  }
}

// A node whose GPUs all have identities of their own, asked for fewer and for more.
TEST(Repeat, AListedNodeKeepsItsOwnAndGrows) {
  for (const char* name : {"dgx-h100", "hgx-a100-4gpu", "mixed"}) {
    const auto listed = compile(name);
    ASSERT_TRUE(listed);
    for (const unsigned count : {2u, 3 * listed->gpu_count() + 1}) {
      CompileOptions options;
      options.gpus = count;
      const auto machine = compile(name, options);
      ASSERT_TRUE(machine);
      ASSERT_EQ(machine->gpu_count(), count);
      std::set<std::string> uuids;
      std::set<std::string> minors;
      std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> addresses;
      for (std::uint32_t i = 0; i < count; ++i) {
        const Gpu& gpu = machine->gpu(i);
        if (i < listed->gpu_count()) {
          EXPECT_EQ(differences(gpu, listed->gpu(i)), "") << name << ' ' << i;
        }
        EXPECT_TRUE(uuids.insert(told(gpu, "identity.uuid")).second) << name << ' ' << i;
        EXPECT_TRUE(minors.insert(told(gpu, "identity.minor_number")).second) << name << ' ' << i;
        EXPECT_TRUE(addresses.emplace(gpu.pci.domain.value, gpu.pci.bus.value, gpu.pci.device.value).second)
            << name << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace nvmlab::compiler
