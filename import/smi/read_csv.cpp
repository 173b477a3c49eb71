// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi --query-gpu=... --format=csv (with or without nounits). A column prints what `nvidia-smi -q` prints under
// another name, so a row becomes the log that would have printed it, and everything that reads logs reads it.
// Tests: tests/unit/import/session_test.cpp.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "import/formats/section_reader.hpp"
#include "import/smi/read_log.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

struct Column {
  std::string_view name;
  std::string_view path;  // of the text log; empty where it shows no field of the state
  bool of_node = false;
};

constexpr Column kColumns[] = {
    {"timestamp", ""},
    {"count", ""},
    {"index", ""},
    {"driver_version", "Driver Version", true},
    {"name", "Product Name"},
    {"gpu_name", "Product Name"},
    {"serial", "Serial Number"},
    {"gpu_serial", "Serial Number"},
    {"uuid", "GPU UUID"},
    {"gpu_uuid", "GPU UUID"},
    {"pci.bus_id", "@id"},
    {"gpu_bus_id", "@id"},
    {"pci.domain", "PCI/Domain"},
    {"pci.bus", "PCI/Bus"},
    {"pci.device", "PCI/Device"},
    {"pci.baseClass", "PCI/Base Classcode"},
    {"pci.subClass", "PCI/Sub Classcode"},
    {"pci.device_id", "PCI/Device Id"},
    {"pci.sub_device_id", "PCI/Sub System Id"},
    {"pcie.link.gen.current", "PCI/GPU Link Info/PCIe Generation/Current"},
    {"pcie.link.gen.gpucurrent", "PCI/GPU Link Info/PCIe Generation/Current"},
    {"pcie.link.gen.max", "PCI/GPU Link Info/PCIe Generation/Max"},
    {"pcie.link.gen.gpumax", "PCI/GPU Link Info/PCIe Generation/Device Max"},
    {"pcie.link.gen.hostmax", "PCI/GPU Link Info/PCIe Generation/Host Max"},
    {"pcie.link.width.current", "PCI/GPU Link Info/Link Width/Current"},
    {"pcie.link.width.max", "PCI/GPU Link Info/Link Width/Max"},
    {"display_mode", "Display Mode"},
    {"display_attached", "Display Attached"},
    {"display_active", "Display Active"},
    {"persistence_mode", "Persistence Mode"},
    {"addressing_mode", "Addressing Mode"},
    {"accounting.mode", "Accounting Mode"},
    {"accounting.buffer_size", "Accounting Mode Buffer Size"},
    {"driver_model.current", "Driver Model/Current"},
    {"driver_model.pending", "Driver Model/Pending"},
    {"vbios_version", "VBIOS Version"},
    {"inforom.img", "Inforom Version/Image Version"},
    {"inforom.oem", "Inforom Version/OEM Object"},
    {"inforom.ecc", "Inforom Version/ECC Object"},
    {"inforom.pwr", "Inforom Version/Power Management Object"},
    {"inforom.power", "Inforom Version/Power Management Object"},
    {"gpu_recovery_action", "GPU Recovery Action"},
    {"gom.current", "GPU Operation Mode/Current"},
    {"gom.pending", "GPU Operation Mode/Pending"},
    {"fan.speed", "Fan Speed"},
    {"pstate", "Performance State"},
    {"clocks_event_reasons_counters.sw_power_cap", "Clocks Event Reasons Counters/SW Power Capping"},
    {"clocks_event_reasons_counters.sync_boost", "Clocks Event Reasons Counters/Sync Boost"},
    {"clocks_event_reasons_counters.sw_thermal_slowdown", "Clocks Event Reasons Counters/SW Thermal Slowdown"},
    {"clocks_event_reasons_counters.hw_thermal_slowdown", "Clocks Event Reasons Counters/HW Thermal Slowdown"},
    {"clocks_event_reasons_counters.hw_power_brake_slowdown", "Clocks Event Reasons Counters/HW Power Braking"},
    {"memory.total", "FB Memory Usage/Total"},
    {"memory.reserved", "FB Memory Usage/Reserved"},
    {"memory.used", "FB Memory Usage/Used"},
    {"memory.free", "FB Memory Usage/Free"},
    {"compute_mode", "Compute Mode"},
    {"utilization.gpu", "Utilization/GPU"},
    {"utilization.memory", "Utilization/Memory"},
    {"utilization.encoder", "Utilization/Encoder"},
    {"utilization.decoder", "Utilization/Decoder"},
    {"utilization.jpeg", "Utilization/JPEG"},
    {"utilization.ofa", "Utilization/OFA"},
    {"encoder.stats.averageFps", "Encoder Stats/Average FPS"},
    {"encoder.stats.averageLatency", "Encoder Stats/Average Latency"},
    {"dramEncryption.mode.current", "DRAM Encryption Mode/Current"},
    {"dramEncryption.mode.pending", "DRAM Encryption Mode/Pending"},
    {"ecc.mode.current", "ECC Mode/Current"},
    {"ecc.mode.pending", "ECC Mode/Pending"},
    {"retired_pages.single_bit_ecc.count", "Retired Pages/Single Bit ECC"},
    {"retired_pages.double_bit.count", "Retired Pages/Double Bit ECC"},
    {"retired_pages.pending", "Retired Pages/Pending Page Blacklist"},
    {"remapped_rows.correctable", "Remapped Rows/Correctable Error"},
    {"remapped_rows.uncorrectable", "Remapped Rows/Uncorrectable Error"},
    {"temperature.gpu", "Temperature/GPU Current Temp"},
    {"temperature.gpu.tlimit", "Temperature/GPU T.Limit Temp"},
    {"temperature.memory", "Temperature/Memory Current Temp"},
    {"power.management", "Power Readings/Power Management"},
    {"power.draw", "Power Readings/Power Draw"},
    {"power.draw.average", "GPU Power Readings/Average Power Draw"},
    {"power.draw.instant", "GPU Power Readings/Instantaneous Power Draw"},
    {"power.limit", "GPU Power Readings/Requested Power Limit"},
    {"enforced.power.limit", "GPU Power Readings/Current Power Limit"},
    {"power.default_limit", "GPU Power Readings/Default Power Limit"},
    {"power.min_limit", "GPU Power Readings/Min Power Limit"},
    {"power.max_limit", "GPU Power Readings/Max Power Limit"},
    {"module.power.draw.average", "Module Power Readings/Average Power Draw"},
    {"module.power.draw.instant", "Module Power Readings/Instantaneous Power Draw"},
    {"module.power.limit", "Module Power Readings/Requested Power Limit"},
    {"module.enforced.power.limit", "Module Power Readings/Current Power Limit"},
    {"module.power.default_limit", "Module Power Readings/Default Power Limit"},
    {"module.power.min_limit", "Module Power Readings/Min Power Limit"},
    {"module.power.max_limit", "Module Power Readings/Max Power Limit"},
    {"clocks.gr", "Clocks/Graphics"},
    {"clocks.sm", "Clocks/SM"},
    {"clocks.mem", "Clocks/Memory"},
    {"clocks.video", "Clocks/Video"},
    {"clocks.current.graphics", "Clocks/Graphics"},
    {"clocks.current.sm", "Clocks/SM"},
    {"clocks.current.memory", "Clocks/Memory"},
    {"clocks.current.video", "Clocks/Video"},
    {"clocks.applications.graphics", "Applications Clocks/Graphics"},
    {"clocks.applications.memory", "Applications Clocks/Memory"},
    {"clocks.default_applications.graphics", "Default Applications Clocks/Graphics"},
    {"clocks.default_applications.memory", "Default Applications Clocks/Memory"},
    {"clocks.max.graphics", "Max Clocks/Graphics"},
    {"clocks.max.gr", "Max Clocks/Graphics"},
    {"clocks.max.sm", "Max Clocks/SM"},
    {"clocks.max.memory", "Max Clocks/Memory"},
    {"clocks.max.mem", "Max Clocks/Memory"},
    {"mig.mode.current", "MIG Mode/Current"},
    {"mig.mode.pending", "MIG Mode/Pending"},
    {"c2c.mode", "GPU C2C Mode"},
    {"protected_memory.total", "Conf Compute Protected Memory Usage/Total"},
    {"protected_memory.used", "Conf Compute Protected Memory Usage/Used"},
    {"fabric.state", "Fabric/State"},
    {"fabric.status", "Fabric/Status"},
    {"fabric.cliqueId", "Fabric/CliqueId"},
    {"fabric.clusterUuid", "Fabric/ClusterUUID"},
    {"platform.chassis_serial_number", "Platform Info/Chassis Serial Number"},
    {"platform.slot_number", "Platform Info/Slot Number"},
    {"platform.tray_index", "Platform Info/Tray Index"},
    {"platform.host_id", "Platform Info/Host ID"},
    {"platform.peer_type", "Platform Info/Peer Type"},
    {"platform.module_id", "Platform Info/Module Id"},
    {"platform.gpu_fabric_guid", "Platform Info/GPU Fabric GUID"},
};

