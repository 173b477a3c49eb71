// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the machine and no table has: GPUs of units, error records, which a cursor walks over, and the CUDA
// release, which older drivers do not tell.
#include <algorithm>
#include <string>
#include <utility>

#include "engine/store/driver_version.hpp"
#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// What the tables do not have of a unit: a text for people, a list within, and GPUs.
void complete_box(Record& box, const CallIndex& calls) {
  put_text(box, "led_cause", calls.find("nvmlUnitGetLedState"), "state.cause");
  compiler::LiteralList fans;
  for (const Json& item : list(calls.good("nvmlUnitGetFanSpeedInfo"), "fanSpeeds.fans")) {
    Record fan;
    put_column(fan, "speed_rpm", item, "speed");
    put_column(fan, "state", item, "state");
    fans.emplace_back(std::move(fan));
  }
  box.emplace("fans", std::move(fans));
  compiler::LiteralList gpus;
  for (const Json& device : list(calls.good("nvmlUnitGetDevices"), "devices")) {
    if (const auto index = number(member(device, "gpu"))) gpus.emplace_back(*index);
  }
  box.emplace("gpus", std::move(gpus));
}

void read_error_records(const Context& context) {
  const auto calls = context.calls.of("nvmlSystemGetCPER_v1");
  if (calls.empty()) return;
  const Call& first = *calls.front();
  if (first.code == "NOT_SUPPORTED") return context.set_error("system.cper", first);
  if (!first.succeeded() && first.code != "NO_PERMISSION") return;
  context.set("system.cper", 1, first);
  ListDraft records{.source = &first};
  for (const Call* call : calls) {
    const Json* data = member(call->out, "cper.buffer");
    if (!call->succeeded() || data == nullptr || !data->is_string()) continue;
    const auto& hex = data->get_ref<const std::string&>();
    if (hex.empty()) continue;
    constexpr std::size_t room = 2048;  // digits of 1024 bytes
    Record& record = records.records[records.count++];
    record.emplace("size_bytes", hex.size() / 2);
    record.emplace("data", hex + std::string(room - std::min(room, hex.size()), '0'));
    put_text(record, "uuid", call, "cper.cursor.uuid");
  }
  if (records.count > 0) context.set("system.cper_records", records);
}

// Drivers before nvmlSystemGetCudaDriverVersion do not say which CUDA they support; what they are does.
void read_cuda_version(const Context& context) {
  const Call* version = context.calls.good("nvmlSystemGetDriverVersion");
  if (version == nullptr || context.observed("system.cuda_version")) return;
  DriverVersion driver{};
  const FieldValue* text = context.value("system.driver_version");
  if (text != nullptr && find_driver_version(std::string(text->text()).c_str(), &driver))
    context.set("system.cuda_version", driver.cuda, *version);
}

}  // namespace

void read_machine(const Context& context, const std::vector<CallIndex>& units, Lists& lists) {
  ListDraft& boxes = lists["unit.boxes"];
  boxes.count = std::min<std::uint64_t>(boxes.count, units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    read_items(units[i], lists);
    complete_box(boxes.records[i], units[i]);
  }
  read_error_records(context);
  read_cuda_version(context);
}

}  // namespace nvmlab::importer::replay
