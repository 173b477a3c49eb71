// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/import/samples.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "compiler/paths.hpp"

namespace nvmlab::importer {

Imported imported(const std::vector<Input>& inputs, const Options& options) {
  auto made = import_captures(inputs, "m", options);
  if (!made) ADD_FAILURE() << fmt::format("{}", fmt::join(made.error(), "\n"));
  return made.value_or(Imported{});
}

std::string refused(const std::vector<Input>& inputs, const Options& options) {
  const auto made = import_captures(inputs, "m", options);
  return made ? std::string() : made.error().front();
}

std::string value(const Imported& imported, std::uint32_t index, std::string_view field) {
  const auto machine = compiler::compile_text(imported.yaml, "m.yaml", "m");
  if (!machine) return compiler::describe(machine.error());
  const auto ref = compiler::find_field(field);
  if (!ref) return ref.error();
  if (index >= machine->gpu_count()) return "no such GPU";
  const auto* owner = ref->topic->of_node ? reinterpret_cast<const std::byte*>(&machine->node())
                                          : reinterpret_cast<const std::byte*>(&machine->gpu(index));
  return compiler::format_field(*ref, owner, compiler::Style::yaml).value_or("?");
}

namespace sample {

std::string uuid(int index) { return fmt::format("GPU-0000000{}-0000-4000-8000-00000000000{}", index + 1, index + 1); }

std::string log(const std::vector<int>& buses, const std::string& more) {
  std::string gpus;
  for (std::size_t i = 0; i < buses.size(); ++i) {
    gpus += fmt::format(
        "<gpu id=\"00000000:{0:02X}:00.0\">\n<product_name>NVIDIA X100</product_name>\n"
        "<product_architecture>Hopper</product_architecture>\n<uuid>{1}</uuid>\n"
        "<pci><pci_bus>{0:02X}</pci_bus><pci_device>00</pci_device><pci_domain>0000</pci_domain>"
        "<pci_device_id>233010DE</pci_device_id></pci>\n{2}</gpu>\n",
        buses[i], uuid(static_cast<int>(i)), more);
  }
  return "<nvidia_smi_log>\n<driver_version>550.90.07</driver_version>\n<cuda_version>12.4</cuda_version>\n" + gpus +
         "</nvidia_smi_log>\n";
}

std::string device_query(const std::vector<int>& buses) {
  std::string out = fmt::format("deviceQuery Starting...\n\nDetected {} CUDA Capable device(s)\n\n", buses.size());
  for (std::size_t i = 0; i < buses.size(); ++i) {
    out += fmt::format(
        "Device {}: \"NVIDIA X100\"\n"
        "  CUDA Driver Version / Runtime Version          12.4 / 11.8\n"
        "  CUDA Capability Major/Minor version number:    9.0\n"
        "  Total amount of global memory:                 81000 MBytes (84934656000 bytes)\n"
        "  (120) Multiprocessors, (128) CUDA Cores/MP:    15360 CUDA Cores\n"
        "  GPU Max Clock rate:                            1900 MHz (1.90 GHz)\n"
        "  Memory Clock rate:                             2600 Mhz\n"
        "  Memory Bus Width:                              5120-bit\n"
        "  L2 Cache Size:                                 52428800 bytes\n"
        "  Maximum Texture Dimension Size (x,y,z)         1D=(131072), 2D=(131072, 65536), 3D=(16384, 16384, 16384)\n"
        "  Maximum Layered 2D Texture Size, (num) layers  2D=(32768, 32768), 2048 layers\n"
        "  Max dimension size of a thread block (x,y,z): (1024, 1024, 64)\n"
        "  Concurrent copy and kernel execution:          Yes with 3 copy engine(s)\n"
        "  Run time limit on kernels:                     No\n"
        "  Device PCI Domain ID / Bus ID / location ID:   0 / {} / 0\n"
        "  Compute Mode:\n"
        "     < Exclusive Process (many threads in one process can use it) >\n\n",
        i, buses[i]);
  }
  return out +
         "deviceQuery, CUDA Driver = CUDART, CUDA Driver Version = 12.4, NumDevs = " + std::to_string(buses.size()) +
         "\nResult = PASS\n";
}

std::string matrix(const std::string& heading, const std::vector<std::string>& rows) {
  std::string out = "\t\x1b[4m" + heading + "\x1b[0m\n";
  for (const auto& row : rows) {
    std::string line = row;
    for (char& letter : line)
      letter = letter == ' ' ? '\t' : letter;
    out += line + "\n";
  }
  return out + "\nLegend:\n\n  X    = Self\n";
}

std::string listed(int index, const std::string& name) {
  return fmt::format("GPU {}: {} (UUID: {})\n", index, name, uuid(index));
}

}  // namespace sample
}  // namespace nvmlab::importer
