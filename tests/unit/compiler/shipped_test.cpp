// SPDX-License-Identifier: Apache-2.0
//
// The shipped profiles: that they compile, that the build's machine files are what they say, and what the boards are.
// Leaf by leaf they are compared with the captures where nvidia-smi runs (tests/clients).
#include "compiler/shipped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/temp_folder.hpp"
#include "base/yaml/tree.hpp"
#include "compiler/compile.hpp"
#include "compiler/compiled_boards.hpp"

namespace nvmlab::compiler {
namespace {

Machine made(std::string_view name, const CompileOptions& options = {}) {
  auto machine = compile(name, options);
  EXPECT_TRUE(machine) << describe(machine.error());
  return machine ? std::move(*machine) : Machine{};
}

bool is_family(const ShippedProfile& profile) {
  auto root = yaml::parse(profile.text, std::string(profile.file));
  return root && root->find("abstract") != nullptr;
}

TEST(Shipped, EveryOneCompilesAndIsInTheFolderOfMachines) {
  int machines = 0;
  int boards = 0;
  for (const ShippedProfile& profile : shipped_profiles()) {
    const std::string path = std::string(std::getenv("NVMLAB_BINARY_DIR")) + "/lib/nvmlab/machines/" +
                             std::string(profile.name) + ".machine";
    if (is_family(profile)) {
      EXPECT_FALSE(std::filesystem::exists(path)) << path;
      continue;
    }
    ++(profile.machine ? machines : boards);
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const Machine machine = made(profile.name);
    ASSERT_EQ(bytes.size(), machine.image.size()) << path;
    EXPECT_EQ(std::memcmp(bytes.data(), machine.image.data(), bytes.size()), 0) << path;
  }
  EXPECT_GE(boards, 17);
  EXPECT_GE(machines, 20);
}

TEST(Shipped, NamesAreUniqueAndFilesAreWhereTheySay) {
  std::set<std::string_view> names;
  for (const ShippedProfile& profile : shipped_profiles()) {
    EXPECT_TRUE(names.insert(profile.name).second) << profile.name;
    EXPECT_TRUE(
        std::filesystem::exists(std::string(std::getenv("NVMLAB_SOURCE_DIR")) + "/" + std::string(profile.file)))
        << profile.file;
    EXPECT_EQ(find_shipped(profile.name), &profile);
  }
  EXPECT_EQ(find_shipped("nowhere"), nullptr);
  EXPECT_EQ(shipped_names().size(), shipped_profiles().size());
}

// All machines, by name.
std::vector<std::string> machines() {
  std::vector<std::string> names;
  for (const ShippedProfile& profile : shipped_profiles()) {
    if (profile.machine) names.emplace_back(profile.name);
  }
  return names;
}

TEST(Shipped, OldClientsGiveNames64Bytes) {
  for (const std::string& name : machines()) {
    const Machine machine = made(name);
    for (std::uint32_t i = 0; i < machine.gpu_count(); ++i)
      EXPECT_LT(machine.gpu(i).identity.name.length, 64u);
  }
}

// Publishers of captures replace UUIDs; what Kubernetes advertises must name one GPU in the world.
TEST(Shipped, NoGpuHasTheUuidOfACapture) {
  for (const std::string& name : machines()) {
    const Machine machine = made(name);
    for (std::uint32_t i = 0; i < machine.gpu_count(); ++i) {
      EXPECT_FALSE(std::string(machine.gpu(i).identity.uuid.data).starts_with("GPU-0000000")) << name << ", GPU " << i;
      EXPECT_EQ(machine.provenance.find(i, *find_field("identity.uuid"))->kind, "derived") << name << ", GPU " << i;
    }
  }
}

TEST(Shipped, EveryKnownValueHasASource) {
  for (const std::string& name : machines()) {
    const Machine machine = made(name);
    for (const Topic& topic : topics()) {
      for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
        const Field& field = topic.table.fields[i];
        if (field.type == FieldType::record) continue;  // its members are leaves of their own
        const FieldRef ref = *find_field(std::string(topic.table.name) + "." + field.name);
        const auto* owner = topic.of_node ? reinterpret_cast<const std::byte*>(&machine.node())
                                          : reinterpret_cast<const std::byte*>(&machine.gpu(0));
        const std::string value = *format_field(ref, owner, Style::yaml);
        if (value == "null" || value == "[]") continue;
        EXPECT_NE(machine.provenance.find(0, ref), nullptr) << name << ": " << ref.name;
      }
    }
  }
}

TEST(Shipped, DgxH100IsEightBoardsOfTheirOwn) {
  const Machine machine = made("dgx-h100");
  ASSERT_EQ(machine.gpu_count(), 8u);
  EXPECT_STREQ(machine.node().system.driver_version.data, "580.105.08");
  EXPECT_EQ(machine.node().system.cuda_version.value_or(0), 13000u);
  const std::uint32_t buses[] = {0x53, 0x64, 0x75, 0x86, 0x97, 0xA8, 0xB9, 0xCA};
  const std::uint32_t modules[] = {7, 5, 6, 8, 1, 3, 4, 2};
  const std::uint32_t draws[] = {68570, 67010, 67450, 71370, 66660, 68110, 69800, 68070};
  const std::uint32_t degrees[] = {29, 30, 29, 32, 32, 29, 31, 29};
  const std::int32_t distances[] = {58, 56, 57, 55, 55, 58, 56, 57};
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Gpu& gpu = machine.gpu(i);
    EXPECT_STREQ(gpu.identity.name.data, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(gpu.identity.serial.data, "165000000000" + std::to_string(i + 1));
    EXPECT_EQ(gpu.identity.pdi.value_or(0), i + 1);
    EXPECT_EQ(gpu.identity.module_id.value_or(0), modules[i]);
    EXPECT_STREQ(gpu.identity.board_part_number.data, i == 3 ? "965-2G520-A800-000" : "692-2G520-0200-000");
    EXPECT_EQ(gpu.pci.bus.value_or(0), buses[i]);
    EXPECT_EQ(gpu.power.draw_mw.value_or(0), draws[i]);
    EXPECT_EQ(gpu.thermal.gpu_c.value_or(0), degrees[i]);
    EXPECT_EQ(gpu.thermal.tlimit_c.value_or(0), distances[i]);
    EXPECT_EQ(gpu.modes.display_mode.code(), 26u);  // "Requested functionality has been deprecated"
    EXPECT_EQ(gpu.nvlink.links.size(), 18u);
    EXPECT_EQ(gpu.clocks.supported.size(), 2u);
    EXPECT_EQ(gpu.clocks.supported[1].graphics_mhz.size(), 110u);
    // 81559 MiB in all; 480 reserved, 81080 free and 0 used when rounded up, as nvidia-smi from 550 on prints them.
    const auto mib = [](std::uint64_t bytes) { return (bytes + 1048575) >> 20; };
    EXPECT_EQ(mib(gpu.memory.total_bytes.value), 81559u);
    EXPECT_EQ(mib(gpu.memory.reserved_bytes.value), 480u);
    EXPECT_EQ(mib(gpu.memory.total_bytes.value - gpu.memory.reserved_bytes.value - gpu.memory.used_bytes.value),
              81080u);
    EXPECT_EQ(gpu.topology.numa_node.value_or(9), i / 4);
  }
  EXPECT_EQ(machine.gpu(0).identity.bbx_flush_time_us.value_or(0), 1787237943740000u);  // 2026-08-20 14:59:03.740 UTC
}

TEST(Shipped, DgxA100IsOneCapturedBoardAndSevenLikeIt) {
  const Machine machine = made("dgx-a100");
  ASSERT_EQ(machine.gpu_count(), 8u);
  std::set<std::string> uuids;
  std::set<std::string> serials;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Gpu& gpu = machine.gpu(i);
    EXPECT_STREQ(gpu.identity.name.data, "NVIDIA A100-SXM4-40GB");
    EXPECT_EQ(gpu.nvlink.links.size(), 12u);
    EXPECT_EQ(gpu.modes.reset_required.code(), 26u);
    uuids.insert(gpu.identity.uuid.data);
    serials.insert(gpu.identity.serial.data);
  }
  EXPECT_EQ(uuids.size(), 8u);
  EXPECT_EQ(serials.size(), 8u);
  EXPECT_EQ(machine.gpu(0).pci.bus.value_or(0), 0x06u);
  EXPECT_EQ(machine.provenance.find(0, *find_field("pci.bus"))->kind, "capture");
  EXPECT_EQ(machine.provenance.find(1, *find_field("thermal.gpu_c"))->kind, "derived");
  EXPECT_EQ(machine.gpu(0).topology.cpu_affinity[0], 0xFFFF000000000000u);
}

