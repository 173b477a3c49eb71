// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a capture of any kind: read, or refused with a reason.
#include "import/capture/capture.hpp"
#include "tests/fuzz/fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvmlab;
  const auto captures = capture::read_captures({reinterpret_cast<const char*>(data), size}, "input");
  if (!captures && captures.error().message.empty()) fuzz::wrong("refused without a word");
  return 0;
}
