// SPDX-License-Identifier: Apache-2.0
//
// A machine that somebody damages while it is in use: the first bytes say which fields of the store, and which words of
// its administration, get which values (the header is checked when it is opened: image_fuzzer.cpp), the rest is a
// conversation with the driver. What it answers may be nonsense then; what it must not do is crash, hang, or write
// where it should not.
#include "tests/fuzz/stage.hpp"

namespace nvmlab::fuzz {
namespace {

std::uint64_t value(Stage& stage) {
  switch (stage.bytes.pick(4)) {
    case 0:
      return ~std::uint64_t{0} >> stage.bytes.pick(64);
    case 1:
      return std::uint64_t{1} << stage.bytes.pick(64);
    case 2:
      return stage.bytes.pick(256);
    default:
      return stage.bytes.any();
  }
}

void put(Stage& stage, std::byte* at, std::size_t room) {
  constexpr std::size_t kSizes[] = {1, 2, 4, 8};
  const std::size_t size = std::min(kSizes[stage.bytes.pick(4)], room);
  const std::uint64_t bits = value(stage);
  std::memcpy(at, &bits, size);
}

// A byte of a field that readers see, most often in its first words: there lie lengths and answers.
template <class State>
void damage_state(Stage& stage, Latched<State>& slot, bool of_node) {
  std::vector<const Topic*> candidates;
  for (const Topic& topic : topics()) {
    if (topic.of_node == of_node) candidates.push_back(&topic);
  }
  const Topic& topic = *candidates[stage.bytes.pick(candidates.size())];
  const Field& field = topic.table.fields[stage.bytes.pick(topic.table.field_count)];
  const std::size_t reach = stage.bytes.pick(2) == 0 ? std::min<std::size_t>(field.size, 16) : field.size;
  const std::size_t at = stage.bytes.pick(reach);
  put(stage, reinterpret_cast<std::byte*>(&slot.copies[slot.sequence & 1]) + topic.offset + field.offset + at,
      field.size - at);
}

// The words before the two copies.
template <class State>
void damage_slot(Stage& stage, Latched<State>& slot) {
  const std::size_t at = stage.bytes.pick(16);
  put(stage, reinterpret_cast<std::byte*>(&slot) + at, 16 - at);
}

void damage(Stage& stage) {
  Store& store = stage.machine.store();
  switch (stage.bytes.pick(8)) {
    case 0:
      return damage_slot(stage, store.slots()[stage.bytes.pick(4)]);
    case 1:
      return damage_slot(stage, store.node);
    case 2:
    case 3:
      return damage_state(stage, store.node, true);
    case 4: {  // what other processes change in the header while a machine is up
      std::uint32_t* words[] = {&store.header.phase, &store.header.changes, &store.header.set_apart};
      *words[stage.bytes.pick(3)] = static_cast<std::uint32_t>(value(stage));
      return;
    }
    default:
      return damage_state(stage, store.slots()[stage.bytes.pick(4)], false);
  }
}

}  // namespace
}  // namespace nvmlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static nvmlab::fuzz::Stage stage;
  stage.conversation.accept_any_code();
  stage.set(data, size);
  for (std::size_t left = stage.bytes.pick(16); left > 0; --left)
    nvmlab::fuzz::damage(stage);
  stage.talk();
  return 0;
}
