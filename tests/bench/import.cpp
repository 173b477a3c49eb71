// SPDX-License-Identifier: Apache-2.0
//
// Import of captures: a made-up log of eight GPUs that is as long as the longest captures are, and the longest real
// capture in the folder that NVMLAB_CAPTURES names. The project's limit for it is 200 ms.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "import/importer.hpp"
#include "tests/bench/driver.hpp"

namespace nvmlab::bench {
namespace {

std::string made_up_log() {
  std::string clocks;
  for (int memory = 0; memory < 2; ++memory) {
    clocks += fmt::format("<supported_mem_clock><value>{} MHz</value>\n", 3996 - 1000 * memory);
    for (int step = 0; step < 130; ++step)
      clocks += fmt::format("<supported_graphics_clock>{} MHz</supported_graphics_clock>\n", 1980 - 15 * step);
    clocks += "</supported_mem_clock>\n";
  }
  std::string log = "<nvidia_smi_log>\n<driver_version>580.105.08</driver_version>\n";
  for (int gpu = 0; gpu < 8; ++gpu) {
    log += fmt::format(
        "<gpu id=\"00000000:{0:02X}:00.0\">\n<product_name>NVIDIA X100</product_name>\n"
        "<product_architecture>Hopper</product_architecture>\n<uuid>GPU-0000000{0}-0000-4000-8000-000000000000</uuid>\n"
        "<pci><pci_bus>{0:02X}</pci_bus><pci_device>00</pci_device><pci_device_id>233010DE</pci_device_id></pci>\n",
        gpu + 1);
    for (const char* view : {"volatile", "aggregate"}) {
      log += fmt::format(
          "<ecc_errors><{0}><sram_correctable>0</sram_correctable><dram_correctable>0</dram_correctable>"
          "</{0}></ecc_errors>\n",
          view);
    }
    for (int sensor = 0; sensor < 150; ++sensor)
      log += fmt::format("<sensor_{0}><value_{0}>{0} C</value_{0}></sensor_{0}>\n", sensor);
    log += "<supported_clocks>\n" + clocks + "</supported_clocks>\n</gpu>\n";
  }
  return log + "</nvidia_smi_log>\n";
}

std::filesystem::path longest_capture() {
  std::filesystem::path longest;
  const char* const captures = std::getenv("NVMLAB_CAPTURES");
  if (captures == nullptr) return longest;
  std::uintmax_t size = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(captures, failed)) {
    if (!entry.is_regular_file() || entry.file_size() <= size || entry.path().extension() != ".xml") continue;
    const auto bytes = entry.file_size();
    size = bytes;
    longest = entry.path();
  }
  return longest;
}

void import(benchmark::State& state, const std::string& bytes) {
  const importer::Input input{"capture.xml", bytes};
  for (auto _ : state) {
    const auto made = importer::import_captures({&input, 1}, "machine");
    if (!made) state.SkipWithError(made.error().front().c_str());
  }
}

[[maybe_unused]] const bool registered = [] {
  benchmark::RegisterBenchmark("import/a made-up log of 8 GPUs", import, made_up_log())->Unit(benchmark::kMillisecond);
  if (const auto path = longest_capture(); !path.empty()) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    benchmark::RegisterBenchmark("import/the longest real capture", import, bytes)->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace nvmlab::bench
