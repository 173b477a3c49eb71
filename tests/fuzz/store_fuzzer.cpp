// SPDX-License-Identifier: Apache-2.0
//
// A machine that somebody damages while it is in use: the first bytes say which bytes of the store get which values
// (the header is checked when it is opened, tests/unit/machine/ has that), the rest is a conversation with the driver.
// What it answers may be nonsense then; what it must not do is crash, hang, or write where it should not.
#include "tests/fuzz/stage.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static nvmlab::fuzz::Stage stage;
  stage.set(data, size);
  auto* store = reinterpret_cast<std::byte*>(&stage.machine.store());
  const std::size_t header = sizeof stage.machine.store().header;
  for (std::size_t left = stage.bytes.pick(32); left > 0; --left) {
    const std::size_t at = header + stage.bytes.pick(stage.beginning.size() - header);
    store[at] = static_cast<std::byte>(stage.bytes.pick(256));
  }
  stage.talk();
  return 0;
}