TEST(Shipped, G4dnIsOneT4) {
  const Machine machine = made("g4dn-xlarge");
  ASSERT_EQ(machine.gpu_count(), 1u);
  const Gpu& gpu = machine.gpu(0);
  EXPECT_STREQ(gpu.identity.name.data, "Tesla T4");
  EXPECT_EQ(gpu.pci.device.value_or(0), 0x1Eu);
  EXPECT_EQ(gpu.power.state.code(), 26u);
  EXPECT_EQ(gpu.clocks.application_graphics_mhz.code(), 26u);
  EXPECT_EQ(gpu.ecc.corrected_aggregate.dram.value_or(0), 1u);
  EXPECT_EQ(gpu.modes.mig.code(), kNotSupported);
  EXPECT_EQ(gpu.clocks.supported[0].graphics_mhz.size() + gpu.clocks.supported[1].graphics_mhz.size(), 111u);
}

TEST(Shipped, TakesAnyNumberOfGpusAndAnyDriver) {
  const Machine machine = made("dgx-h100", {.gpus = 64, .driver = "550"});
  ASSERT_EQ(machine.gpu_count(), 64u);
  EXPECT_STREQ(machine.gpu(63).identity.gsp_version.data, "550.163.01");
  EXPECT_STREQ(machine.node().system.driver_branch.data, "r550_00");
  EXPECT_EQ(machine.gpu(63).pci.bus.value_or(0), 0xCAu);
}

