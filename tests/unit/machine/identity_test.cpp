// SPDX-License-Identifier: Apache-2.0
#include "engine/store/identity.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/store/image.hpp"
#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

using test::put;
using test::text_of;

std::string uuid(const std::string& machine, std::uint32_t index) {
  Text<96> text{};
  derive_uuid(machine.c_str(), index, &text);
  return text_of(text);
}

std::string counted(const std::string& serial, std::uint64_t by) {
  Text<32> text{};
  put(&text, serial);
  count_up(&text, by);
  return text_of(text);
}

TEST(Identity, UuidsAreFixedForGood) {
  EXPECT_EQ(uuid("dgx-a100", 0), "GPU-71bf9bc8-9099-44e3-87b8-94adaf365502");
  EXPECT_EQ(uuid("m", 3), "GPU-16262ecb-05dd-4d1f-873f-c5b155ee4d52");
}

TEST(Identity, UuidsAndPdisDependOnNameAndIndexAlone) {
  std::set<std::string> uuids;
  std::set<std::uint64_t> pdis;
  for (const char* name : {"a", "b", "dgx-a100"}) {
    for (std::uint32_t i = 0; i < kMaxGpus; ++i) {
      const std::string text = uuid(name, i);
      ASSERT_EQ(text.size(), 40u);
      ASSERT_EQ(text.substr(0, 4), "GPU-");
      ASSERT_EQ(text[18], '4') << text;
      ASSERT_EQ(text[23], '8') << text;
      ASSERT_TRUE(uuids.insert(text).second) << text;
      ASSERT_TRUE(pdis.insert(derive_pdi(name, i)).second) << text;
    }
  }
}

TEST(Identity, OfANameThatIsTooLongWhatAnImageKeepsCounts) {
  const std::string kept(sizeof ImageHeader::name - 1, 'x');
  EXPECT_EQ(uuid(kept + "yz", 1), uuid(kept, 1));
  EXPECT_NE(uuid(kept.substr(1), 1), uuid(kept, 1));
}

TEST(Identity, SerialNumbersKeepTheirWidthAndLetters) {
  EXPECT_EQ(counted("1650000000001", 4095), "1650000004096");
  EXPECT_EQ(counted("PK00A0099", 1), "PK00A0100");
  EXPECT_EQ(counted("0", 0), "0");
  EXPECT_EQ(counted("ABC", 7), "ABC");
  EXPECT_EQ(counted("7", ~std::uint64_t{0}), "2") << "7 and 18446744073709551615, the last digit of the sum";
  Text<32> none{};
  none.set_error(kNotSupported);
  count_up(&none, 3);
  EXPECT_FALSE(none.has_value());
}

TEST(Identity, FabricGuidsAreLargeNumbers) {
  Bytes<16> guid{};
  count_up(&guid, 1);
  EXPECT_FALSE(guid.has_value());
  guid.set({0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE});
  count_up(&guid, 3);
  EXPECT_EQ(guid.data[7], 2);
  EXPECT_EQ(number_of(guid), 1u);
}

TEST(Identity, BusesGoOnInTheNextDomain) {
  EXPECT_EQ(bus_behind({0, 7}, 0), (PciBus{0, 7}));
  EXPECT_EQ(bus_behind({3, 0xFE}, 1), (PciBus{3, 0xFF}));
  EXPECT_EQ(bus_behind({3, 0xFE}, 2), (PciBus{4, 1}));
  PciBus one_by_one{0, 0x53};
  for (std::uint32_t steps = 0; steps < 2 * kMaxGpus; ++steps) {
    ASSERT_EQ(bus_behind({0, 0x53}, steps), one_by_one) << steps;
    one_by_one = bus_behind(one_by_one, 1);
  }
}

}  // namespace
}  // namespace nvmlab
