// SPDX-License-Identifier: Apache-2.0
// The two kinds of index as text, apart from the network: what an untrusted JSON document offers. Covered by
// tests/unit/codegen/fetch_index_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/fetch/source.hpp"

namespace nvmlab::codegen {

// redistrib_*.json: at most one offer for x86_64 Linux; `base` is the address of its folder. None if the release had no
// such part.
Result<std::vector<Offer>> offers_in_redistrib(std::string_view json, const std::string& name, std::string_view base);

// The names of redistrib_*.json in a folder's page, without doubles, as they come.
std::vector<std::string> redistrib_names(std::string_view page);

// repodata.json of a channel's linux-64 folder; `base` is that folder's address.
Result<std::vector<Offer>> offers_in_repodata(std::string_view json, const std::string& name, std::string_view base);

}  // namespace nvmlab::codegen
