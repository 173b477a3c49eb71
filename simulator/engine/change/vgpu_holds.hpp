// SPDX-License-Identifier: Apache-2.0
// Changes that a GPU rejects while vGPUs run on it. Tests: tests/unit/changes/vgpu_test.cpp.
#pragma once

#include "engine/change/change.hpp"

namespace nvmlab {

// Looks for the first change to GPU `index` that running vGPUs forbid (kInUse), or that needs vGPU types on a board
// without any (kNotSupported), and stores its place in `failed`. Returns kSuccess if there is none.
Code held_by_vgpus(const Store& store, std::uint32_t index, const Change* changes, std::uint32_t count,
                   std::uint32_t* failed);

}  // namespace nvmlab
