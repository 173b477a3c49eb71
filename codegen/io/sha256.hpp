// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), to recognise a header and to check a download against its index. Written out here because none
// of the libraries that nvmlgen needs anyway offers it. Covered by tests/unit/codegen/sha256_test.cpp with the
// standard's vectors.
#pragma once

#include <string>
#include <string_view>

namespace nvmlab::codegen {

std::string sha256_hex(std::string_view data);

}  // namespace nvmlab::codegen
