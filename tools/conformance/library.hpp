// SPDX-License-Identifier: Apache-2.0
// Any NVML library, opened by path or found as programs find it. Tests: tests/drivers/suite/suite_test.cpp.
#pragma once

#include <expected>
#include <string>

#include "recorder/library.hpp"

namespace nvmlab::conformance {

using recorder::kSuccess;
using recorder::Word;

class Library final : public recorder::Library {
 public:
  static std::expected<Library, std::string> open(const std::string& path);

  void* address(const char* name) const override;

 private:
  explicit Library(void* handle) : handle_(handle) {}

  void* handle_;
};

}  // namespace nvmlab::conformance
