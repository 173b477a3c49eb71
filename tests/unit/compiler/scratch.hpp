// SPDX-License-Identifier: Apache-2.0
//
// Files of a test in a folder of its own, which goes away with it.
#pragma once

#include <filesystem>
#include <string>

#include "base/temp_folder.hpp"

namespace nvmlab::test {

class Scratch {
 public:
  // The path of a new file with that content.
  std::string file(const std::string& name, const std::string& text) const;
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TempFolder folder_{"nvmlab-compiler"};
};

// Takes the folder out of messages, so that they can be compared.
std::string without(const std::filesystem::path& folder, std::string text);

}  // namespace nvmlab::test
