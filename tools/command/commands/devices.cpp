// SPDX-License-Identifier: Apache-2.0
// nvmlab devices: the GPUs and MIG devices that NVML lists, real or simulated. Tests: tests/command/devices_test.cpp.
#include <optional>

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/library/nvml_options.hpp"
#include "command/machine/json.hpp"

namespace nvmlab::tool {
namespace {

struct DeviceRow {
  unsigned index = 0;
  std::optional<unsigned> mig;  // of a MIG device: its place on that GPU
  std::string uuid;
  std::string bus_id;
  std::string name;
};

// Of one that is lost, or may not be seen, why.
std::string name_of(const nvml::Device& device) {
  const auto refusal = device.refusal();
  return refusal ? refusal->summary() : device.name().value_or(kUntold);
}

std::vector<DeviceRow> rows_of(const nvml::Library& library) {
  std::vector<DeviceRow> rows;
  unsigned index = 0;
  for (const nvml::Device& device : library.devices()) {
    const auto pci = device.pci_info();
    const std::string bus_id = pci ? pci->bus_id : kUntold;
    rows.push_back({index, {}, device.uuid().value_or(kUntold), bus_id, name_of(device)});
    unsigned place = 0;
    for (const nvml::MigDevice& mig : device.mig_devices()) {
      if (device.refusal()) break;  // said once
      rows.push_back({index, place++, mig.uuid().value_or(kUntold), bus_id, name_of(mig)});
    }
    ++index;
  }
  return rows;
}

struct Devices {
  NvmlOptions options;

  void declare(CommandLine& line) { options.declare(line); }
  int run() const;
};

int Devices::run() const {
  if (const auto code = options.run_simulated("devices")) return *code;
  const auto library = options.open();
  if (!library) return complain(library.error());
  if (const auto count = library->device_count(); !count) return complain(count.error().message());
  const std::vector<DeviceRow> rows = rows_of(*library);
  if (options.json()) {
    Json all = Json::array();
    for (const DeviceRow& row : rows) {
      Json each = {{"index", row.index}};
      if (row.mig) each["mig"] = *row.mig;
      each.update({{"uuid", row.uuid}, {"bus_id", row.bus_id}, {"name", row.name}});
      all.push_back(std::move(each));
    }
    print(std::string_view(text_of(all)));
    return kGood;
  }
  if (rows.empty()) return complain("NVML is here ({}), and lists no GPU", library->path());
  Table table({"GPU", "UUID", "BUS ID", "NAME"});
  for (const DeviceRow& row : rows)
    table.add({row.mig ? fmt::format("{}:{}", row.index, *row.mig) : std::to_string(row.index), row.uuid, row.bus_id,
               row.name});
  print(std::string_view(table.text()));
  return kGood;
}

constexpr Example kDevicesExamples[] = {
    {"nvmlab devices", "the installed GPUs"},
    {"nvmlab devices --profile dgx-h100", "eight simulated ones"},
};

}  // namespace

extern const Command kDevices{
    .name = "devices",
    .summary = "List the GPUs that NVML sees, real or simulated",
    .about =
        "Lists index, UUID, bus id and name of each GPU, and of each MIG device below its GPU (0:2 is the third one of "
        "GPU 0). It asks the NVML library that is installed; below `nvmlab run`, and with --profile, --gpus, --driver "
        "or --machine, the simulated one.",
    .examples = kDevicesExamples,
    .declare = declared<Devices>,
};

}  // namespace nvmlab::tool
