// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a profile or machine file: the compiler says what is wrong, with the place, or makes an image that opens.
#include "tests/fuzz/compiled.hpp"
#include "tests/fuzz/scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvmlab;
  static const fuzz::ScratchFile file;
  const auto machine = compiler::compile(file.write(data, size), {});
  if (machine) {
    fuzz::check_machine(*machine);
  } else {
    fuzz::check_refusal(machine.error());
  }
  return 0;
}
