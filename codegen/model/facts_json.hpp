// SPDX-License-Identifier: Apache-2.0
// One definition to and from JSON, without its name (the registry's key). Reading throws nlohmann::json::exception or
// std::invalid_argument on a wrong shape; registry_file.cpp is the only caller and turns that into an Error.
// Covered by tests/unit/codegen/registry_file_test.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

using Json = nlohmann::ordered_json;

Json to_json(const Function& function);
Json to_json(const Record& record);
Json to_json(const Enum& entry);
Json to_json(const EnumeratorFact& fact);
Json to_json(const Typedef& entry);
Json to_json(const Handle& handle);
Json to_json(const Macro& macro);
Json to_json(const Counts& counts);

void from_json(const Json& json, Function& function);
void from_json(const Json& json, Record& record);
void from_json(const Json& json, Enum& entry);
void from_json(const Json& json, EnumeratorFact& fact);
void from_json(const Json& json, Typedef& entry);
void from_json(const Json& json, Handle& handle);
void from_json(const Json& json, Macro& macro);
void from_json(const Json& json, Counts& counts);

}  // namespace nvmlab::codegen
