// SPDX-License-Identifier: Apache-2.0
//
// LZ4 blocks and zstd frames, in which compilers pack PTX. Decoders of our own, since this library is opened in any
// process and may meet no decoder there, or another version of one. They trust nothing of the bytes: what is damaged is
// false, and no more than `most` bytes come out. The checksum of a zstd frame is not looked at. Tests:
// tests/unit/kernels/unpack_test.cpp (against lz4 and zstd).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nvmlab::kernels {

bool unpack_lz4(std::string_view packed, std::uint64_t most, std::string* out);
bool unpack_zstd(std::string_view packed, std::uint64_t most, std::string* out);

// Copies `length` bytes that stand `offset` before the end, which may be bytes of the copy itself.
bool repeat_bytes(std::string* out, std::uint64_t offset, std::uint64_t length, std::uint64_t most);

}  // namespace nvmlab::kernels
