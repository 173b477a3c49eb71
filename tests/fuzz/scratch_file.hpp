// SPDX-License-Identifier: Apache-2.0
//
// An input as the file `input.yaml` in a folder of this process alone: profiles and machines must be called like their
// file, so the name is the same for every input.
#pragma once

#include <fstream>
#include <string>

#include "base/temp_folder.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace nvmlab::fuzz {

class ScratchFile {
 public:
  std::string write(const std::uint8_t* data, std::size_t size) const {
    const std::string path = folder_.path() / "input.yaml";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path;
  }

 private:
  TempFolder folder_{"nvmlab-fuzz"};
};

}  // namespace nvmlab::fuzz
