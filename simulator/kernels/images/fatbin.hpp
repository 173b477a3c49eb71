// SPDX-License-Identifier: Apache-2.0
// Fatbins: several images for several GPUs in one. Tests: tests/unit/kernels/images_test.cpp.
#pragma once

#include <string_view>

#include "kernels/images/image.hpp"

namespace nvmlab::kernels {

constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
constexpr const char* kHowToBuild =
    "kernels run from PTX; build with -gencode arch=compute_80,code=compute_80, or hand over PTX text";

// The bytes that a fatbin says to have; 0: its header is damaged. Reads 16 bytes.
std::uint64_t fatbin_size(const char* data);
bool is_fatbin(std::string_view whole);
// The PTX in it that fits the device best; all texts of one that was linked here. Reads nothing outside of `whole`.
std::expected<PtxTexts, ImageFailure> ptx_in_fatbin(std::string_view whole, const ImageTarget& target);
// One that holds texts which were linked.
std::string linked_fatbin(const PtxTexts& linked, std::uint32_t capability);

}  // namespace nvmlab::kernels
