// SPDX-License-Identifier: Apache-2.0
// What people say of libcuda.so.1: model/cuda/functions/*.yaml has one verdict for each function, attributes.yaml where
// each device attribute comes from, results.yaml the text of each result code. Covered by
// tests/unit/codegen/cuda_facts_test.cpp.
#pragma once

#include <optional>

#include "codegen/cuda/facts.hpp"

namespace nvmlab::codegen::cuda {

struct Verdict {
  std::string topic;
  bool call = false;  // a person wrote the body; else the function refuses with CUDA_ERROR_NOT_SUPPORTED
  bool before_init = false;
  std::string why;
};

// Where an attribute comes from: a field of the state or an item of one, a rule of drivers/cuda, or a value; `value` is
// also what a board answers whose profile does not tell the field.
struct Attribute {
  std::string name;  // as in the header
  std::int64_t id = 0;
  std::uint32_t since = 0;
  std::string field;  // "cuda.max_block_dim"
  std::optional<unsigned> item;
  std::string rule;
  std::optional<std::int64_t> value;
  std::vector<std::pair<unsigned, std::int64_t>> by_capability;  // 10 x major + minor and the value from there on
  std::string source;
};

struct ResultText {
  std::string name;
  std::int64_t value = 0;
  std::string text;
  std::string source;
};

struct Meaning {
  std::map<std::string, Verdict, std::less<>> verdicts;  // by symbol: every one of the facts
  std::vector<Attribute> attributes;                     // by id; every one of the facts
  std::vector<ResultText> results;                       // by value
};

// `folder` is model/cuda.
Result<Meaning> load_meaning(const std::filesystem::path& folder, const Facts& facts);

}  // namespace nvmlab::codegen::cuda