// Columns that no log shows so.
constexpr std::string_view kComputeCapability = "compute_cap";
struct Mask {
  std::string_view name;
  std::string_view field;
};
constexpr Mask kMasks[] = {
    {"clocks_event_reasons.active", "clocks.event_reasons"},
    {"clocks_event_reasons.supported", "clocks.event_reasons_supported"},
    {"clocks_throttle_reasons.active", "clocks.event_reasons"},
    {"clocks_throttle_reasons.supported", "clocks.event_reasons_supported"},
};

// "power.draw [W]" is power.draw.
std::string_view column_name(std::string_view printed) {
  printed = trimmed(printed);
  const auto unit = printed.find(" [");
  return printed.substr(0, unit);
}

const Column* column_of(std::string_view name) {
  const auto* found = std::ranges::find(kColumns, name, &Column::name);
  return found == std::end(kColumns) ? nullptr : found;
}

// Names of products and chassis hold no comma; nvidia-smi quotes nothing.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const auto end = line.find(',');
    cells.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

void read_direct(SectionReader& reader, std::size_t gpu, std::string_view name, std::string_view printed,
                 std::size_t line) {
  for (const auto& [mask, field] : kMasks) {
    const Rule rule{{}, {}, field, PrintedForm::hex, {}, 1};
    const auto read = name == mask ? read_printed(rule, printed, {}) : Reading{};
    if (read.kind == Reading::Kind::value) reader.observe(gpu, field, read.literal, line);
  }
  if (name != kComputeCapability) return;
  const auto dot = printed.find('.');
  const auto major = whole_number(printed.substr(0, dot));
  const auto minor = dot == std::string_view::npos ? std::nullopt : whole_number(printed.substr(dot + 1));
  if (!major || !minor) return;
  reader.observe(gpu, "identity.compute_capability_major", *major, line);
  reader.observe(gpu, "identity.compute_capability_minor", *minor, line);
}

