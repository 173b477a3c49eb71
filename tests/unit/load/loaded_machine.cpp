// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/load/loaded_machine.hpp"

#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "engine/topics/derived.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab::load_test {

LoadedMachine::LoadedMachine(const std::string& profile) {
  const auto machine = compiler::compile(profile);
  if (!machine) {
    ADD_FAILURE() << compiler::describe(machine.error());
    return;
  }
  Image image;
  EXPECT_EQ(open_image(machine->image.data(), machine->image.size(), &image), ImageError::none);
  memory_.resize(store_size(1) / sizeof(Block) + 1);
  build_store(memory_.data(), image, 1, "loaded", 3, {.mode = ClockMode::virtual_time, .seeded = true, .seed = 7});
}

Code LoadedMachine::change(const Change& change) {
  MachineAccess machine{store(), file_, true};
  return apply(machine, change).code;
}

const Gpu& LoadedMachine::stored() const {
  const GpuSlot& slot = store().gpus()[0];
  return slot.copies[slot.sequence & 1];
}

std::unique_ptr<Gpu> LoadedMachine::told() const {
  auto gpu = std::make_unique<Gpu>(stored());
  resolve(*gpu, machine_time_ns(store().clock));
  derived::compute(*gpu);
  return gpu;
}

}  // namespace nvmlab::load_test