// What a process does that names a copy of a machine's file: the same bytes, and the same problems.
TEST(Shipped, MachinesAreTheSameFromCompiledBoards) {
  const auto bytes = compile_boards();
  ASSERT_TRUE(bytes) << describe(bytes.error());
  const CompiledBoards boards{*bytes};
  const std::string source = std::string(std::getenv("NVMLAB_SOURCE_DIR")) + "/";
  for (const ShippedProfile& profile : shipped_profiles()) {
    EXPECT_EQ(boards.find(profile.name) != nullptr, !profile.machine && !is_family(profile)) << profile.name;
    if (!profile.machine) continue;
    for (const auto& driver : {std::optional<std::string>(), std::optional<std::string>("470")}) {
      const CompileOptions options{.driver = driver, .image_alone = true};
      const auto from_files = compile(source + std::string(profile.file), options);
      const auto from_boards = compile(source + std::string(profile.file), options, boards);
      ASSERT_TRUE(from_files && from_boards) << profile.name;
      EXPECT_EQ(from_files->image, from_boards->image) << profile.name;
      EXPECT_EQ(describe(from_files->notes), describe(from_boards->notes)) << profile.name;
    }
  }
}

TEST(Shipped, ProblemsAreToldAsWithoutCompiledBoards) {
  const auto bytes = compile_boards();
  ASSERT_TRUE(bytes) << describe(bytes.error());
  const TempFolder folder;
  const std::string file = folder.path() / "twins.yaml";
  std::ofstream(file) << "machine: twins\nsources: {us: {kind: assumed, why: a test}}\nsource: us\n"
                         "gpus:\n  - {profile: h100-sxm5-80gb, identity: {minor_number: 3}}\n"
                         "  - {profile: t4, identity: {minor_number: 3}}\n";
  const CompileOptions options{.image_alone = true};
  const auto from_files = compile(file, options);
  const auto from_boards = compile(file, options, CompiledBoards{*bytes});
  ASSERT_FALSE(from_files || from_boards);
  EXPECT_EQ(describe(from_boards.error()), describe(from_files.error()));
}

}  // namespace
}  // namespace nvmlab::compiler
