// SPDX-License-Identifier: Apache-2.0
// Folders of verdicts, one file for each topic: a mapping `functions` of names with what each of them does, and a list
// `unsupported` of names without their versions, with the reason. What is made of a verdict is the reader's: libcuda
// and libcudart have each their own (codegen/cuda/meaning.cpp, codegen/cudart/meaning.cpp). Tests:
// tests/unit/codegen/cuda_facts_test.cpp, cudart_facts_test.cpp.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/yaml/tree.hpp"
#include "codegen/error.hpp"

namespace nvmlab::codegen::cuda {

// The scalar of a key; empty: there is none.
std::string text_of(const yaml::Node& node, std::string_view key);

struct VerdictReader {
  std::set<std::string> symbols;  // every one of which has to get a verdict
  // What a mapping says, of one symbol; and that it is refused.
  std::function<std::expected<void, Error>(const std::string& symbol, const yaml::Node& node, const std::string& topic)>
      accept;
  std::function<void(const std::string& symbol, const std::string& why, const std::string& topic)> refuse;
};

// Each symbol is told once, those that are refused after all others.
std::expected<void, Error> read_verdict_files(const std::filesystem::path& folder, const VerdictReader& reader);

}  // namespace nvmlab::codegen::cuda
