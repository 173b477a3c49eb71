// SPDX-License-Identifier: Apache-2.0
// A private folder for the stores of one test.
#pragma once

#include <string>

#include "base/temp_folder.hpp"

namespace nvmlab::test {

class Folder {
 public:
  std::string path() const { return folder_.path(); }
  std::string file(const char* name) const { return folder_.path() / name; }

 private:
  TempFolder folder_{"nvmlab-machine"};
};

}  // namespace nvmlab::test
