// SPDX-License-Identifier: Apache-2.0
// nvmlab devices: the GPUs and MIG devices that NVML lists, real or simulated. Tests: tests/tool/devices_test.cpp.
#include "tool/cli/command.hpp"
#include "tool/cli/output.hpp"
#include "tool/cli/shared_options.hpp"
#include "tool/library/installed.hpp"
#include "tool/machine/json.hpp"

namespace nvmlab::tool {
namespace {

struct DeviceRow {
  std::string index;  // "0", or "0:2" for the third MIG device of GPU 0
  std::string uuid;
  std::string bus_id;
  std::string name;
};

// Of one that is lost, or may not be seen, why.
DeviceRow row_of(std::string index, const nvml::Device& device, const std::string& bus_id) {
  const auto refusal = device.refusal();
  return {std::move(index), device.uuid().value_or(kUntold), bus_id,
          refusal ? refusal->with_detail("").message() : device.name().value_or(kUntold)};
}

std::vector<DeviceRow> rows_of(const nvml::Library& library) {
  std::vector<DeviceRow> rows;
  unsigned index = 0;
  for (const nvml::Device& device : library.devices()) {
    const auto pci = device.pci_info();
    rows.push_back(row_of(std::to_string(index), device, pci ? pci->bus_id : kUntold));
    unsigned place = 0;
    for (const nvml::MigDevice& mig : device.mig_devices()) {
      if (device.refusal()) break;  // said once
      rows.push_back(row_of(fmt::format("{}:{}", index, place++), mig, rows.back().bus_id));
    }
    ++index;
  }
  return rows;
}

struct Devices {
  std::string library_file;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void Devices::declare(CommandLine& line) {
  add_library(line, library_file);
  add_json(line, json);
}

int Devices::run() const {
  const auto library = open_nvml(library_file);
  if (!library) return complain(library.error());
  if (const auto count = library->device_count(); !count) return complain(count.error().message());
  const std::vector<DeviceRow> rows = rows_of(*library);
  if (json) {
    Json all = Json::array();
    for (const DeviceRow& row : rows)
      all.push_back({{"index", row.index}, {"uuid", row.uuid}, {"bus_id", row.bus_id}, {"name", row.name}});
    print(std::string_view(text_of(all)));
    return kGood;
  }
  if (rows.empty()) return complain("NVML is here ({}), and lists no GPU", library->path());
  Table table({"GPU", "UUID", "BUS ID", "NAME"});
  for (const DeviceRow& row : rows)
    table.add({row.index, row.uuid, row.bus_id, row.name});
  print(std::string_view(table.text()));
  return kGood;
}

constexpr Example kDevicesExamples[] = {
    {"nvmlab devices", "the installed GPUs"},
    {"nvmlab run --profile dgx-h100 -- nvmlab devices", "eight simulated ones"},
};

}  // namespace

extern const Command kDevices{
    .name = "devices",
    .summary = "List the GPUs that NVML knows, real or simulated",
    .about =
        "Asks the NVML library that is installed here, and below `nvmlab run` the simulated one: index, UUID, bus "
        "id and name of each GPU, and of each MIG device below its GPU.",
    .examples = kDevicesExamples,
    .declare = declared<Devices>,
};

}  // namespace nvmlab::tool
