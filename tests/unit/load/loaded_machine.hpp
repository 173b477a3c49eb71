// SPDX-License-Identifier: Apache-2.0
//
// A shipped machine with a virtual clock in memory, of which GPU 0 can be loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/change/change.hpp"

namespace nvmlab::load_test {

inline constexpr std::uint64_t kMillisecond = 1'000'000;
inline constexpr std::uint64_t kSecond = 1'000 * kMillisecond;
inline constexpr std::uint64_t kMinute = 60 * kSecond;
inline constexpr std::uint64_t kHour = 60 * kMinute;

class LoadedMachine {
 public:
  explicit LoadedMachine(const std::string& profile);

  Code change(const Change& change);
  template <class Body>
  Code make(const Body& body) {
    return change(make_change(0, body));
  }
  Code load(LoadKind kind, std::uint64_t for_ns = 0) { return make(SetLoad{kind, kOfKind, kOfKind, kSameAir, for_ns}); }
  void advance(std::uint64_t by_ns) { change(make_change(MachinePart::clock, AdvanceMachineClock{by_ns})); }

  // As NVML tells it now.
  std::unique_ptr<Gpu> told() const;
  // As it lies in the store.
  const Gpu& stored() const;
  Store& store() const { return *reinterpret_cast<Store*>(const_cast<Block*>(memory_.data())); }

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };
  std::vector<Block> memory_;
  StoreFile file_;
};

}  // namespace nvmlab::load_test
