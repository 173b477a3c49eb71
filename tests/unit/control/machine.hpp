// SPDX-License-Identifier: Apache-2.0
// A machine in a file, as `nvmlab up --profile dgx-h100 --gpus 2 --clock virtual --seed 7` makes one.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "compiler/compile.hpp"
#include "control/snapshot.hpp"
#include "engine/change/change.hpp"
#include "tests/unit/machine/folder.hpp"

namespace nvmlab::test {

// Compiled once for all tests of a program.
inline const compiler::Machine& two_gpus() {
  static const auto machine = compiler::compile("dgx-h100", {.gpus = 2, .driver = {}});
  return *machine;
}

class OneMachine {
 public:
  explicit OneMachine(const compiler::Machine& machine = two_gpus(), const ClockBeginning& beginning = kBeginning) {
    const Image image = view_image(machine.image.data());
    EXPECT_FALSE(create_store(path().c_str(), image, image.header->gpu_count, "node", {}, beginning));
    EXPECT_FALSE(attach_store(path().c_str(), &attached_, Owner::anybody));
  }
  ~OneMachine() { detach_store(&attached_); }
  OneMachine(const OneMachine&) = delete;
  OneMachine& operator=(const OneMachine&) = delete;

  Store& store() { return *attached_.store; }
  StoreFile& file() { return attached_.file; }
  std::string path() const { return folder_.file("node.store"); }

  Code apply(const Change& change) {
    MachineAccess machine{store(), file(), true};
    return nvmlab::apply(machine, change).code;
  }
  template <class Body>
  void change(std::uint32_t gpu, const Body& body) {
    EXPECT_EQ(apply(make_change(gpu, body)), kSuccess);
  }
  control::Snapshot snapshot() {
    auto taken = control::take_snapshot(store(), file());
    EXPECT_TRUE(taken) << taken.error();
    return std::move(*taken);
  }

  static constexpr ClockBeginning kBeginning{ClockMode::virtual_time, kRealRate, true, 7};

 private:
  Folder folder_;
  AttachedStore attached_;
};

// What `nvmlab set` and `set --force` ask for.
inline PutBytes put(std::uint32_t offset, const Fact<std::uint32_t>& value) {
  PutBytes change{offset, sizeof value, {}};
  std::memcpy(change.bytes, &value, sizeof value);
  return change;
}
inline PinField pin(std::uint32_t offset, const Fact<std::uint32_t>& value) {
  PinField change{offset, sizeof value, {}};
  std::memcpy(change.value, &value, sizeof value);
  return change;
}
inline Fact<std::uint32_t> number(std::uint32_t value) {
  Fact<std::uint32_t> fact{};
  fact.set(value);
  return fact;
}

inline constexpr std::uint32_t kTemperature = offsetof(Gpu, thermal.gpu_c);
inline constexpr std::uint32_t kMargin = offsetof(Gpu, thermal.tlimit_c);

}  // namespace nvmlab::test
