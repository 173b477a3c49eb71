// SPDX-License-Identifier: Apache-2.0
//
// What a change makes of a GPU or of the node before it is published: topics that are only looked at are read where
// they lie, and those that are edited are copied, one by one, to memory of the writing process. Used under the
// WriteLock of the store. Tests: tests/unit/changes/pins_test.cpp, edit_test.cpp.
#pragma once

#include <cstring>

#include "engine/store/overlay.hpp"
#include "engine/store/store.hpp"

namespace nvmlab {

template <class State>
class Edit {
 public:
  // `scratch` and `overlay` are memory that nothing else uses meanwhile. What lies in the one does not matter; the
  // other is zeroed, or of an Edit before. `now_ns` is what the change stamps.
  Edit(Latched<State>& slot, State& scratch, Overlay& overlay, std::uint64_t now_ns = 0)
      : slot_(slot), scratch_(scratch), overlay_(overlay), now_ns_(now_ns) {
    overlay_.pins = slot.pins;
    if (!overlay_.faults.none() || !published_faults().none()) overlay_.faults = published_faults();
    overlay_.raised.count = 0;
  }
  Edit(const Edit&) = delete;
  Edit& operator=(const Edit&) = delete;

  // As the change has left it so far.
  template <class Topic>
  const Topic& view(Topic State::*topic) const {
    return edited(kTopicIndex<Topic>) ? scratch_.*topic : published().*topic;
  }

  // To be changed; published with all other topics that were edited.
  template <class Topic>
  Topic& edit(Topic State::*topic) {
    if (!edited(kTopicIndex<Topic>)) {
      load_into(scratch_.*topic, published().*topic);
      edited_ |= 1u << kTopicIndex<Topic>;
    }
    return scratch_.*topic;
  }

  // The topic that holds the field at `offset`, to be changed; null where there is none.
  unsigned char* edit_at(std::uint32_t offset) {
    unsigned char* found = nullptr;
    for_each_topic([this, offset, &found](auto topic) {
      const std::uint64_t begin = place_of(topic);
      if (offset < begin || offset - begin >= sizeof(scratch_.*topic)) return;
      found = reinterpret_cast<unsigned char*>(&this->edit(topic)) + (offset - begin);
    });
    return found;
  }

  // What lies at `offset` now that the change is made, and what is published there.
  const unsigned char* view_at(std::uint32_t offset) const {
    const unsigned char* found = nullptr;
    for_each_topic([this, offset, &found](auto topic) {
      const std::uint64_t begin = place_of(topic);
      if (offset >= begin && offset - begin < sizeof(scratch_.*topic))
        found = reinterpret_cast<const unsigned char*>(&this->view(topic)) + (offset - begin);
    });
    return found;
  }
  const unsigned char* published_at(std::uint32_t offset) const {
    return reinterpret_cast<const unsigned char*>(&published()) + offset;
  }

  // What was published at `offset`, or lay there beneath a fault.
  const unsigned char* before_at(std::uint32_t offset) const {
    const Beneath* const beneath = published_faults().find_beneath(offset);
    return beneath == nullptr ? published_at(offset) : reinterpret_cast<const unsigned char*>(beneath->value);
  }

  // The place within the object of a field that edit() gave.
  std::uint32_t place_of_edited(const void* field) const {
    return static_cast<std::uint32_t>(static_cast<const unsigned char*>(field) -
                                      reinterpret_cast<const unsigned char*>(&scratch_));
  }

  // Pins and faults of the object, to be changed with it.
  Pins& pins() { return overlay_.pins; }
  Faults& faults() { return overlay_.faults; }
  const Faults& faults() const { return overlay_.faults; }

  // Events that are raised once the change is published.
  RaisedEvents& raised() { return overlay_.raised; }

  // The instance or vGPU that the change creates.
  Created& created() { return overlay_.created; }

  bool changed() const { return edited_ != 0 || !same_faults(published_faults()); }

  // Machine time.
  std::uint64_t now_ns() const { return now_ns_; }

  // All of it, for what does not know topics by name.
  State& edit_all() {
    for_each_topic([this](auto topic) { this->edit(topic); });
    return scratch_;
  }

  // Whatever was edited becomes visible at once, or nothing does.
  void publish() {
    if (std::memcmp(&slot_.pins, &overlay_.pins, sizeof overlay_.pins) != 0) slot_.pins = overlay_.pins;
    if (!changed()) return;
    const std::uint64_t next = sequence_behind(slot_, __atomic_load_n(&slot_.sequence, __ATOMIC_RELAXED));
    const std::uint32_t same = __atomic_load_n(&slot_.same, __ATOMIC_RELAXED) & ~edited_;
    // Noted before the first word is written: who comes after a writer that was killed brings over what it touched.
    __atomic_store_n(&slot_.same, same, __ATOMIC_RELEASE);
    bring_over(slot_.copies[next & 1], ~same);
    if (!same_faults(slot_.faults[next & 1])) store(slot_.faults[next & 1], overlay_.faults);
    __atomic_store_n(&slot_.same, ~edited_, __ATOMIC_RELEASE);
    __atomic_store_n(&slot_.sequence, next, __ATOMIC_RELEASE);
    edited_ = 0;
  }

 private:
  // Topics as the change has left them, into the copy that nobody reads.
  void bring_over(State& target, std::uint32_t topics) {
    for_each_topic([this, &target, topics](auto topic) {
      constexpr std::uint32_t index = kTopicIndex<std::remove_reference_t<decltype(target.*topic)>>;
      if ((topics >> index & 1) != 0) store(target.*topic, this->view(topic));
    });
  }

  bool edited(std::uint32_t index) const { return (edited_ >> index & 1) != 0; }
  std::uint64_t published_copy() const { return __atomic_load_n(&slot_.sequence, __ATOMIC_RELAXED) & 1; }
  const State& published() const { return slot_.copies[published_copy()]; }
  const Faults& published_faults() const { return slot_.faults[published_copy()]; }
  bool same_faults(const Faults& faults) const {
    if (faults.none() && overlay_.faults.none()) return true;
    return std::memcmp(&faults, &overlay_.faults, sizeof faults) == 0;
  }
  template <class Visit>
  static void for_each_topic(const Visit& visit) {
    visit_topics(static_cast<const State*>(nullptr), visit);
  }

  // Of a topic within its owner, in bytes.
  template <class Topic>
  static std::uint64_t place_of(Topic State::*topic) {
    return __builtin_bit_cast(std::uint64_t, topic);
  }

  Latched<State>& slot_;
  State& scratch_;
  Overlay& overlay_;
  std::uint64_t now_ns_;
  std::uint32_t edited_ = 0;  // bit N: topic N
};

using GpuEdit = Edit<Gpu>;
using NodeEdit = Edit<Node>;

}  // namespace nvmlab
