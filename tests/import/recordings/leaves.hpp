// SPDX-License-Identifier: Apache-2.0
//
// The state of a machine as single values with names: fields, members of records, members of records in lists.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "compiler/compile.hpp"

namespace nvmlab::test {

// "thermal.fans[0].rpm" to YAML; what NVML does not support has no entry. Records that have a number of their own are
// found by it: the order of a board's MIG profiles says nothing.
using Leaves = std::map<std::string, std::string>;

Leaves leaves_of(const Node& node);
Leaves leaves_of(const Gpu& gpu);

// The name without indices: "clocks.pstates[].number".
std::string kind_of(std::string_view leaf);

}  // namespace nvmlab::test