bool starts_csv(std::string_view line) {
  if (line.find(", ") == std::string_view::npos) return false;
  const auto first = column_name(line.substr(0, line.find(',')));
  if (column_of(first) == nullptr && first != kComputeCapability) return false;
  std::size_t known = 0;
  for (const auto cell : cells_of(line)) {
    const auto name = column_name(cell);
    if (name == "pid") return false;  // a list of processes
    if (name.starts_with("retired_pages.cause")) return false;
    known += column_of(name) != nullptr ? 1 : 0;
  }
  return known >= 2;
}

bool continues_csv(std::string_view line) {
  const auto said = trimmed(line);
  return !said.empty() && !said.starts_with('#');
}

void read_csv(SectionReader& reader) {
  const auto lines = reader.section().lines();
  const auto heading = cells_of(lines.front().text);
  capture::Capture log;
  log.name = reader.file();
  log.format = capture::Format::text;
  std::vector<std::size_t> gpus;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto& line = lines[i];
    const auto cells = cells_of(line.text);
    if (cells.size() != heading.size()) {
      return reader.wrong(line.number,
                          fmt::format("the row has {} values; its heading names {}", cells.size(), heading.size()));
    }
    SectionReader::GpuName name{i - 1, {}, {}};
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const auto* column = column_of(column_name(heading[k]));
      if (column == nullptr) continue;
      if (column->path == "@id") name.address = pci_address(cells[k]);
      if (column->path == "GPU UUID") name.uuid = cells[k];
      if (column->name == "index") name.index = whole_number(cells[k]);
    }
    const auto gpu = reader.gpu(name, line.number);
    if (!gpu || std::ranges::find(gpus, *gpu) != gpus.end()) continue;  // with -l, rows go on: the first one counts
    const auto number = static_cast<int>(log.gpus.size());
    log.gpus.push_back(reader.evidence().gpus[*gpu].address);
    gpus.push_back(*gpu);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      read_direct(reader, *gpu, column_name(heading[k]), cells[k], line.number);
      const auto* column = column_of(column_name(heading[k]));
      if (column == nullptr || column->path.empty() || column->path == "@id") continue;
      log.leaves.push_back(
          {column->of_node ? capture::node : number, std::string(column->path), std::string(cells[k]), line.number});
    }
  }
  std::vector<Subject*> subjects;
  for (const auto gpu : gpus)
    subjects.push_back(&reader.evidence().gpus[gpu]);
  read_log(reader.evidence(), log, subjects, reader.source());
}

}  // namespace

constinit const ForeignFormat kCsvFormat{.name = "nvidia-smi --query-gpu",
                                         .recognises = starts_csv,
                                         .read = read_section<read_csv>,
                                         .continues = continues_csv,
                                         .momentary = true};

}  // namespace nvmlab::importer
