// SPDX-License-Identifier: Apache-2.0
// Which release a header is, by its facts: NVIDIA's header does not say. Covered by
// tests/unit/codegen/fetch_source_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

// The known releases with exactly these facts, oldest first; none for an unknown header.
std::vector<std::string> releases_with_facts_of(const Registry& registry, const Release& header);

}  // namespace nvmlab::codegen
