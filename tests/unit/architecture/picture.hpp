// SPDX-License-Identifier: Apache-2.0
// The rooms and their arrows as a picture (Mermaid's text), which docs/pipeline.md shows. Drawn from rooms.hpp, so that
// there is one table. picture_test.cpp holds the page to it; NVMLAB_APPROVE=1 in its environment redraws the page.
#pragma once

#include <string>

namespace nvmlab::architecture {

// Rooms by their first folder. An arrow that others lead around to is left out, and so are tests and bench, from which
// arrows lead everywhere. Dotted: to one header of the room alone.
std::string picture_of_rooms();

}  // namespace nvmlab::architecture
