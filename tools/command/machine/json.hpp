// SPDX-License-Identifier: Apache-2.0
//
// Values as JSON: numbers as numbers, words and texts as strings, lists and records as arrays and objects, null for
// what NVML does not support, {"answer": CODE} for other refusals. Tests: tests/unit/command/json_test.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "command/machine/listing.hpp"
#include "control/view.hpp"

namespace nvmlab::tool {

using Json = nlohmann::ordered_json;

Json json_of(const compiler::FieldRef& ref, const std::byte* owner);

// {"node": {path: value}, "gpus": [{"index": 0, "uuid": "GPU-...", "values": {path: value}}]}
Json json_of(const Listing& listing, const control::MachineView& view, const LineOptions& options);

// Indented; bytes that are no UTF-8 are replaced.
std::string text_of(const Json& json);

}  // namespace nvmlab::tool
