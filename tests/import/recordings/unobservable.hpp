// SPDX-License-Identifier: Apache-2.0
//
// What a recording cannot tell, field by field, each with its reason: the one reviewed place. A machine that was
// imported from a recording may differ from the recorded one in these, and in nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/import/recordings/lacking.hpp"

namespace nvmlab::test {

// Why these two may differ; empty where they may not. An empty value is a field that the board does not support.
std::string_view excuse(std::string_view leaf, std::string_view original, std::string_view imported,
                        const Lacking& lacking);

// Names in the table that are no fields.
std::vector<std::string> unknown_names();

}  // namespace nvmlab::test
