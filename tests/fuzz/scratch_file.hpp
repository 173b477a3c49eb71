// SPDX-License-Identifier: Apache-2.0
//
// An input as the file `input.yaml` in a folder of this process alone: profiles and machines must be called like their
// file, so the name is the same for every input.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzzer.hpp"

namespace nvmlab::fuzz {

class ScratchFile {
 public:
  ScratchFile() { std::filesystem::create_directories(folder_); }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::string write(const std::uint8_t* data, std::size_t size) const {
    const std::string path = folder_ / "input.yaml";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path;
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("nvmlab-fuzz-" + std::to_string(::getpid()));
};

}  // namespace nvmlab::fuzz
