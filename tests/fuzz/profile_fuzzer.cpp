// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a profile or machine file: the compiler says what is wrong, with the place, or makes an image that opens.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/machine/image.hpp"
#include "engine/workshop/compile.hpp"
#include "tests/fuzz/fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvmlab;
  static const std::string file =
      (std::filesystem::temp_directory_path() / ("nvmlab-fuzz-" + std::to_string(::getpid()) + ".yaml")).string();
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto machine = workshop::compile(file, {});
  std::filesystem::remove(file);
  if (!machine) {
    if (workshop::describe(machine.error()).empty()) fuzz::wrong("refused without a word");
    return 0;
  }
  Image image;
  if (open_image(machine->image.data(), machine->image.size(), &image) != ImageError::none)
    fuzz::wrong("compiled to something that is no image");
  return 0;
}
