// SPDX-License-Identifier: Apache-2.0
// What writes into the caller's memory allocates nothing, and a short list allocates its result alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "nvmlab/nvml/generated/field_id.hpp"
#include "tests/binding/support/fake_objects.hpp"

namespace {
unsigned long allocations = 0;
}

// Not inlined: GCC takes the pair that it then sees for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace nvmlab::binding_test {
namespace {

using namespace nvml;
namespace abi = nvml::abi;

class Room : public testing::Test {
 protected:
  Room() {
    fake.set<&Functions::nvmlDeviceGetAccountingPids>([](abi::nvmlDevice_t, unsigned* count, unsigned* room) {
      if (*count < 3) return *count = 3, abi::NVML_ERROR_INSUFFICIENT_SIZE;
      room[0] = room[1] = room[2] = 5;
      return *count = 3, abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlDeviceGetFieldValues>([](abi::nvmlDevice_t, int, abi::nvmlFieldValue_t* values) {
      values->valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
      values->nvmlReturn = values->fieldId == 1 ? abi::NVML_ERROR_NOT_SUPPORTED : abi::NVML_SUCCESS;
      return abi::NVML_SUCCESS;
    });
  }
  template <class Body>
  static unsigned long allocated(Body&& body) {
    const unsigned long before = allocations;
    body();
    return allocations - before;
  }
  Fake fake;
  Device device = device_of(fake);
};

TEST_F(Room, OfTheCallerIsAllThatIsUsed) {
  unsigned room[3] = {};
  bool good = false;
  EXPECT_EQ(allocated([&] { good = device.accounting_pids(room).has_value(); }), 0U);
  EXPECT_TRUE(good);
  EXPECT_EQ(allocated([&] { good = device.accounting_pids(std::span{room}.first(2)).has_value(); }), 0U) << "an error";
  EXPECT_FALSE(good);
}

TEST_F(Room, OfFieldsToo) {
  const Field fields[] = {FieldId{1}};
  FieldValue room[1] = {};
  bool good = false;
  EXPECT_EQ(allocated([&] { good = device.field_values(fields, room).has_value(); }), 0U);
  EXPECT_TRUE(good);
  EXPECT_FALSE(room[0].value);
  EXPECT_EQ(allocated([&] { good = device.field_values(FieldId{2}).has_value(); }), 0U) << "one field";
  EXPECT_TRUE(good);
}

TEST_F(Room, AShortListIsAllocatedOnce) {
  std::size_t many = 0;
  EXPECT_EQ(allocated([&] { many = device.accounting_pids()->size(); }), 1U);
  EXPECT_EQ(many, 3U);
}

}  // namespace
}  // namespace nvmlab::binding_test
