// SPDX-License-Identifier: Apache-2.0
//
// What can be said about a profile beside its values: its kind, its one line of description, and how many of its values
// come from what kind of source. Tests: tests/command/profiles_test.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/shipped.hpp"

namespace nvmlab::tool {

struct ProfileHead {
  std::string name;
  std::string doc;
  bool machine = false;
  bool family = false;  // others inherit it; it is no board
};
ProfileHead head_of(const compiler::ShippedProfile& profile);
std::string doc_of(const std::string& name_or_path);

// Kinds of source (capture, datasheet, ...) with the number of values that they state, most first. Every value of the
// node and of every GPU counts; what NVML does not support is no value.
using Shares = std::vector<std::pair<std::string, std::size_t>>;
Shares values_by_source(const compiler::Machine& machine);
std::string shares_text(const Shares& shares);  // "capture 85 %, assumed 15 %"

}  // namespace nvmlab::tool
