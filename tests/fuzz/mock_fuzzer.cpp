// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a configuration of NVIDIA's Go mock: as with profile_fuzzer.cpp.
#include "compiler/mock/config.hpp"
#include "tests/fuzz/compiled.hpp"
#include "tests/fuzz/scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvmlab;
  static const fuzz::ScratchFile file;
  const auto mock = compiler::compile_mock_config(file.write(data, size), {});
  if (mock) {
    fuzz::check_machine(mock->machine);
  } else {
    fuzz::check_refusal(mock.error());
  }
  return 0;
}
