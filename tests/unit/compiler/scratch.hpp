// SPDX-License-Identifier: Apache-2.0
//
// Files of a test in a folder of its own, which goes away with it.
#pragma once

#include <filesystem>
#include <string>

namespace nvmlab::test {

class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  // The path of a new file with that content.
  std::string file(const std::string& name, const std::string& text) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

// Takes the folder out of messages, so that they can be compared.
std::string without(const std::filesystem::path& folder, std::string text);

}  // namespace nvmlab::test
