// SPDX-License-Identifier: Apache-2.0
// What people say of libcudart: model/cudart/functions/*.yaml has one verdict for each function, errors.yaml the text
// of each code. Covered by tests/unit/codegen/cudart_facts_test.cpp.
#pragma once

#include "codegen/cudart/facts.hpp"

namespace nvmlab::codegen::cudart {

enum class Kind {
  call,     // a person wrote the body
  own,      // the whole function, as it returns no cudaError or no header declares it
  forward,  // a function of the driver that takes the same arguments
  refuse,   // cudaErrorNotSupported
};

struct Verdict {
  std::string topic;
  Kind kind = Kind::refuse;
  std::string why;
  std::map<std::uint32_t, std::string> targets;  // of a forward: the driver's function, by major version
};

struct ErrorText {
  std::string name;
  std::int64_t value = 0;
  std::string text;
};

struct Meaning {
  std::map<std::string, Verdict, std::less<>> verdicts;  // by symbol: every one of the facts
  std::vector<ErrorText> errors;                         // by value: every one of the facts
};

// `folder` is model/cudart.
Result<Meaning> load_meaning(const std::filesystem::path& folder, const Facts& facts);

}  // namespace nvmlab::codegen::cudart
