// SPDX-License-Identifier: Apache-2.0
//
// Where conversations led by bytes take place: a machine that is put back to its beginning for each input, so that an
// input means the same every time.
#pragma once

#include <cstring>
#include <vector>

#include "tests/drivers/functions/support/conversation.hpp"
#include "tests/drivers/functions/support/machine.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace nvmlab::fuzz {

using namespace driver_test;

class Bytes : public Choices {
 public:
  void read(const std::uint8_t* data, std::size_t size) {
    data_ = data;
    left_ = size;
  }
  bool used_up() const { return left_ == 0; }

  // As few bytes as the choice needs: a byte that decides nothing is one that a fuzzer changes in vain.
  std::size_t pick(std::size_t below) override {
    std::size_t value = 0;
    for (std::size_t reach = 1; reach < below; reach <<= 8U)
      value = value << 8U | next();
    return value % below;
  }
  std::uint64_t any() override {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
      value = value << 8U | next();
    return value;
  }

 private:
  std::uint8_t next() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

  const std::uint8_t* data_ = nullptr;
  std::size_t left_ = 0;
};

// Drivers that an input can choose, by their first release. Not those of 535.43 to 535.86: for them a caller allocates
// wider entries of process lists, which tests/drivers/functions/layouts_test.cpp does.
inline constexpr const char* kDrivers[] = {Api::kNewestDriver, "580.105.08", "570.148.08", "550.163.01",
                                           "535.261.03",       "525.147.05", "470.256.02", "340.108"};

// Made once: a node where one GPU, the boxes and confidential computing have a value in every field.
struct Stage {
  Environment root{{"NVMLAB_ROLE", "root"}};
  SharedMachine machine{"dgx-h100", Api::kNewestDriver, 4};
  std::vector<std::byte> beginning;
  Notes notes{};
  Bytes bytes;
  Conversation conversation{bytes, notes};

  Stage() {
    if (!Driver::get().has("nvmlInit_v2")) wrong("no driver: NVMLAB_BINARY_DIR does not name a build folder");
    if (machine.path().empty() || Driver::get().init() != driver_test::kSuccess)
      wrong("the machine cannot be initialised");
    machine.fill_gpu(1);
    for (const char* topic : {"unit", "excluded", "confcompute"})
      machine.fill_node(topic);
    const auto* store = reinterpret_cast<const std::byte*>(&machine.store());
    beginning.assign(store, store + machine.store().header.total_size);
  }

  // Another input: the machine as it was brought up, under the driver that the first byte chooses, initialised once.
  void set(const std::uint8_t* data, std::size_t size) {
    while (Driver::get().call("nvmlSystemGetDriverVersion", 0, 0) != kUninitialized)
      Driver::get().shutdown();
    std::memcpy(&machine.store(), beginning.data(), beginning.size());
    bytes.read(data, size);
    const std::string driver = kDrivers[bytes.pick(std::size(kDrivers))];
    machine.change_node(
        [&](Node& node) { node.system.driver_version.set(driver.c_str(), static_cast<std::uint32_t>(driver.size())); });
    conversation.start_over();
    notes = {};
    Driver::get().init();
  }

  // Until all bytes are used up.
  void talk() {
    while (!bytes.used_up()) {
      const std::string said = conversation.say();
      if (!said.empty()) wrong(said + ", after\n" + notes.history());
    }
  }
};

}  // namespace nvmlab::fuzz
