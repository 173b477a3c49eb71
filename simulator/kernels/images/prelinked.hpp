// SPDX-License-Identifier: Apache-2.0
// Programs that are compiled in parts and linked for a device (nvcc -rdc=true): for PTX the linker leaves each part its
// fatbin, and what the program registers points to a list of them. Tests: tests/unit/kernels/images_test.cpp.
#pragma once

#include "kernels/images/image.hpp"

namespace nvmlab::kernels {

// The texts of all parts, to be linked. `fatbins` ends with a null pointer. The device runtime, a part like any other
// where kernels call it, is code of real GPUs; ours takes its place.
std::expected<PtxTexts, ImageFailure> ptx_of_parts(const char* const* fatbins, const ImageTarget& device);

}  // namespace nvmlab::kernels
