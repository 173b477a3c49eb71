// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

// The structs of a simulated GPU and node, their field tables and the store's layout hash, as (path, text) pairs in
// engine/state/generated/ and engine/topics/generated/.
std::vector<std::pair<std::string, std::string>> render_state(const Vocabulary& vocabulary);

}  // namespace nvmlab::codegen
