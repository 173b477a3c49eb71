// SPDX-License-Identifier: Apache-2.0
// The components and their arrows as text for Mermaid, which docs/pipeline.md shows. picture_test.cpp compares the page
// with the table; NVMLAB_APPROVE=1 in its environment redraws the page.
#pragma once

#include <string>

namespace nvmlab::architecture {

// Draws components by their first folder below the include roots. The picture leaves out an arrow if other arrows lead
// to the same place, and tests and benchmarks, which may include everything. An arrow to a single header is dotted.
std::string picture_of_components();

}  // namespace nvmlab::architecture
