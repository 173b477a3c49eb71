// SPDX-License-Identifier: Apache-2.0
// Instructions on textures and surfaces, lane after lane. Tests: tests/unit/kernels/forms/textures.cpp.
#pragma once

#include "kernels/code/instruction.hpp"

namespace nvmlab::kernels {

// imm: the TextureAccess.
void access_texture(Warp& warp, const Instruction& code, std::uint32_t mask);

// Of txq and suq, by its word: Instruction's `what`; negative: none that is known.
int texture_query(const char* word, std::size_t length);

}  // namespace nvmlab::kernels
