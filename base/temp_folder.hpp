// SPDX-License-Identifier: Apache-2.0
//
// A new folder that nobody else can look into, gone with everything in it at the end of the scope.
// Tests: tests/unit/base/temp_folder_test.cpp.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace nvmlab {

class TempFolder {
 public:
  // `prefix` is what its name begins with.
  explicit TempFolder(const std::string& prefix = "nvmlab") {
    std::error_code failed;
    std::string pattern = (std::filesystem::temp_directory_path(failed) / (prefix + "-XXXXXX")).string();
    if (!failed && ::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  // Empty when none could be made.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace nvmlab
