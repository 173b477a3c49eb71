// SPDX-License-Identifier: Apache-2.0
//
// Which names a driver has to export, from the facts in model/facts/: every function of the newest header, every name
// that a real driver still exports, and the one entry that no header declares.
#pragma once

#include <expected>
#include <map>
#include <set>
#include <string>

namespace nvmlab::abi_test {

struct KnownNames {
  std::set<std::string> exports;
  std::map<std::string, std::string> first_parameter;  // C type by function; "" where it takes none or no header has it
};

std::expected<KnownNames, std::string> known_names();

}  // namespace nvmlab::abi_test
