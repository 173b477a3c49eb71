// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "codegen/report/diff.hpp"
#include "codegen/validate/probe.hpp"

namespace nvmlab::codegen {

std::vector<std::string> deviations(const Release& facts, const Release& header) {
  std::vector<std::string> lines;
  const auto compare = [&lines](std::string_view kind, const auto& known, const auto& read) {
    match(
        known, read,
        [&](const auto& entry) {
          lines.push_back(fmt::format("{} {} is in the facts, not in the header", kind, entry.name));
        },
        [&](const auto& entry) {
          lines.push_back(fmt::format("{} {} is in the header, not in the facts", kind, entry.name));
        },
        [&](const auto& a, const auto& b) {
          if (!(a == b)) lines.push_back(fmt::format("{} {} is another in the header than in the facts", kind, a.name));
        });
  };
  compare("function", facts.functions, header.functions);
  compare("record", facts.records, header.records);
  compare("enum", facts.enums, header.enums);
  compare("type name", facts.typedefs, header.typedefs);
  compare("handle", facts.handles, header.handles);
  compare("macro", facts.macros, header.macros);
  return lines;
}

}  // namespace nvmlab::codegen
