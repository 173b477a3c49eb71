// SPDX-License-Identifier: Apache-2.0
//
// A machine in a store of its own that the driver finds by NVMLAB_MACHINE, and that the test sees from the other side:
// what a getter answers can be held against what lies in the store, and any field can be given any value.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "engine/store/store_file.hpp"
#include "tests/drivers/functions/support/api.hpp"
#include "tests/drivers/functions/support/driver.hpp"

namespace nvmlab::driver_test {

class SharedMachine {
 public:
  // Compiles a shipped profile (for a driver that has every function) and brings it up in a folder that goes away.
  explicit SharedMachine(const std::string& profile, const std::string& driver = Api::kNewestDriver, unsigned gpus = 0);
  ~SharedMachine();
  SharedMachine(const SharedMachine&) = delete;
  SharedMachine& operator=(const SharedMachine&) = delete;

  Store& store() const { return *attached_.store; }
  std::filesystem::path path() const { return folder_.path() / "machines" / "test.store"; }
  std::filesystem::path runtime_folder() const { return folder_.path() / "machines"; }
  Gpu gpu(unsigned index) const;
  Node node() const;
  void change_gpu(unsigned index, const std::function<void(Gpu&)>& change) const;
  void change_node(const std::function<void(Node&)>& change) const;
  // Stops the machine's clock, if it runs, and moves it on.
  void advance(std::chrono::nanoseconds by) const;
  // Gives every field of a GPU a value that tells it from every other: numbers count up, texts hold their number.
  void fill_gpu(unsigned index) const;
  void fill_node(const std::string& topic) const;

 private:
  TemporaryFolder folder_;
  mutable AttachedStore attached_;
  std::unique_ptr<Environment> environment_;
};

// The bytes of a field by its path; `state` is a Gpu or a Node, whichever the topic belongs to.
struct FieldPlace {
  const Field* field = nullptr;
  std::byte* at = nullptr;
  bool of_node = false;
};
FieldPlace place_of(const std::string& path, void* gpu, void* node);

}  // namespace nvmlab::driver_test
