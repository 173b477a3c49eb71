// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a conversation with the driver: each choice of tests/drivers/functions/support/conversation.hpp takes a few
// of them, until they are used up.
#include "tests/fuzz/stage.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static nvmlab::fuzz::Stage stage;
  stage.set(data, size);
  stage.talk();
  return 0;
}
