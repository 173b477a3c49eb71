// SPDX-License-Identifier: Apache-2.0
#include "conformance/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "recorder/walk.hpp"

namespace nvmlab::conformance {
namespace {

using Json = nlohmann::ordered_json;

int code_of(const std::string& text) {
  for (const char* prefix : {"NVML_ERROR_", "NVML_"}) {
    for (const recorder::Name& each : recorder::return_codes.all) {
      if (prefix + text == each.name) return static_cast<int>(each.value);
    }
  }
  return std::atoi(text.c_str());
}

Moves moves_of(std::string_view function) {
  const auto at = std::ranges::lower_bound(recorder::functions, function, {},
                                           [](const recorder::Function& row) { return std::string_view(row.name); });
  return at != recorder::functions.end() && function == at->name ? at->moves : Moves::unknown;
}

class Calls final : public recorder::Lines {
 public:
  void line(std::string_view text) override {
    const Json line = Json::parse(text);
    Call call;
    call.function = line.at("call");
    call.gpu = line.value("gpu", -1);
    bool of_machine = true;
    for (const auto& [name, value] : line.items()) {
      if (!value.is_number() || name == "number") continue;
      call.key += fmt::format("{}{} ", name, value.get<long long>());
      of_machine = false;
    }
    call.key += call.function;
    call.arguments = line.value("in", Json::object());
    for (const auto& [name, value] : call.arguments.items())
      call.key += fmt::format(" {}={}", name, value.is_string() ? value.get<std::string>() : value.dump());
    call.code = code_of(line.at("code"));
    const bool lacking = of_machine && call.arguments.empty() && line.at("code") == "FUNCTION_NOT_FOUND";
    if (lacking) call.code = kMissing;
    call.values = line.value("out", Json::object());
    call.moves = moves_of(call.function);
    all.push_back(std::move(call));
  }

  std::vector<Call> all;
};

}  // namespace

std::vector<Call> walk(const Library& library) {
  Calls calls;
  recorder::Masker keep(false);
  recorder::walk(library, recorder::find_objects(library), keep, calls, {});
  return std::move(calls.all);
}

}  // namespace nvmlab::conformance
