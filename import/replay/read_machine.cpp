// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the machine: units, host interface cards, excluded GPUs, error records. The inverse of
// drivers/nvml/hooks/unit.cpp and cper.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/texts.hpp"
#include "engine/machine/driver_version.hpp"
#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

void put_text(Record& record, std::string_view name, const Call* call, std::string_view output) {
  if (call == nullptr || !call->succeeded()) return;
  if (const auto text = text_yaml(member(call->out, output)); !text.empty()) record.emplace(name, text);
}

Record box_of(const Sheet& calls) {
  Record box;
  const Call* info = calls.find("nvmlUnitGetUnitInfo");
  put_text(box, "name", info, "info.name");
  put_text(box, "id", info, "info.id");
  put_text(box, "serial", info, "info.serial");
  put_text(box, "firmware_version", info, "info.firmwareVersion");
  const Call* led = calls.find("nvmlUnitGetLedState");
  put(box, "led_color", led, "state.color");
  put_text(box, "led_cause", led, "state.cause");
  const Call* supply = calls.find("nvmlUnitGetPsuInfo");
  put_text(box, "psu_state", supply, "psu.state");
  put(box, "psu_current_ca", supply, "psu.current");
  put(box, "psu_voltage_cv", supply, "psu.voltage");
  put(box, "psu_power_w", supply, "psu.power");
  put(box, "intake_c", calls.find("nvmlUnitGetTemperature", "type=0"), "temp");
  put(box, "exhaust_c", calls.find("nvmlUnitGetTemperature", "type=1"), "temp");
  put(box, "board_c", calls.find("nvmlUnitGetTemperature", "type=2"), "temp");
  std::vector<std::string> fans;
  for (const Json& fan : list(calls.good("nvmlUnitGetFanSpeedInfo"), "fanSpeeds.fans"))
    fans.push_back(
        fmt::format("{{speed_rpm: {}, state: {}}}", yaml_of(member(fan, "speed")), yaml_of(member(fan, "state"))));
  box.emplace("fans", fmt::format("[{}]", fmt::join(fans, ", ")));
  std::vector<std::string> gpus;
  for (const Json& device : list(calls.good("nvmlUnitGetDevices"), "devices")) {
    if (const auto index = yaml_of(member(device, "gpu")); !index.empty()) gpus.push_back(index);
  }
  box.emplace("gpus", fmt::format("[{}]", fmt::join(gpus, ", ")));
  return box;
}

void read_cards(const Context& context) {
  const Call* call = context.calls.good("nvmlSystemGetHicVersion");
  if (!lists(call, "hwbcEntries")) return;
  Records cards;
  for (const Json& entry : list(call, "hwbcEntries")) {
    cards[cards.size()] = {{"id", yaml_of(member(entry, "hwbcId"))},
                           {"firmware_version", text_yaml(member(entry, "firmwareVersion"))}};
  }
  context.tell("unit.cards", cards, cards.size(), *call);
}

void read_excluded(const Context& context) {
  Records gpus;
  const Call* last = nullptr;
  for (const Call* call : context.calls.of("nvmlGetExcludedDeviceInfoByIndex")) {
    if (!call->succeeded()) continue;
    last = call;
    gpus[gpus.size()] = {{"uuid", text_yaml(member(call->out, "info.uuid"))},
                         {"domain", yaml_of(member(call->out, "info.pciInfo.domain"))},
                         {"bus", yaml_of(member(call->out, "info.pciInfo.bus"))},
                         {"device", yaml_of(member(call->out, "info.pciInfo.device"))},
                         {"device_id", yaml_of(member(call->out, "info.pciInfo.pciDeviceId"))},
                         {"subsystem_id", yaml_of(member(call->out, "info.pciInfo.pciSubSystemId"))}};
  }
  if (last != nullptr) context.tell("excluded.gpus", gpus, gpus.size(), *last);
}

void read_error_records(const Context& context) {
  const auto calls = context.calls.of("nvmlSystemGetCPER_v1");
  if (calls.empty()) return;
  const Call& first = *calls.front();
  if (first.code == "NOT_SUPPORTED") return context.refuse("system.cper", first);
  if (!first.succeeded() && first.code != "NO_PERMISSION") return;
  context.tell("system.cper", "1", first);
  Records records;
  for (const Call* call : calls) {
    const Json* data = member(call->out, "cper.buffer");
    if (!call->succeeded() || data == nullptr || !data->is_string()) continue;
    const auto& hex = data->get_ref<const std::string&>();
    if (hex.empty()) continue;
    constexpr std::size_t room = 2048;  // digits of 1024 bytes
    Record& record = records[records.size()];
    record = {{"size_bytes", std::to_string(hex.size() / 2)},
              {"data", compiler::yaml_scalar(hex + std::string(room - std::min(room, hex.size()), '0'))}};
    if (const auto uuid = text_yaml(member(call->out, "cper.cursor.uuid")); !uuid.empty()) record["uuid"] = uuid;
  }
  if (!records.empty()) context.tell("system.cper_records", records, records.size(), first);
}

// Drivers before nvmlSystemGetCudaDriverVersion do not say which CUDA they support; what they are does.
void read_cuda_version(const Context& context) {
  const Call* version = context.calls.good("nvmlSystemGetDriverVersion");
  if (version == nullptr || context.told("system.cuda_version")) return;
  DriverVersion driver{};
  const FieldValue* text = context.value("system.driver_version");
  if (text != nullptr && find_driver_version(std::string(text->text()).c_str(), &driver))
    context.tell("system.cuda_version", std::to_string(driver.cuda), *version);
}

}  // namespace

void read_machine(const Context& context, const std::vector<Sheet>& units) {
  if (const Call* count = context.calls.good("nvmlUnitGetCount")) {
    Records boxes;
    for (std::size_t i = 0; i < units.size(); ++i)
      boxes[i] = box_of(units[i]);
    context.tell("unit.boxes", boxes, boxes.size(), *count);
  }
  read_cards(context);
  read_excluded(context);
  read_error_records(context);
  read_cuda_version(context);
}

}  // namespace nvmlab::importer::replay
