// SPDX-License-Identifier: Apache-2.0
// A store in memory of the test's own, and changes that are made to it: what the fixtures of this folder begin with.
#pragma once

#include <memory>
#include <vector>

#include "engine/change/change.hpp"

namespace nvmlab::changes_test {

class BuiltStore {
 public:
  Store& store() { return *reinterpret_cast<Store*>(memory_.data()); }
  GpuSlot& slot(std::uint32_t gpu = 0) { return store().gpus()[gpu]; }
  const Gpu& now(std::uint32_t gpu = 0) { return slot(gpu).copies[slot(gpu).sequence & 1]; }
  Code make(const Change& change, bool root = true) {
    MachineAccess machine{store(), file_, root};
    return apply(machine, change).code;
  }

 protected:
  void begin_with(const Image& image, std::uint32_t gpus, std::uint64_t seed, const ClockBeginning& clock = {}) {
    memory_.resize(store_size(gpus) / sizeof(Block) + 1);
    build_store(memory_.data(), image, gpus, "test", seed, clock);
  }
  // Of GPUs that the test has made, in a node that tells nothing.
  void begin_with(const Gpu* gpus, std::uint32_t count) {
    const auto node = std::make_unique<Node>();
    image_.resize(write_image(*node, gpus, count, "test", nullptr) / 8 + 1);
    write_image(*node, gpus, count, "test", image_.data());
    begin_with(view_image(image_.data()), count, 7);
  }

  StoreFile file_;

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };
  std::vector<std::uint64_t> image_;
  std::vector<Block> memory_;
};

}  // namespace nvmlab::changes_test
