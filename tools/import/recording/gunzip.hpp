// SPDX-License-Identifier: Apache-2.0
// gzip to text, with a limit. Internal to compiler/recording. Tests: tests/unit/recording/gunzip_test.cpp.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace nvmlab::recording {

bool is_gzip(std::string_view bytes);

struct Unpacked {
  std::string text;
  bool cut_off = false;  // the data ends before its end mark
};

// The error is a sentence. Several members one after the other are one text, as gzip has it.
std::expected<Unpacked, std::string> gunzip(std::string_view bytes, std::size_t max_bytes);

}  // namespace nvmlab::recording
