// SPDX-License-Identifier: Apache-2.0
// Downloads over http and https with libcurl, into memory. Bounded in size and time; never to another protocol.
// Covered by tests/unit/codegen/fetch_download_test.cpp.
#pragma once

#include <cstddef>
#include <string>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

inline constexpr std::size_t largest_download = std::size_t{256} << 20U;

Result<std::string> download(const std::string& url, std::size_t limit = largest_download);

bool is_url(std::string_view text);

// "http://host/folder/" + "a/b" ; an address in `relative` stands for itself.
std::string join_url(std::string_view base, std::string_view relative);

}  // namespace nvmlab::codegen
