// SPDX-License-Identifier: Apache-2.0
// Facts in words, shared by diff, stats and explain. Covered by tests/unit/codegen/{diff,explain}_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/facts.hpp"
#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

// A titled list; a report is some of them. Empty ones are not printed.
struct Section {
  std::string title;
  std::vector<std::string> lines;
};

std::string to_text(const std::vector<Section>& sections);

// "nvmlReturn_t nvmlX(nvmlDevice_t device, char* name)"
std::string signature(const Function& function);

// "char name[16]"; a nested record is "struct {...} name".
std::string declaration(const Field& field);

// "11.1 to 12.2.81", "since 11.1" (still there), "11.1 only".
template <class T>
std::string period(const Span<T>& span) {
  if (span.until.empty()) return "since " + span.since;
  return span.since == span.until ? span.since + " only" : span.since + " to " + span.until;
}

}  // namespace nvmlab::codegen
