// SPDX-License-Identifier: Apache-2.0
//
// Every real capture at hand is imported, and outputs of one machine are merged. What is no input is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "import/formats/collect.hpp"
#include "import/formats/foreign_format.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

namespace fs = std::filesystem;

Input input(const fs::path& path) { return {path.filename().string(), test::read_file(path).value_or("")}; }

class Captures : public testing::Test {
 protected:
  void SetUp() override {
    NVMLAB_REQUIRE_CAPTURES(folder);
    folder_ = folder;
  }
  std::vector<Input> of(std::initializer_list<const char*> names) const {
    std::vector<Input> inputs;
    for (const char* name : names)
      inputs.push_back(input(folder_ / name));
    return inputs;
  }
  fs::path folder_;
};

TEST_F(Captures, EveryFileIsImportedOrRefusedAsNone) {
  std::set<const ForeignFormat*> formats;
  std::size_t imported = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (!entry.is_regular_file()) continue;
    const auto one = input(entry.path());
    const auto found = collect(one);
    const auto made = import_captures({&one, 1}, "m");
    EXPECT_EQ(found.has_value(), made.has_value())
        << entry.path() << ": " << (made ? found.error() : made.error().front());
    if (!made) continue;
    ++imported;
    for (const Section& section : found->sections)
      formats.insert(section.format);
  }
  EXPECT_GE(imported, 30U);
  for (const ForeignFormat* format : {&kCsvFormat, &kDeviceQueryFormat, &kNcclFormat, &kTableFormat, &kVersionFormat,
                                      &kGpuListFormat, &kTopologyFormat})
    EXPECT_TRUE(formats.contains(format)) << format->name;
}

TEST_F(Captures, DeviceQueryCompletesALogOfTheSameMachine) {
  const auto made = imported(of({"thamada+nvidia-smi/RTX4090_smi.txt", "thamada+nvidia-smi/RTX4090_deviceQuery.txt"}));
  EXPECT_EQ(made.summary, "8 GPUs, 1 board");
  EXPECT_EQ(value(made, 7, "identity.core_count"), "16384");
  EXPECT_EQ(value(made, 3, "memory.bus_width_bits"), "384");
  EXPECT_EQ(value(made, 0, "cuda.clock_rate_khz"), "2520000");
  EXPECT_NE(value(made, 0, "clocks.max_sm_mhz"), "2520") << "CUDA's peak is not NVML's";
  EXPECT_EQ(made.notes, std::vector<std::string>());
}

TEST_F(Captures, AFileOfManyOutputsTellsLinksAndPlaceToo) {
  const auto made =
      imported(of({"utkuozdemir+nvidia_gpu_exporter/linux-x86_64__nvidia-h100-80gb-hbm3__590.48.01.txt"}));
  EXPECT_EQ(value(made, 0, "nvlink.links[17].speed_mbps"), "26562");
  EXPECT_EQ(value(made, 0, "topology.cpu_affinity"), "[1048575]");
  EXPECT_EQ(value(made, 0, "clocks.graphics_mhz"), "345") << "idle";
  const auto load =
      imported(of({"utkuozdemir+nvidia_gpu_exporter/linux-x86_64__nvidia-h100-80gb-hbm3__590.48.01.txt"}), {"load"});
  EXPECT_NE(value(load, 0, "clocks.graphics_mhz"), "345");
}

TEST_F(Captures, TheLayoutOfMigIsKept) {
  const auto made = imported(of({"utkuozdemir+nvidia_gpu_exporter/linux-x86_64__nvidia-h100-mig__590.48.01.txt"}));
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[0].profile_id"), "9") << "3g.40gb";
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[0].start"), "4");
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[3].id"), "10");
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[3].start"), "3");
  EXPECT_EQ(value(made, 0, "instances.compute_instances[1].gpu_instance"), "3");
  const auto load =
      imported(of({"utkuozdemir+nvidia_gpu_exporter/linux-x86_64__nvidia-h100-mig__590.48.01.txt"}), {"load"});
  EXPECT_EQ(value(load, 0, "processes.running[0].gpu_instance"), "2");
  EXPECT_EQ(value(load, 0, "processes.running[0].compute_instance"), "0");
  EXPECT_EQ(value(load, 0, "instances.gpu_instances[0].overhead_bytes"), std::to_string(39 << 20))
      << "what is used beside three processes";
}

}  // namespace
}  // namespace nvmlab::importer
