// SPDX-License-Identifier: Apache-2.0
// Two of a shipped machine's GPUs in a private store with a clock that stands, and what faults make of them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "engine/change/change.hpp"
#include "engine/topics/derived.hpp"
#include "tests/unit/changes/built_store.hpp"
#include "tests/unit/changes/rows.hpp"

namespace nvmlab::changes_test {

class FaultyMachine : public BuiltStore {
 public:
  explicit FaultyMachine(const std::string& profile, std::uint32_t gpus = 2, const char* driver = nullptr) {
    compiler::CompileOptions options;
    if (driver != nullptr) options.driver = driver;
    const auto machine = compiler::compile(profile, options);
    EXPECT_TRUE(machine) << (machine ? "" : compiler::describe(machine.error()));
    Image image;
    EXPECT_EQ(open_image(machine->image.data(), machine->image.size(), &image), ImageError::none);
    const ClockBeginning beginning{.mode = ClockMode::virtual_time, .rate = kRealRate, .seeded = true, .seed = 7};
    begin_with(image, gpus, 3, beginning);
  }

  std::unique_ptr<Gpu> copy(std::uint32_t gpu = 0) { return std::make_unique<Gpu>(now(gpu)); }
  Faults faults(std::uint32_t gpu = 0) { return read_faults(slot(gpu)); }

  using BuiltStore::make;
  template <class Body>
  Code make(const Body& body) {
    return make(make_change(0, body));
  }
  Code inject(FaultKind kind, std::uint32_t number = 0, std::uint32_t times = 1) {
    return make(InjectFault{kind, number, kNoInstance, kNoInstance, times});
  }
  Code heal() { return make(HealFault{true, FaultKind::xid, HealFault::kAnyNumber}); }
  Code heal(FaultKind kind, std::uint32_t number = HealFault::kAnyNumber) {
    return make(HealFault{false, kind, number});
  }

  // Events since the last look, "xid 79" by its number and others by their type.
  std::vector<std::uint64_t> xids() {
    std::vector<std::uint64_t> found;
    for (const Event& event : events()) {
      if (event.type == 8) found.push_back(event.data);
    }
    return found;
  }
  std::vector<Event> events() {
    std::vector<Event> found;
    Event event{};
    std::uint64_t missed = 0;
    while (next_event(store().events, &next_, &missed, &event))
      found.push_back(event);
    return found;
  }

 private:
  std::uint64_t next_ = 0;
};

// What hardware keeps when a fault is healed: counters, rows and pages out of use.
inline bool kept_by_hardware(const Row& row) {
  return row.field->kind == FieldKind::counter || row.path.starts_with("ecc.remap_banks_") ||
         row.path.starts_with("ecc.retired_");
}

// The fields in which two states differ, but for what hardware keeps.
inline std::string differences(const Gpu& a, const Gpu& b, const std::vector<Row>& rows) {
  std::string all;
  for (const Row& row : rows) {
    if (!is_number(*row.field) || kept_by_hardware(row)) continue;
    const bool same = known_at(a, *row.field, row.offset) == known_at(b, *row.field, row.offset) &&
                      value_at(a, *row.field, row.offset) == value_at(b, *row.field, row.offset);
    if (!same)
      all += row.path + " is " + std::to_string(value_at(b, *row.field, row.offset)) + ", not " +
             std::to_string(value_at(a, *row.field, row.offset)) + "; ";
  }
  return all;
}

}  // namespace nvmlab::changes_test
