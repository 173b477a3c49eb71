// SPDX-License-Identifier: Apache-2.0
// nvmlab smi: what the GPUs do at this moment, real or simulated. Tests: tests/command/devices_test.cpp,
// tests/command/smi_json_test.cpp.
#include <algorithm>

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/library/nvml_options.hpp"
#include "command/machine/json.hpp"
#include "compiler/return_codes.hpp"

namespace nvmlab::tool {
namespace {

using nvml::Result;

// What the table and the JSON have in common: null for what is not told. Return codes that say more than that the board
// or its driver lacks something are kept apart.
struct Reading {
  Json values = Json::object();
  Json errors = Json::object();

  template <class T, class Number>
  void put(const char* name, const Result<T>& result, Number number) {
    values[name] = result ? Json(number(*result)) : Json(nullptr);
    if (result) return;
    const nvml::Return code = result.error().code();
    if (code != nvml::Return::not_supported && code != nvml::Return::function_not_found)
      errors[name] = compiler::return_code_name(static_cast<std::uint32_t>(code));
  }

  Json done() && {
    if (!errors.empty()) values["errors"] = std::move(errors);
    return std::move(values);
  }
};

double watts(nvml::Milliwatts power) { return power.count() / 1000.0; }
std::uint64_t mebibytes(nvml::Bytes bytes) { return nvml::quantity_cast<nvml::Mebibytes>(bytes).count(); }
// Names of the C++ library that are keywords end in an underscore.
std::string word(auto value) {
  std::string text(to_string(value));
  if (text.ends_with('_')) text.pop_back();
  return text;
}

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
  reading.put("mig", device.mig_mode(),
              [](const auto& modes) { return std::string(modes.current ? "enabled" : "disabled"); });
  return std::move(reading).done();
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

// A GPU that has fallen off the bus answers everything alike.
bool is_lost(const Json& gpu) {
  const auto errors = gpu.find("errors");
  return errors != gpu.end() && gpu["name"].is_null() && errors->value("name", "") == "GPU_IS_LOST";
}

// "346/700W", or "-" where neither is told; ERR! for a return code, as nvidia-smi says, whose name stands below the
// table.
std::string cell_of(const Json& gpu, const char* name, const char* unit = "") {
  const auto errors = gpu.find("errors");
  return errors != gpu.end() && errors->contains(name) ? "ERR!" : cell(gpu[name], unit);
}
std::string pair_of(const Json& gpu, const char* used, const char* total, const char* unit) {
  const std::string part = cell_of(gpu, used);
  const std::string whole = cell_of(gpu, total);
  return part == kUntold && whole == kUntold ? kUntold : fmt::format("{}/{}{}", part, whole, unit);
}

std::string mig_of(const Json& gpu) {
  const std::string mode = cell_of(gpu, "mig");
  return mode == "enabled" ? "on" : mode == "disabled" ? "off" : mode;
}

std::string errors_text(const Json& gpus) {
  std::string text;
  for (const Json& gpu : gpus) {
    if (is_lost(gpu) || !gpu.contains("errors")) continue;
    for (const auto& [name, code] : gpu["errors"].items())
      text += fmt::format("GPU {}: {}: {}\n", cell(gpu["index"]), name, cell(code));
  }
  return text.empty() ? text : "\n" + text;
}

std::string text_of_all(const Json& all) {
  std::string text = fmt::format("driver {}, NVML {}, CUDA {}\n", cell(all["driver_version"]),
                                 cell(all["nvml_version"]), cell(all["cuda_version"]));
  Table gpus({"GPU", "BUS ID", "PERF", "TEMP", "FAN", "POWER", "MEMORY", "UTIL", "ECC", "MIG", "NAME"});
  const std::pair<std::size_t, const char*> often_empty[] = {{9, "mig"}, {8, "uncorrected_errors"}, {4, "fan_percent"}};
  gpus.can_miss(1);  // the bus id; `nvmlab devices` lists it
  for (const auto& [column, name] : often_empty) {
    const auto tells = [key = name](const Json& gpu) { return gpu.contains(key) && !gpu[key].is_null(); };
    if (std::ranges::none_of(all["gpus"], tells)) gpus.can_miss(column);
  }
  for (const Json& gpu : all["gpus"]) {
    if (gpu.contains("error") || is_lost(gpu)) {
      gpus.add({cell(gpu["index"]), "", "", "", "", "", "", "", "", "",
                gpu.contains("error") ? cell(gpu["error"]) : "GPU is lost"});
      continue;
    }
    gpus.add({cell(gpu["index"]), cell_of(gpu, "bus_id"), cell_of(gpu, "performance_state"),
              cell_of(gpu, "temperature_c", "C"), cell_of(gpu, "fan_percent", "%"),
              pair_of(gpu, "power_w", "power_limit_w", "W"), pair_of(gpu, "memory_used_mib", "memory_total_mib", "MiB"),
              cell_of(gpu, "gpu_percent", "%"), cell_of(gpu, "uncorrected_errors"), mig_of(gpu), cell_of(gpu, "name")});
  }
  text += gpus.text() + errors_text(all["gpus"]);
  Table processes({"GPU", "PID", "TYPE", "MEMORY", "PROGRAM"});
  for (const Json& each : all["processes"]) {
    processes.add({cell(each["gpu"]), cell(each["pid"]), cell(each["kind"]), cell(each["memory_mib"], "MiB"),
                   cell(each["name"])});
  }
  if (!processes.empty()) text += "\n" + processes.text();
  return text;
}

struct Smi {
  NvmlOptions options;

