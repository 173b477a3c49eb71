// SPDX-License-Identifier: Apache-2.0
#include "command/machine/change_text.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstring>
#include <type_traits>
#include <vector>

#include "command/machine/clocks.hpp"
#include "command/machine/events.hpp"
#include "command/machine/faults.hpp"
#include "command/machine/function_faults.hpp"
#include "command/machine/reflection.hpp"
#include "compiler/return_codes.hpp"
#include "compiler/values.hpp"
#include "control/machine.hpp"
#include "control/places.hpp"

namespace nvmlab::tool {
namespace {

// "SetPowerLimit" becomes "set-power-limit".
std::string in_words(std::string_view type) {
  std::string words;
  for (const char c : type) {
    const bool capital = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (capital && !words.empty()) words += '-';
    words += capital ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
  }
  return words;
}

std::string hexadecimal(const std::uint8_t* bytes, std::size_t size) {
  while (size > 0 && bytes[size - 1] == 0)
    --size;
  std::string text;
  for (std::size_t i = 0; i < size; ++i)
    text += fmt::format("{:02x}", bytes[i]);
  return text;
}

template <class Value>
Json value_of(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(enumerator_name(value));
  } else if constexpr (std::is_same_v<Value, ProfileMask>) {
    Json profiles = Json::array();
    for (std::uint32_t id = 0; id < 256; ++id)
      if (value.has(id)) profiles.push_back(id);
    return profiles;
  } else if constexpr (std::is_same_v<Value, HostnameText>) {
    return value_of(value.characters);
  } else if constexpr (std::is_array_v<Value>) {
    using Item = std::remove_cvref_t<decltype(value[0])>;
    if constexpr (std::is_same_v<Item, char>) return std::string(value, ::strnlen(value, sizeof value));
    if constexpr (std::is_same_v<Item, std::uint8_t>) return hexadecimal(value, sizeof value);
  } else if constexpr (std::is_same_v<Value, std::uint32_t>) {
    return value == kNoInstance ? Json() : Json(value);  // of an instance, a pstate or a node: none
  } else {
    return value;
  }
}

// A value of which all bytes are there, as `nvmlab get` would print it.
Json value_in(const control::PlacedField& place, std::uint32_t offset, const std::uint8_t* bytes, std::uint32_t size) {
  if (place.offset < offset || place.offset + place.field->size > offset + size) return {};
  std::vector<std::byte> copy(place.field->size);
  std::memcpy(copy.data(), bytes + (place.offset - offset), copy.size());
  return compiler::format_value(*place.field, copy.data(), compiler::Style::people);
}

ChangeText about_fields(const char* name, const LogEntry& entry, std::uint32_t offset, const void* bytes,
                        std::uint32_t size) {
  Json values = Json::object();
  for (const control::PlacedField& place : control::fields_at(entry.target == MachinePart::node, offset, size))
    values[place.path] = value_in(place, offset, static_cast<const std::uint8_t*>(bytes), size);
  return {name, std::move(values)};
}

// A log lies in a file that others write.
template <class Size>
Size within(Size size, std::size_t most) {
  return size < most ? size : static_cast<Size>(most);
}

ChangeText text_of(const PutBytes& change, const LogEntry& entry) {
  return about_fields("set", entry, change.offset, change.bytes, within(change.size, sizeof change.bytes));
}

ChangeText text_of(const WriteSetting& change, const LogEntry& entry) {
  Fact<std::uint32_t> setting{};
  setting.set(change.value);
  return about_fields("set", entry, change.offset, &setting, sizeof setting);
}

ChangeText text_of(const PinField& change, const LogEntry& entry) {
  return about_fields("pin", entry, change.offset, change.value, within(change.size, sizeof change.value));
}

ChangeText about_place(const char* name, const LogEntry& entry, std::uint32_t offset) {
  Json names = Json::object();
  for (const control::PlacedField& place : control::fields_at(entry.target == MachinePart::node, offset, 1))
    names[place.path] = Json();
  return {name, std::move(names)};
}

ChangeText text_of(const ClearCounter& change, const LogEntry& entry) {
  return about_place("clear", entry, change.offset);
}
ChangeText text_of(const ReleaseField& change, const LogEntry& entry) {
  return about_place("release", entry, change.offset);
}

ChangeText text_of(const RestoreBytes& change, const LogEntry& entry) {
  return about_fields("restore", entry, change.offset, change.bytes, within(change.size, sizeof change.bytes));
}
ChangeText text_of(const RestorePin& change, const LogEntry& entry) {
  return about_fields("restore-pin", entry, change.pin.offset, change.pin.value,
                      within(change.pin.size, sizeof change.pin.value));
}
ChangeText text_of(const RestoreSnapshot& change, const LogEntry&) {
  return {"restore-snapshot", Json{{"snapshot", fmt::format("{:016x}", change.snapshot)},
                                   {"present", change.present != 0},
                                   {"pins", change.pins},
                                   {"places", change.places}}};
}

ChangeText text_of(const RaiseEvent& change, const LogEntry&) {
  const Event event{.type = change.type,
                    .data = change.data,
                    .at_ns = 0,
                    .gpu = 0,
                    .gpu_instance = change.gpu_instance,
                    .compute_instance = change.compute_instance,
                    .of_machine = change.of_machine ? 1u : 0u};
  return {"raise-event", Json{{"event", describe(event)}}};
}

ChangeText text_of(const SetMachineClock& change, const LogEntry&) {
  Json arguments{{"mode", std::string(name_of(change.mode))}};
  if (change.mode == ClockMode::scaled) arguments["scale"] = text_of_rate(change.rate);
  return {"set-machine-clock", std::move(arguments)};
}

ChangeText text_of(const FailInit& change, const LogEntry&) {
  return {"fail-init", Json{{"code", change.code == 0 ? "SUCCESS" : compiler::return_code_name(change.code)}}};
}

ChangeText text_of(const InjectFault& change, const LogEntry&) {
  ActiveFault fault{};
  fault.kind = static_cast<std::uint32_t>(change.kind);
  fault.number = change.number;
  fault.gpu_instance = change.gpu_instance;
  fault.compute_instance = change.compute_instance;
  fault.times = change.times;
  return {"fault", Json{{"fault", describe(fault)}}};
}

ChangeText text_of(const HealFault& change, const LogEntry&) {
  const FaultRow* const row = find_fault(change.kind);
  if (change.all || row == nullptr) return {"heal", Json::object()};
  const bool any = change.number == HealFault::kAnyNumber;
  return {"heal", Json{{"fault", any ? std::string(row->name) : describe(change.kind, change.number)}}};
}

Json of_calls(const std::string& text, std::uint32_t gpu) {
  Json arguments{{"fault", text}};
  if (gpu != kAnyGpu) arguments["gpu"] = gpu;
  return arguments;
}

ChangeText text_of(const FailFunction& change, const LogEntry&) {
  return {"fault", of_calls(describe(change.fault), change.fault.gpu)};
}

ChangeText text_of(const HealFunctions& change, const LogEntry&) {
  const std::string function(change.function, ::strnlen(change.function, sizeof change.function));
  return {"heal", of_calls(function.empty() ? "call" : "call " + function, change.gpu)};
}

ChangeText text_of(const SetMetricCurves& change, const LogEntry&) {
  Json arguments = Json::object();
  if ((change.which & kTemperatureCurve) != 0) arguments["base_c"] = change.base_c;
  if ((change.which & kPowerCurve) != 0) arguments["base_mw"] = change.base_mw;
  if ((change.which & kUtilizationCurve) != 0) arguments["gpu_max"] = change.gpu_max;
  if ((change.which & kLinkErrorCurve) != 0) arguments["link_error_milli"] = change.link_error_milli;
  return {"set-metric-curves", std::move(arguments)};
}

template <class Body>
ChangeText text_of(const Body& change, const LogEntry&) {
  ChangeText text{in_words(reflection::type_name<Body>()), Json::object()};
  visit_members(change, [&text](std::string_view name, const auto& value) {
    if (Json json = value_of(value); !json.is_null()) text.arguments[std::string(name)] = std::move(json);
  });
  return text;
}

template <class... Bodies>
ChangeText text_among(const LogEntry& entry, ChangeList<Bodies...>) {
  ChangeText text{fmt::format("change-{}", entry.kind), Json::object()};
  const auto read = [&entry, &text]<class Body>(const Body*) {
    Body body{};
    std::memcpy(&body, entry.body, sizeof body);
    text = text_of(body, entry);
  };
  (void)((entry.kind == kKindOf<Bodies> && (read(static_cast<const Bodies*>(nullptr)), true)) || ...);
  return text;
}

}  // namespace

ChangeText text_of(const LogEntry& entry) { return text_among(entry, Changes{}); }

std::string line_of(const ChangeText& change) {
  std::string line = change.name;
  for (const auto& [name, value] : change.arguments.items()) {
    line += ' ' + name;
    if (!value.is_null()) line += '=' + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return line;
}

}  // namespace nvmlab::tool
