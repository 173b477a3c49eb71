// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "nvmlab/abi/generated/types.hpp"
#include "nvmlab/nvml/field_numbers.hpp"
#include "recorder/by_hand.hpp"

namespace nvmlab::recorder {
namespace {

namespace abi = nvml::abi;

constexpr char kGetFieldValues[] = "nvmlDeviceGetFieldValues";
constexpr char kReadPrmCounters[] = "nvmlDeviceReadPRMCounters_v1";
constexpr std::size_t kMostScopes = 64;
constexpr unsigned kPorts = 37;  // ports are counted from 1, links from 0

constexpr Field kTypeField{.name = "valueType", .size = 4, .kind = Kind::enumerator, .names = &value_types};
constexpr Field kValueField{.name = "value", .size = 8, .kind = Kind::value};

void write_value(Walking& walking, Json& json, std::uint32_t type, const abi::nvmlValue_t& value) {
  Decoder decoder(walking.masker, walking.seen, walking.objects);
  decoder.value_type(type);
  decoder.value(json.key("valueType"), kTypeField, reinterpret_cast<const std::byte*>(&type));
  decoder.value(json.key("value"), kValueField, reinterpret_cast<const std::byte*>(&value));
}

void write_field(Walking& walking, const Object& device, const FieldId& field, unsigned number, int answer,
                 const abi::nvmlFieldValue_t& value) {
  std::string line;
  Json json(line);
  begin_line(json, kGetFieldValues, device.subject);
  json.key("in").begin_object();
  json.key("fieldId").text(field.name);
  json.key("scopeId").number(value.scopeId);
  json.end_object();
  json.key("number").number(number);
  code(json.key("code"), answer);
  if (answer == kSuccess) {
    json.key("out").begin_object();
    json.key("timestamp").integer(value.timestamp);
    json.key("latencyUsec").integer(value.latencyUsec);
    write_value(walking, json, static_cast<std::uint32_t>(value.valueType), value.value);
    json.end_object();
  }
  json.end_object();
  ++walking.calls;
  walking.lines.line(line);
}

void write_counter(Walking& walking, const Object& device, const Name& counter, int answer,
                   const abi::nvmlPRMCounter_v1_t& told) {
  std::string line;
  Json json(line);
  begin_line(json, kReadPrmCounters, device.subject);
  json.key("in").begin_object();
  json.key("counterId").text(counter.name);
  json.key("localPort").number(told.inData.localPort);
  json.end_object();
  code(json.key("code"), answer);
  if (answer == kSuccess) {
    json.key("out").begin_object();
    write_value(walking, json, static_cast<std::uint32_t>(told.counterValue.outputType), told.counterValue.outputValue);
    json.end_object();
  }
  json.end_object();
  ++walking.calls;
  walking.lines.line(line);
}

}  // namespace

void ask_fields(Walking& walking, const Object& device, std::uint32_t driver) {
  if (!walking.library.has(kGetFieldValues)) return;
  for (const FieldId& field : field_ids) {
    const unsigned number = nvml::detail::field_number(field.id, driver);
    if (number == 0) continue;  // the driver means something else by it
    abi::nvmlFieldValue_t values[kMostScopes]{};
    const std::size_t scopes = field.scopes < kMostScopes ? field.scopes : kMostScopes;
    for (std::size_t scope = 0; scope < scopes; ++scope) {
      values[scope].fieldId = number;
      values[scope].scopeId = static_cast<unsigned>(scope);
    }
    const int answer = call_announced(walking, kGetFieldValues, device.subject, device.handle, scopes, values);
    for (std::size_t scope = 0; scope < scopes; ++scope) {
      const int own = answer != kSuccess ? answer : static_cast<int>(values[scope].nvmlReturn);
      write_field(walking, device, field, number, own, values[scope]);
      if (own == kInvalidArgument || answer != kSuccess) break;  // so are the scopes behind it
    }
    if (walking.lines.stopped()) return;
  }
}

void ask_prm_counters(Walking& walking, const Object& device) {
  if (!walking.library.has(kReadPrmCounters)) return;
  for (const Name& counter : prm_counters.all) {
    abi::nvmlPRMCounter_v1_t counters[kPorts]{};
    for (unsigned port = 0; port < kPorts; ++port) {
      counters[port].counterId = static_cast<unsigned>(counter.value);
      counters[port].inData.localPort = port;
    }
    abi::nvmlPRMCounterList_v1_t list{};
    list.numCounters = kPorts;
    list.counters = counters;
    const int answer = call_announced(walking, kReadPrmCounters, device.subject, device.handle, &list);
    if (answer != kSuccess) return write_counter(walking, device, counter, answer, counters[0]);
    for (unsigned port = 0; port < kPorts; ++port) {
      const int own = static_cast<int>(counters[port].counterValue.status);
      if (own == kSuccess || port == 0) write_counter(walking, device, counter, own, counters[port]);
    }
    if (walking.lines.stopped()) return;
  }
}

}  // namespace nvmlab::recorder