  void declare(CommandLine& line) { options.declare(line); }
  int run() const;
};

int Smi::run() const {
  if (const auto code = options.run_simulated("smi")) return *code;
  const auto library = options.open();
  if (!library) return complain(library.error());
  Reading system;
  system.put("driver_version", library->driver_version(), [](const auto& version) { return version; });
  system.put("nvml_version", library->nvml_version(), [](const auto& version) { return version; });
  system.put("cuda_version", library->cuda_driver_version(),
             [](nvml::CudaVersion version) { return to_string(version); });
  Json all = std::move(system).done();
  all["gpus"] = Json::array();
  all["processes"] = Json::array();
  if (const auto count = library->device_count(); !count) return complain(count.error().message());
  unsigned index = 0;
  for (const nvml::Device& device : library->devices()) {
    if (const auto refusal = device.refusal()) {
      all["gpus"].push_back({{"index", index}, {"error", refusal->summary()}});
    } else {
      Json gpu = reading_of(device, index);
      // Not for the table: a few members are all that it has, and each further call is one that may hang.
      if (options.json()) gpu["snapshot"] = Json::parse(snapshot_json(device));
      all["gpus"].push_back(std::move(gpu));
      add_processes(all["processes"], "compute", device.running_compute_processes(), *library, index);
      add_processes(all["processes"], "graphics", device.running_graphics_processes(), *library, index);
    }
    ++index;
  }
  print(std::string_view(options.json() ? text_of(all) : text_of_all(all)));
  return kGood;
}

constexpr Example kSmiExamples[] = {
    {"nvmlab smi", "the state of the installed GPUs"},
    {"nvmlab smi --profile dgx-h100", "eight simulated H100s"},
    {"nvmlab smi --machine ci --json", "those of a machine that is up, as JSON"},
};

}  // namespace

extern const Command kSmi{
    .name = "smi",
    .summary = "Show the state of the GPUs, real or simulated",
    .about =
        "Shows performance state, temperature, power, memory and utilization of each GPU, and the processes that run "
        "on "
        "it. What a board does not support is a dash; ERR! is another return code, which stands below the table. It "
        "asks the NVML library that is installed; below `nvmlab run`, and with --profile, --gpus, --driver or "
        "--machine, the simulated one.\n\n"
        "With --json a GPU has its `snapshot` too: what every getter answers that needs the device alone, by its name "
        "in nvmlab's C++ library, null and a line in the snapshot's `errors` for what it refuses.",
    .examples = kSmiExamples,
    .declare = declared<Smi>,
};

}  // namespace nvmlab::tool
