// SPDX-License-Identifier: Apache-2.0
// JSON Schemas (draft 7) by which editors complete and check what people write: profiles and machines, and the model's
// own files. What a schema cannot say (sums, inheritance, names of sources) the compiler and nvmlgen still check.
// tests/unit/schema/ holds every shipped file to them, and sees that they refuse what is wrong.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/io/output.hpp"
#include "codegen/model/facts_json.hpp"
#include "codegen/model/inputs.hpp"
#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_schemas(const Inputs& inputs, Output& output);

namespace schema {

Json refer(std::string_view definition);  // "#/definitions/..."
Json any_of(std::vector<Json> choices);
Json one_of_words(const std::vector<std::string>& words);
Json text();  // a scalar that is taken as it stands: YAML reads 2.1 as a number
Json pattern(std::string_view expression);
Json list_of(Json items);
// No other keys than these.
Json mapping(Json properties, const std::vector<std::string>& required = {});
// Any keys, each with such a value.
Json mapping_to(Json values);

// Definitions of what all fields of one type take, and of the records that a topic's lists are made of
// ("topic.record").
void add_value_types(Json& definitions);
void add_records(const StateTopic& topic, Json& definitions);
// What a topic's field takes: a value, null or an answer, and each of them with a source of its own.
Json sourced_field(const StateTopic& topic, const StateField& field);

Json profile(const Vocabulary& vocabulary, const Inputs& inputs);  // and machines
Json state();                                                      // model/state/*.yaml
Json meaning();                                                    // model/meaning/*.yaml
Json ids();                                                        // model/meaning/ids/*.yaml

}  // namespace schema
}  // namespace nvmlab::codegen
