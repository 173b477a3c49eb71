// SPDX-License-Identifier: Apache-2.0
// nvmlab smi: what the GPUs do at this moment, real or simulated. Tests: tests/tool/devices_test.cpp.
#include "tool/cli/command.hpp"
#include "tool/cli/output.hpp"
#include "tool/cli/shared_options.hpp"
#include "tool/library/installed.hpp"
#include "tool/machine/json.hpp"

namespace nvmlab::tool {
namespace {

using nvml::Result;

// What the table and the JSON have in common: null for what is not told.
struct Reading {
  Json values = Json::object();

  template <class T, class Number>
  void put(const char* name, const Result<T>& result, Number number) {
    values[name] = result ? Json(number(*result)) : Json(nullptr);
  }
};

double watts(nvml::Milliwatts power) { return power.count() / 1000.0; }
std::uint64_t mebibytes(nvml::Bytes bytes) { return nvml::quantity_cast<nvml::Mebibytes>(bytes).count(); }
std::string word(auto value) { return std::string(to_string(value)); }

Json reading_of(const nvml::Device& device, unsigned index) {
  Reading reading;
  reading.values["index"] = index;
  reading.put("name", device.name(), [](const auto& name) { return name; });
  reading.put("uuid", device.uuid(), [](const auto& uuid) { return uuid; });
  reading.put("bus_id", device.pci_info(), [](const auto& pci) { return pci.bus_id; });
  reading.put("performance_state", device.performance_state(),
              [](auto state) { return fmt::format("P{}", static_cast<unsigned>(state)); });
  reading.put("temperature_c", device.temperature(nvml::TemperatureSensor::gpu), [](auto t) { return t.count(); });
  reading.put("fan_percent", device.fan_speed(), [](auto speed) { return speed.count(); });
  reading.put("power_w", device.power_usage(), watts);
  reading.put("power_limit_w", device.enforced_power_limit(), watts);
  const auto memory = device.memory_info();
  reading.put("memory_used_mib", memory, [](const auto& parts) { return mebibytes(parts.used); });
  reading.put("memory_total_mib", memory, [](const auto& parts) { return mebibytes(parts.total); });
  const auto busy = device.utilization_rates();
  reading.put("gpu_percent", busy, [](const auto& rates) { return rates.gpu.count(); });
  reading.put("memory_percent", busy, [](const auto& rates) { return rates.memory.count(); });
  reading.put("uncorrected_errors",
              device.total_ecc_errors(nvml::MemoryErrorType::uncorrected, nvml::EccCounterType::volatile_),
              [](auto count) { return count; });
  reading.put("compute_mode", device.compute_mode(), [](auto mode) { return word(mode); });
  reading.put("mig", device.mig_mode(), [](const auto& modes) { return word(modes.current); });
  return std::move(reading.values);
}

void add_processes(Json& all, const char* kind, const Result<std::vector<nvml::ProcessInfo>>& processes,
                   const nvml::Library& library, unsigned index) {
  if (!processes) return;
  for (const nvml::ProcessInfo& each : *processes) {
    Json row = {{"gpu", index}, {"pid", each.pid}, {"kind", kind}};
    row["name"] = library.process_name(each.pid).value_or(kUntold);
    row["memory_mib"] = each.used_gpu_memory ? Json(mebibytes(*each.used_gpu_memory)) : Json(nullptr);
    all.push_back(std::move(row));
  }
}

std::string cell(const Json& value, const char* unit = "") {
  if (value.is_null()) return kUntold;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.0f}{}", value.get<double>(), unit);
  return fmt::format("{}{}", value.dump(), unit);
}

std::string text_of_all(const Json& all) {
  std::string text = fmt::format("driver {}, NVML {}, CUDA {}\n", cell(all["driver_version"]),
                                 cell(all["nvml_version"]), cell(all["cuda_version"]));
  Table gpus({"GPU", "NAME", "BUS ID", "STATE", "TEMP", "FAN", "POWER", "LIMIT", "MEMORY", "OF", "BUSY", "ECC", "MIG"});
  for (const Json& gpu : all["gpus"]) {
    if (gpu.contains("error")) {
      gpus.add({cell(gpu["index"]), cell(gpu["error"]), "", "", "", "", "", "", "", "", "", "", ""});
      continue;
    }
    gpus.add({cell(gpu["index"]), cell(gpu["name"]), cell(gpu["bus_id"]), cell(gpu["performance_state"]),
              cell(gpu["temperature_c"], " C"), cell(gpu["fan_percent"], " %"), cell(gpu["power_w"], " W"),
              cell(gpu["power_limit_w"], " W"), cell(gpu["memory_used_mib"], " MiB"),
              cell(gpu["memory_total_mib"], " MiB"), cell(gpu["gpu_percent"], " %"), cell(gpu["uncorrected_errors"]),
              cell(gpu["mig"])});
  }
  text += gpus.text();
  Table processes({"GPU", "PID", "KIND", "MEMORY", "PROGRAM"});
  for (const Json& each : all["processes"]) {
    processes.add({cell(each["gpu"]), cell(each["pid"]), cell(each["kind"]), cell(each["memory_mib"], " MiB"),
                   cell(each["name"])});
  }
  if (!processes.empty()) text += "\n" + processes.text();
  return text;
}

struct Smi {
  std::string library_file;
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void Smi::declare(CommandLine& line) {
  add_library(line, library_file);
  add_json(line, json);
}

int Smi::run() const {
  const auto library = open_nvml(library_file);
  if (!library) return complain(library.error());
  Reading system;
  system.put("driver_version", library->driver_version(), [](const auto& version) { return version; });
  system.put("nvml_version", library->nvml_version(), [](const auto& version) { return version; });
  system.put("cuda_version", library->cuda_driver_version(),
             [](int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); });
  Json all = std::move(system.values);
  all["gpus"] = Json::array();
  all["processes"] = Json::array();
  if (const auto count = library->device_count(); !count) return complain(count.error().message());
  unsigned index = 0;
  for (const nvml::Device& device : library->devices()) {
    if (const auto refusal = device.refusal()) {
      all["gpus"].push_back({{"index", index}, {"error", refusal->with_detail("").message()}});
    } else {
      all["gpus"].push_back(reading_of(device, index));
      add_processes(all["processes"], "compute", device.running_compute_processes(), *library, index);
      add_processes(all["processes"], "graphics", device.running_graphics_processes(), *library, index);
    }
    ++index;
  }
  print(std::string_view(json ? text_of(all) : text_of_all(all)));
  return kGood;
}

constexpr Example kSmiExamples[] = {
    {"nvmlab smi", "what the installed GPUs do at this moment"},
    {"nvmlab run --machine ci -- nvmlab smi --json", "those of a machine that is up, as JSON"},
};

}  // namespace

extern const Command kSmi{
    .name = "smi",
    .summary = "Show what the GPUs do, real or simulated",
    .about =
        "Asks the NVML library that is installed here, and below `nvmlab run` the simulated one: state, "
        "temperature, power, memory and load of each GPU, and the processes that use them. What a board does not "
        "tell is a dash.",
    .examples = kSmiExamples,
    .declare = declared<Smi>,
};

}  // namespace nvmlab::tool
