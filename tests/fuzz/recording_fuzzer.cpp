// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a recording, whole or cut off: read, or refused with a reason.
#include "import/recording/recording.hpp"
#include "tests/fuzz/fuzzer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvmlab;
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  for (const bool partial : {false, true}) {
    const auto read = recording::read_bytes("input", bytes, {.partial = partial, .max_bytes = std::size_t{1} << 20});
    if (!read && read.error().message.empty()) fuzz::wrong("refused without a word");
    if (read && !partial && !read->complete) fuzz::wrong("not complete and not refused");
  }
  return 0;
}
